import { REASON_CODE } from '../placements/reason.js';
import { object, enumType } from '../schema.js';

export const unplacedTaint = object(
  'UnplacedTaint',
  'A taint that a pod does not tolerate, and how many nodes carry it.',
  {
    taint: { type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' },
    nodes: { type: 'integer', description: 'Nodes that carry it.', example: 1 },
  },
);

export const unplacedReason = object('UnplacedReason', 'A reason counted over all nodes.', {
  plugin: { type: 'string', description: 'The filter.', example: 'NodeResourcesFit' },
  code: { type: REASON_CODE, description: 'Stable, for programs.', example: 'InsufficientResource' },
  message: { type: 'string', description: "Kubernetes' own words.", example: 'Insufficient cpu' },
  nodes: { type: 'integer', description: 'Nodes that have it.', example: 1 },
  first: { type: 'integer', description: 'Those where it is of the first failing filter.', example: 1 },
  taints: { type: unplacedTaint, list: true, description: 'Of taints: each one.', example: [] },
});

export const PREEMPTION = enumType(
  'PreemptionTail',
  'Whether the tail about preemption is in the message; none: Kubernetes writes none.',
  ['evaluated', 'notEvaluated', 'none'],
);

/** Why pods found no node; null and empty where they found one. */
export const refusalTexts = object(
  'RefusalTexts',
  '',
  {
    message: {
      type: 'string',
      optional: true,
      description: "Kubernetes' own words where no node was found, or what failed; null otherwise.",
      example: '0/1 nodes are available: 1 Insufficient cpu.',
    },
    preemption: {
      type: PREEMPTION,
      optional: true,
      description: 'Whether the message has its tail about preemption; null where a node was found.',
      example: 'notEvaluated',
    },
    reasons: { type: unplacedReason, list: true, description: 'The reasons, most frequent first.' },
  },
  { restOnly: true },
);
