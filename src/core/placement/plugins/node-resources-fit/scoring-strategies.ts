import { subInt64 } from '../../../cluster/resource-table.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import { MAX_NODE_SCORE } from '../../score-plugin.js';
import type { ScoringStrategy, UtilizationShapePoint } from './arguments.js';
import { scaled } from './scaled.js';

/** How one resource of a node is scored, and how those of all resources become the node's score. */
export interface Strategy {
  readonly formula: string;
  /** 0 to 100; the capacity is never 0. */
  readonly resource: (requested: Int64, capacity: Int64) => number;
  /** Whether a resource that scores 0 weighs nothing. */
  readonly skipsZero: boolean;
  readonly mean: (sum: number, weights: number) => number;
}

/**
 * The strategy that a profile names.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/{least_allocated,most_allocated,requested_to_capacity_ratio}.go.
 */
export function strategyOf({ type, requestedToCapacityRatio }: ScoringStrategy): Strategy {
  switch (type) {
    case 'LeastAllocated':
      return {
        formula: 'weighted mean of (allocatable - requested) * 100 / allocatable',
        resource: (requested, capacity) => (requested > capacity ? 0 : scaled(subInt64(capacity, requested), capacity)),
        skipsZero: false,
        mean: cut,
      };
    case 'MostAllocated':
      return {
        formula: 'weighted mean of requested * 100 / allocatable',
        resource: (requested, capacity) => scaled(requested > capacity ? capacity : requested, capacity),
        skipsZero: false,
        mean: cut,
      };
    case 'RequestedToCapacityRatio': {
      const line = brokenLine(requestedToCapacityRatio?.shape ?? []);
      return {
        formula:
          "weighted mean of the shape's score at requested * 100 / allocatable, over the resources with a score above 0",
        resource: (requested, capacity) => line(requested > capacity ? FULL : scaled(requested, capacity)),
        skipsZero: true,
        mean: (sum, weights) => Math.round(sum / weights),
      };
    }
  }
}

const FULL = 100;
/** A shape's scores go up to 10. */
const MAX_SHAPE_SCORE = 10;

const cut = (sum: number, weights: number): number => Math.trunc(sum / weights);

/** `BuildBrokenLinearFunction`, pkg/scheduler/framework/plugins/helper/shape_score.go: flat before the first point and after the last. */
function brokenLine(shape: readonly UtilizationShapePoint[]): (utilization: number) => number {
  const points = shape.map(({ utilization, score }) => ({
    utilization,
    score: score * (MAX_NODE_SCORE / MAX_SHAPE_SCORE),
  }));
  return (utilization) => {
    const index = points.findIndex((point) => utilization <= point.utilization);
    const point = points[index];
    if (point === undefined) return points.at(-1)?.score ?? 0;
    const before = points[index - 1];
    if (before === undefined) return point.score;
    const rise = (point.score - before.score) * (utilization - before.utilization);
    return before.score + Math.trunc(rise / (point.utilization - before.utilization));
  };
}
