import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../../score-plugin.js';
import type { WeightedResource } from '../../weighted-resources.js';
import { quantity } from '../node-resources-fit/node-resources-fit.js';
import {
  allocatableAt,
  requestedAt,
  scoredResources,
  type ResourceColumns,
  type ScoredResource,
} from '../node-resources-fit/requested-amounts.js';

export const NAME = 'NodeResourcesBalancedAllocation';

/**
 * How much more evenly, or less, a node's resources are in use with the pod than without it: 75 is as before. A pod that
 * requests none of them is not scored.
 *
 * Before 1.36, it is how evenly they are in use with the pod; before 1.33, every pod is scored.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
 */
export const nodeResourcesBalancedAllocationScore: ScorePlugin = {
  name: NAME,
  score: ({ state, pod, nodes, args }) => {
    const { rules } = state;
    const weighted = args.nodeResourcesBalancedAllocation.resources;
    const resources = scoredResources(state.nodes, pod, weighted, 'requested', rules);
    if (isSkipped(resources, rules)) return { outcome: 'Skip' };
    const { nodeScore, formula, amounts } = balancingOf(rules);
    const raw = new Float64Array(nodes.length);
    for (let i = 0; i < raw.length; i++) raw[i] = nodeScore(resources, nodes[i]!);
    return {
      outcome: 'Score',
      raw,
      normalized: raw,
      arithmetic: (position) => {
        const node = nodes[position]!;
        return {
          formula,
          terms: amounts.map(([of, amount]) => ({
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
  rules: KubernetesRules,
): ((node: number) => number) | undefined {
  const resources = scoredResources(columns, pod, weighted, 'requested', rules);
  if (isSkipped(resources, rules)) return undefined;
  const { nodeScore } = balancingOf(rules);
  return (node) => nodeScore(resources, node);
}

/** `isBestEffortPod`, which `PreScore` asks since 1.33. */
const isSkipped = (resources: readonly ScoredResource[], { minor }: KubernetesRules): boolean =>
  minor >= 33 && resources.every(({ request }) => request === 0);

type AmountAt = (resource: ScoredResource, node: number) => Int64;

/** How a node is scored, and by which amounts. */
interface Balancing {
  readonly nodeScore: (resources: readonly ScoredResource[], node: number) => number;
  readonly formula: string;
  readonly amounts: readonly (readonly [of: string, amount: AmountAt])[];
}

const balancingOf = ({ minor }: KubernetesRules): Balancing => (minor >= 36 ? CHANGE : LEVEL);

const usedAt = ({ used }: ScoredResource, node: number): Int64 => used?.at(node) ?? 0;

/** Since 1.36. */
const CHANGE: Balancing = {
  nodeScore: (resources, node) =>
    changeOfBalance(balance(resources, node, requestedAt), balance(resources, node, usedAt)),
  formula:
    '50 + (50 + with - without) / 2, each (1 - standard deviation of requested / allocatable) * 100, with the pod and without it',
  amounts: [
    ['with', requestedAt],
    ['without', usedAt],
  ],
};

const LEVEL: Balancing = {
  nodeScore: (resources, node) => balance(resources, node, requestedAt),
  formula: '(1 - standard deviation of requested / allocatable) * 100, with the pod',
  amounts: [['with', requestedAt]],
};

function changeOfBalance(withPod: number, without: number): number {
  const half = MAX_NODE_SCORE / 2;
  return half + Math.trunc((half + withPod - without) / 2);
}

/** (1 - the standard deviation of the fractions in use) * 100, in the doubles and the order of upstream. */
function balance(resources: readonly ScoredResource[], node: number, amount: AmountAt): number {
  let count = 0;
  let total = 0;
  let first = 0;
  let second = 0;
  for (const resource of resources) {
    const capacity = allocatableAt(resource, node);
    if (capacity === 0) continue;
    const fraction = fractionOf(amount(resource, node), capacity);
    if (count === 0) first = fraction;
    else second = fraction;
    total += fraction;
    count++;
  }
  // Nothing is allocated for the usual cpu and memory: this is asked twice of every node.
  let deviation = 0;
  if (count === 2) deviation = Math.abs((first - second) / 2);
  else if (count > 2) deviation = standardDeviation(resources, node, amount, { mean: total / count, count });
  return Math.trunc((1 - deviation) * MAX_NODE_SCORE);
}

const fractionOf = (amount: Int64, capacity: Int64): number => Math.min(Number(amount) / Number(capacity), 1);

function standardDeviation(
  resources: readonly ScoredResource[],
  node: number,
  amount: AmountAt,
  { mean, count }: { readonly mean: number; readonly count: number },
): number {
  let sum = 0;
  for (const resource of resources) {
    const capacity = allocatableAt(resource, node);
    if (capacity === 0) continue;
    const apart = fractionOf(amount(resource, node), capacity) - mean;
    sum += apart * apart;
  }
  return Math.sqrt(sum / count);
}
