import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { evaluatePlacement } from '../../../src/core/placement/evaluate-placement.js';
import type { Op } from '../op.js';
import { filterAnswer, preFilterAnswer } from './filter-answer.js';
import { tolerationGates } from './toleration-gates.js';

const FILTERS = ['NodeUnschedulable', 'NodeName', 'TaintToleration', 'NodeAffinity', 'NodePorts', 'NodeResourcesFit'];
/** The plugins that have a PreFilter: the others' is not in the vectors. */
const WITH_PRE_FILTER = ['NodeAffinity', 'NodePorts', 'NodeResourcesFit'];

/** One pod against one node, every built filter on its own. Every pod of `podsOnNode` is on that node. */
export const filterNode: Op = {
  answer: (input) => {
    const node = input['node'] as unknown as Node;
    const prepared = (value: unknown): Pod => (input['defaults'] === true ? defaultPod(value as Pod) : (value as Pod));
    const others = ((input['podsOnNode'] ?? []) as unknown as readonly Pod[]).map((value) => {
      const pod = prepared(value);
      return { ...pod, kind: 'Pod' as const, spec: { ...pod.spec, nodeName: node.metadata.name } };
    });
    const state = ClusterState.build([{ ...node, kind: 'Node' }, ...others], ['Node', 'Pod', 'DeviceClass']);
    const pod = prepared(input['pod']);
    const placement = evaluatePlacement(state, { pod, filterNames: FILTERS, gates: tolerationGates(input) });
    const firstFail = placement.firstRefusal(0)?.name;
    const preFilterFailed = placement.plugins.find(({ preFilter }) => preFilter.outcome === 'Rejected')?.name;
    return {
      feasible: placement.verdict(0) === 'feasible',
      ...(firstFail === undefined ? {} : { firstFail }),
      ...(preFilterFailed === undefined ? {} : { preFilterFailed }),
      ...(placement.isExcluded(0) ? { excludedByPreFilter: true } : {}),
      plugins: Object.fromEntries(placement.plugins.map((plugin) => [plugin.name, filterAnswer(plugin, 0)])),
      preFilter: Object.fromEntries(
        placement.plugins
          .filter(({ name }) => WITH_PRE_FILTER.includes(name))
          .map((plugin) => [plugin.name, preFilterAnswer(plugin)]),
      ),
    };
  },
};
