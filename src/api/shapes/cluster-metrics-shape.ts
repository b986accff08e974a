import { ObjectType } from '@nestjs/graphql';
import { METRIC_FAMILY_NAMES } from '../../core/metrics/kube-state-metrics.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { Shown, type PropertyOptions } from './property.js';

export const METRIC_FAMILIES = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: METRIC_FAMILY_NAMES.length,
  description: 'Only these families; all of them unless told.',
  example: ['kube_pod_overhead_memory_bytes'],
} as const satisfies PropertyOptions;

@ObjectType('ClusterMetrics', { description: 'A cluster as kube-state-metrics would export it.' })
export class ClusterMetricsShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'string', description: 'The page, as OpenMetrics.' })
  text!: string;
}
