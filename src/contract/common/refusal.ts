import { REASON_CODE } from '../placements/reason.js';
import { object, enumType } from '../schema.js';

export const unplacedTaint = object(
  'UnplacedTaint',
  'A taint that a pod does not tolerate, and the number of nodes with this taint.',
  {
    taint: { type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' },
    nodes: { type: 'integer', description: 'Number of nodes with this taint.', example: 1 },
  },
);

export const unplacedReason = object('UnplacedReason', 'A reason counted over all nodes.', {
  plugin: { type: 'identifier', description: 'The filter.', example: 'NodeResourcesFit' },
  code: { type: REASON_CODE, description: REASON_CODE.description, example: 'InsufficientResource' },
  message: { type: 'string', description: 'The Kubernetes message.', example: 'Insufficient cpu' },
  nodes: { type: 'integer', description: 'Number of nodes with this reason.', example: 1 },
  first: {
    type: 'integer',
    description: 'Number of these nodes where it comes from the first failing filter.',
    example: 1,
  },
  note: {
    type: 'string',
    optional: true,
    description: 'What the message leaves out: the ResourceClaimTemplate from which no claim can be made, and why.',
    example: null,
  },
  taints: { type: unplacedTaint, list: true, description: 'The taints, for untolerated taints.', example: [] },
});

export const PREEMPTION = enumType(
  'PreemptionTail',
  'Whether the message includes the part about preemption. `none`: Kubernetes does not write this part.',
  ['evaluated', 'notEvaluated', 'none'],
);

/** Why pods were not placed; null or empty if they were. */
export const refusalTexts = object(
  'RefusalTexts',
  '',
  {
    message: {
      type: 'string',
      optional: true,
      description: 'The Kubernetes message if no node was found, or the error; null otherwise.',
      example: '0/1 nodes are available: 1 Insufficient cpu.',
    },
    preemption: {
      type: PREEMPTION,
      optional: true,
      description: 'Whether the message includes the part about preemption; null if a node was found.',
      example: 'notEvaluated',
    },
    reasons: { type: unplacedReason, list: true, description: 'The reasons, most frequent first.' },
  },
  { restOnly: true },
);
