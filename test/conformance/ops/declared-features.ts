import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import { evaluatePlacement } from '../../../src/core/placement/evaluate-placement.js';
import type { Op } from '../op.js';
import { filterAnswer, preFilterCode } from './filter-answer.js';
import { podInVector } from './pod-in-vector.js';

/** The result of NodeDeclaredFeatures for one pod and one node. */
export const declaredFeatures: Op = {
  answer: (input) => {
    const node = { ...(input['node'] as unknown as Node), kind: 'Node' as const };
    const state = ClusterState.build([node], ['Node', 'Pod']);
    const { plugins } = evaluatePlacement(state, { pod: podInVector(input), filterNames: ['NodeDeclaredFeatures'] });
    const [plugin] = plugins;
    const preFilter = preFilterCode(plugin!.preFilter);
    return plugin!.filter === undefined ? { preFilter } : { preFilter, filter: filterAnswer(plugin!, 0) };
  },
};
