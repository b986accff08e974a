import type { Pod } from '../../kubernetes/objects/pod.js';
import type { FilterDependency } from '../../placement/in-tree-plugin.js';
import { IN_TREE_PLUGINS } from '../../placement/plugins/in-tree-plugins.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { NAME as PORTS } from '../../placement/plugins/node-ports/node-ports.js';
import { NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as CORDON } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { NAME as SPREAD } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { NAME as TAINTS } from '../../placement/plugins/taint-toleration/taint-toleration.js';

/** Kubernetes' own filters, selected by what they depend on. */
function filtersWhere(holds: (dependsOn: readonly FilterDependency[]) => boolean): ReadonlySet<string> {
  return new Set(IN_TREE_PLUGINS.flatMap(({ name, filter }) => (filter && holds(filter.dependsOn) ? [name] : [])));
}

function filtersOn(...dependencies: readonly FilterDependency[]): ReadonlySet<string> {
  return filtersWhere((dependsOn) => dependsOn.every((one) => dependencies.includes(one)));
}

/** The filters that depend only on a node's taints and its cordon. */
export const TAINT_FILTERS = filtersOn('taints');

/** The filters that depend only on the node itself: pods and taints do not change their results. */
const NODE_FILTERS = filtersOn('node');

/** The filters whose results do not depend on pods. */
export const STATIC_FILTERS: ReadonlySet<string> = new Set([...NODE_FILTERS, ...TAINT_FILTERS]);

/** The filters whose result for a node depends only on that node and on the requests of its pods. */
export const OF_ONE_NODE = filtersOn('node', 'taints', 'requests');

/** The filters that a run does not keep up to date: it handles only pods that they skip. */
export const CLAIM_FILTERS = filtersWhere((dependsOn) => dependsOn.includes('claims'));

/** The filters whose rules a run applies itself while pods come and go and taints change. */
const APPLIED_BY_RUNS: ReadonlySet<string> = new Set([CORDON, TAINTS, PORTS, FIT, SPREAD, AFFINITY]);

/** Whether a run can keep the results of all filters of a profile up to date. */
export const followsFilters = (filters: readonly { readonly name: string }[]): boolean =>
  filters.every(({ name }) => [NODE_FILTERS, CLAIM_FILTERS, APPLIED_BY_RUNS].some((names) => names.has(name)));

/** Whether a pod's spec refers to other pods. Preferred terms count, too: if they are invalid, no node is chosen. */
export const mindsOthers = ({ spec }: Pod): boolean =>
  spec.affinity?.podAffinity !== undefined ||
  spec.affinity?.podAntiAffinity !== undefined ||
  (spec.topologySpreadConstraints ?? []).length > 0;
