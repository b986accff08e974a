import { GIVEN_TAINT } from '../common/given.js';
import { object } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { taint } from '../common/taint.js';
import { answerBasis } from '../common/basis.js';

export const allowedPods = object(
  'AllowedPods',
  'Pods of one workload that lack the same.',
  {
    workload: { type: workloadName, description: 'The workload.' },
    allowed: {
      type: 'boolean',
      description: 'Whether they tolerate every NoSchedule and NoExecute taint.',
      example: false,
    },
    pods: { type: 'integer', description: 'How many pods, those that ended left out.', example: 3 },
    examples: {
      type: 'string',
      list: true,
      description: 'A few of them, as namespace/name.',
      example: ['default/web-0'],
    },
    untolerated: {
      type: taint,
      list: true,
      description: 'The NoSchedule and NoExecute taints that they do not tolerate.',
    },
    discouraged: {
      type: taint,
      list: true,
      description: 'The PreferNoSchedule taints that they do not tolerate: the scheduler puts such a node last.',
    },
  },
  { openApiName: 'AllowedEntry' },
);

export const allowedCounts = object(
  'AllowedCounts',
  'How many are allowed, and how many are not, whatever the filters.',
  {
    allowed: { type: 'integer', description: 'Allowed.', example: 12 },
    refused: { type: 'integer', description: 'Not allowed; of workloads, those with a pod that is not.', example: 108 },
  },
);

/** What an answer says before its list. */
export const podsAllowedHead = object(
  'PodsAllowedHead',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    taints: {
      type: taint,
      list: true,
      description: 'What the pods were held against; for a cordoned node with the taint that its cordon counts as.',
    },
    pods: { type: allowedCounts, description: 'Pods.' },
    workloads: { type: allowedCounts, description: 'Workloads.' },
  },
  { restOnly: true },
);

export const podsAllowedRequest = object(
  'PodsAllowed',
  '',
  {
    taints: {
      type: GIVEN_TAINT,
      list: true,
      maximumLength: 100,
      description: "The taints, in kubectl's syntax (`key=value:Effect`) or as objects with key, value and effect.",
      example: ['dedicated=gpu:NoSchedule'],
    },
  },
  { restOnly: true },
);
