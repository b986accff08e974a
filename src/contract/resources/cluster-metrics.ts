import { object } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { METRIC_FAMILY_NAMES } from '../../core/metrics/kube-state-metrics.js';
import type { Member } from '../schema.js';

export const METRIC_FAMILIES = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: METRIC_FAMILY_NAMES.length,
  description: 'Only these metric families. Default: all.',
  example: ['kube_pod_overhead_memory_bytes'],
} as const satisfies Member;

export const clusterMetrics = object(
  'ClusterMetrics',
  'The metrics that kube-state-metrics would export for a cluster.',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    text: { type: 'string', description: 'The metrics in the OpenMetrics format.' },
  },
);
