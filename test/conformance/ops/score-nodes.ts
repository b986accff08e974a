import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_ARGUMENTS } from '../../../src/core/placement/plugin-arguments.js';
import { rankNodes } from '../../../src/core/placement/rank-nodes.js';
import { DEFAULT_SCORES } from '../../../src/core/placement/score-profile.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';
import { clusterInVector } from './cluster-in-vector.js';
import { tolerationGates } from './toleration-gates.js';

/** Of one pod, the scores of every node, those that a filter would refuse included. */
function scores(asked: readonly string[]): Op {
  return {
    // Which of several unreadable labels upstream names first is random, so of an error the fact is compared.
    agree: (want, got) => sameJson(withoutTexts(want), withoutTexts(got)),
    answer: (input) => {
      const state = clusterInVector(input);
      const ranking = rankNodes(state, {
        pod: input['pod'] as unknown as Pod,
        nodes: Int32Array.from({ length: state.nodes.count }, (_, node) => node),
        gates: tolerationGates(input),
        scores: DEFAULT_SCORES.filter(({ plugin }) => asked.includes(plugin.name)),
        args: DEFAULT_ARGUMENTS,
      });
      const byNode = (values: Float64Array): JsonObject =>
        Object.fromEntries([...values].map((value, position) => [state.nodes.name(ranking.nodes[position]!), value]));
      return {
        plugins: Object.fromEntries(
          ranking.plugins.map(({ name, weight, scores, error }): [string, JsonObject] => {
            if (error !== undefined) return [name, { preScore: { code: 'Error', error } }];
            if (scores === undefined) return [name, { skip: true, weight }];
            return [name, { raw: byNode(scores.raw), normalized: byNode(scores.normalized), weight }];
          }),
        ),
        total: byNode(ranking.totals),
      };
    },
  };
}

function withoutTexts(answer: unknown): JsonValue {
  const { plugins, total } = answer as { readonly plugins: JsonObject; readonly total: JsonObject };
  const judged = Object.entries(plugins).map(([name, plugin]): [string, JsonValue] => {
    const { preScore } = plugin as { readonly preScore?: { readonly code: string } };
    return [name, preScore === undefined ? plugin : { preScore: preScore.code }];
  });
  return { plugins: Object.fromEntries(judged), total };
}

const OF_NODES = ['NodeAffinity', 'NodeResourcesBalancedAllocation', 'NodeResourcesFit', 'TaintToleration'];

export const scoreNodes = scores(OF_NODES);

export const scoreCluster = scores([...OF_NODES, 'ImageLocality', 'InterPodAffinity', 'PodTopologySpread']);
