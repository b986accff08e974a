import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { ScorePlugin } from '../../score-plugin.js';
import type { ScoringStrategy } from './arguments.js';
import { NAME, quantity } from './node-resources-fit.js';
import {
  allocatableAt,
  requestedAt,
  scoredResources,
  type ResourceColumns,
  type ScoredResource,
} from './requested-amounts.js';
import { strategyOf, type Strategy } from './scoring-strategies.js';

/**
 * How much of a node is in use, by the strategy of the profile: the emptiest node is the best unless it says otherwise.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go, `Score`.
 */
export const nodeResourcesFitScore: ScorePlugin = {
  name: NAME,
  score: ({ state, pod, nodes, args }) => {
    const { scoringStrategy } = args.nodeResourcesFit;
    const strategy = strategyOf(scoringStrategy);
    const resources = scoredResources(state.nodes, pod, scoringStrategy.resources, 'nonZero', state.rules);
    const raw = new Float64Array(nodes.length);
    for (let i = 0; i < raw.length; i++) raw[i] = nodeScore(strategy, resources, nodes[i]!);
    return {
      outcome: 'Score',
      raw,
      normalized: raw,
      arithmetic: (position) => {
        const node = nodes[position]!;
        return {
          formula: `${scoringStrategy.type}: ${strategy.formula}`,
          terms: resources
            .filter((resource) => allocatableAt(resource, node) !== 0)
            .map((resource) => ({
              of: resource.name,
              amounts: {
                requested: quantity(resource.name, requestedAt(resource, node)),
                allocatable: quantity(resource.name, allocatableAt(resource, node)),
                weight: String(resource.weight),
              },
              score: strategy.resource(requestedAt(resource, node), allocatableAt(resource, node)),
            })),
        };
      },
    };
  },
};

/**
 * The score of each node, as its columns are when it is asked for.
 *
 * @throws QuantityError for a request that is no quantity
 */
export function fitScorer(
  columns: ResourceColumns,
  pod: Pod,
  scoring: ScoringStrategy,
  rules: KubernetesRules,
): (node: number) => number {
  const strategy = strategyOf(scoring);
  const resources = scoredResources(columns, pod, scoring.resources, 'nonZero', rules);
  return (node) => nodeScore(strategy, resources, node);
}

function nodeScore(
  { resource: scoreOf, skipsZero, mean }: Strategy,
  resources: readonly ScoredResource[],
  node: number,
): number {
  let sum = 0;
  let weights = 0;
  for (const resource of resources) {
    const capacity = allocatableAt(resource, node);
    if (capacity === 0) continue;
    const score = scoreOf(requestedAt(resource, node), capacity);
    if (skipsZero && score <= 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  return weights === 0 ? 0 : mean(sum, weights);
}
