import type { Pod } from '../../kubernetes/objects/pod.js';
import type { FilterDependency } from '../../placement/in-tree-plugin.js';
import { IN_TREE_PLUGINS } from '../../placement/plugins/in-tree-plugins.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { NAME as PORTS } from '../../placement/plugins/node-ports/node-ports.js';
import { NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as CORDON } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { NAME as SPREAD } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { NAME as TAINTS } from '../../placement/plugins/taint-toleration/taint-toleration.js';

/** Kubernetes' own filters by what they depend on. */
function filtersWhere(holds: (dependsOn: readonly FilterDependency[]) => boolean): ReadonlySet<string> {
  return new Set(IN_TREE_PLUGINS.flatMap(({ name, filter }) => (filter && holds(filter.dependsOn) ? [name] : [])));
}

function filtersOn(...dependencies: readonly FilterDependency[]): ReadonlySet<string> {
  return filtersWhere((dependsOn) => dependsOn.every((one) => dependencies.includes(one)));
}

/** The filters that look at a node's taints or its cordon, and at nothing else. */
export const TAINT_FILTERS = filtersOn('taints');

/** The filters that look at what a node is by itself: no placed pod and no taint changes their answers. */
const NODE_FILTERS = filtersOn('node');

/** The filters whose answers no placed pod changes. */
export const STATIC_FILTERS: ReadonlySet<string> = new Set([...NODE_FILTERS, ...TAINT_FILTERS]);

/** Filters whose answer for a node depends on that node alone, and on nothing of its pods but what they request. */
export const OF_ONE_NODE = filtersOn('node', 'taints', 'requests');

/** The filters that a run does not follow: it decides only about pods that they skip. */
export const CLAIM_FILTERS = filtersWhere((dependsOn) => dependsOn.includes('claims'));

/** The filters whose rules a run applies by itself as pods come and go and taints change. */
const APPLIED_BY_RUNS: ReadonlySet<string> = new Set([CORDON, TAINTS, PORTS, FIT, SPREAD, AFFINITY]);

/** Whether a run can keep the answers of all filters of a profile up to date. */
export const followsFilters = (filters: readonly { readonly name: string }[]): boolean =>
  filters.every(({ name }) => [NODE_FILTERS, CLAIM_FILTERS, APPLIED_BY_RUNS].some((names) => names.has(name)));

/** Whether a pod says anything of other pods. Terms that only score count, too: where they cannot be read, no node is chosen. */
export const mindsOthers = ({ spec }: Pod): boolean =>
  spec.affinity?.podAffinity !== undefined ||
  spec.affinity?.podAntiAffinity !== undefined ||
  (spec.topologySpreadConstraints ?? []).length > 0;
