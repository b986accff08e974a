import { object } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { METRIC_FAMILY_NAMES } from '../../core/metrics/kube-state-metrics.js';
import type { Member } from '../schema.js';

export const METRIC_FAMILIES = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: METRIC_FAMILY_NAMES.length,
  description: 'Only these families; all of them by default.',
  example: ['kube_pod_overhead_memory_bytes'],
} as const satisfies Member;

export const clusterMetrics = object('ClusterMetrics', 'A cluster as kube-state-metrics would export it.', {
  basis: { type: answerBasis, description: 'What the answer rests on.' },
  text: { type: 'string', description: 'The page, as OpenMetrics.' },
});
