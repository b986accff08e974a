import { GIVEN_TAINT } from '../common/given.js';
import { object } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { taint } from '../common/taint.js';
import { answerBasis } from '../common/basis.js';

export const allowedPods = object(
  'AllowedPods',
  'Pods of one workload with the same untolerated taints.',
  {
    workload: { type: workloadName, description: 'The workload.' },
    allowed: {
      type: 'boolean',
      description: 'Whether the pods tolerate every NoSchedule and NoExecute taint.',
      example: false,
    },
    pods: { type: 'integer', description: 'Number of pods, excluding terminated pods.', example: 3 },
    examples: {
      type: 'identifier',
      list: true,
      description: 'Some of the pods, as `namespace/name`.',
      example: ['default/web-0'],
    },
    untolerated: {
      type: taint,
      list: true,
      description: 'The NoSchedule and NoExecute taints that the pods do not tolerate.',
    },
    discouraged: {
      type: taint,
      list: true,
      description: 'The PreferNoSchedule taints that the pods do not tolerate; the scheduler ranks such a node last.',
    },
  },
  { openApiName: 'AllowedEntry' },
);

export const allowedCounts = object(
  'AllowedCounts',
  'Numbers of allowed and refused pods or workloads, regardless of the filters.',
  {
    allowed: { type: 'integer', description: 'Number allowed.', example: 12 },
    refused: {
      type: 'integer',
      description: 'Number refused; a workload is refused if one of its pods is.',
      example: 108,
    },
  },
);

/** The members of a response besides its list. */
export const podsAllowedHead = object(
  'PodsAllowedHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    taints: {
      type: taint,
      list: true,
      description: 'The taints that were checked; for a cordoned node, including the one for the cordon.',
    },
    pods: { type: allowedCounts, description: 'Pod counts.' },
    workloads: { type: allowedCounts, description: 'Workload counts.' },
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
      description: 'The taints, in kubectl syntax (`key=value:Effect`) or as objects with key, value and effect.',
      example: ['dedicated=gpu:NoSchedule'],
    },
  },
  { restOnly: true },
);
