import type { Int64 } from '../../../kubernetes/objects/meta.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { WeightedResource } from '../../plugin-arguments.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../../score-plugin.js';
import { quantity } from '../node-resources-fit/node-resources-fit.js';
import {
  allocatableAt,
  requestedAt,
  scoredResources,
  type ResourceColumns,
  type ScoredResource,
} from '../node-resources-fit/requested-amounts.js';

/**
 * How much more evenly, or less, a node's resources are in use with the pod than without it: 75 is as before. A pod that
 * requests none of them is not scored.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
 */
export const nodeResourcesBalancedAllocationScore: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  score: ({ state, pod, nodes, args }) => {
    const resources = scoredResources(state.nodes, pod, args.nodeResourcesBalancedAllocation.resources, 'requested');
    if (isBestEffort(resources)) return { outcome: 'Skip' };
    const raw = Float64Array.from(nodes, (node) => nodeScore(resources, node));
    return {
      outcome: 'Score',
      raw,
      normalized: raw,
      arithmetic: (position) => {
        const node = nodes[position]!;
        return {
          formula:
            '50 + (50 + with - without) / 2, each (1 - standard deviation of requested / allocatable) * 100, with the pod and without it',
          terms: (
            [
              ['with', requestedAt],
              ['without', usedAt],
            ] as const
          ).map(([of, amount]) => ({
            of,
            amounts: Object.fromEntries(
              resources
                .filter((resource) => allocatableAt(resource, node) !== 0)
                .map((resource) => [
                  resource.name,
                  `${quantity(resource.name, amount(resource, node))} of ${quantity(resource.name, allocatableAt(resource, node))}`,
                ]),
            ),
            score: balance(resources, node, amount),
          })),
        };
      },
    };
  },
};

/**
 * The score of each node, as its columns are when it is asked for; undefined for a pod that is not scored.
 *
 * @throws QuantityError for a request that is no quantity
 */
export function balanceScorer(
  columns: ResourceColumns,
  pod: Pod,
  weighted: readonly WeightedResource[],
): ((node: number) => number) | undefined {
  const resources = scoredResources(columns, pod, weighted, 'requested');
  return isBestEffort(resources) ? undefined : (node) => nodeScore(resources, node);
}

const isBestEffort = (resources: readonly ScoredResource[]): boolean => resources.every(({ request }) => request === 0);

const nodeScore = (resources: readonly ScoredResource[], node: number): number =>
  changeOfBalance(balance(resources, node, requestedAt), balance(resources, node, usedAt));

const usedAt = ({ used }: ScoredResource, node: number): Int64 => used?.at(node) ?? 0;

function changeOfBalance(withPod: number, without: number): number {
  const half = MAX_NODE_SCORE / 2;
  return half + Math.trunc((half + withPod - without) / 2);
}

/** (1 - the standard deviation of the fractions in use) * 100, in the doubles and the order of upstream. */
function balance(
  resources: readonly ScoredResource[],
  node: number,
  amount: (resource: ScoredResource, node: number) => Int64,
): number {
  const fractions: number[] = [];
  let total = 0;
  for (const resource of resources) {
    const capacity = allocatableAt(resource, node);
    if (capacity === 0) continue;
    const fraction = Math.min(Number(amount(resource, node)) / Number(capacity), 1);
    total += fraction;
    fractions.push(fraction);
  }
  return Math.trunc((1 - deviation(fractions, total)) * MAX_NODE_SCORE);
}

function deviation(fractions: readonly number[], total: number): number {
  const [first, second] = fractions;
  if (first === undefined || second === undefined) return 0;
  if (fractions.length === 2) return Math.abs((first - second) / 2);
  const mean = total / fractions.length;
  let sum = 0;
  for (const fraction of fractions) sum += (fraction - mean) * (fraction - mean);
  return Math.sqrt(sum / fractions.length);
}
