import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import { evaluatePlacement } from '../../../src/core/placement/evaluate-placement.js';
import type { Op } from '../op.js';
import { filterAnswer, preFilterAnswer } from './filter-answer.js';
import { podInVector } from './pod-in-vector.js';
import { tolerationGates } from './toleration-gates.js';

const FILTERS = [
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'PodTopologySpread',
  'InterPodAffinity',
];
/** The plugins that have a PreFilter: the others' is not in the vectors. */
const WITH_PRE_FILTER = ['NodeAffinity', 'NodePorts', 'NodeResourcesFit', 'PodTopologySpread', 'InterPodAffinity'];

/** One pod against every node of a cluster, every filter on its own. */
export const filterCluster: Op = {
  answer: (input) => {
    const list = (key: string): readonly object[] => (input[key] ?? []) as unknown as readonly object[];
    const objects = [
      ...list('nodes').map((node) => ({ ...node, kind: 'Node' })),
      ...list('pods').map((pod) => ({ ...pod, kind: 'Pod' })),
      ...list('namespaces').map((namespace) => ({ ...namespace, kind: 'Namespace' })),
    ] as unknown as readonly KubernetesObject[];
    const state = ClusterState.build(objects, ['Node', 'Pod', 'Namespace', 'DeviceClass']);
    const pod = podInVector(input);
    const placement = evaluatePlacement(state, { pod: pod, filterNames: FILTERS, gates: tolerationGates(input) });
    const preFilterFailed = placement.plugins.find(({ preFilter }) => preFilter.outcome === 'Rejected')?.name;
    return {
      ...(preFilterFailed === undefined ? {} : { preFilterFailed }),
      preFilter: Object.fromEntries(
        placement.plugins
          .filter(({ name }) => WITH_PRE_FILTER.includes(name))
          .map((plugin) => [plugin.name, preFilterAnswer(plugin)]),
      ),
      nodes: list('nodes').map((given) => {
        const { name } = (given as KubernetesObject).metadata;
        const node = state.nodes.indexOf(name);
        const firstFail = placement.firstRefusal(node)?.name;
        return {
          node: name,
          feasible: placement.verdict(node) === 'feasible',
          ...(firstFail === undefined ? {} : { firstFail }),
          ...(placement.isExcluded(node) ? { excludedByPreFilter: true } : {}),
          plugins: Object.fromEntries(placement.plugins.map((plugin) => [plugin.name, filterAnswer(plugin, node)])),
        };
      }),
    };
  },
};
