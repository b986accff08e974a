import type { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { DaemonSet } from '../kubernetes/objects/workloads.js';
import { findUntolerated } from '../kubernetes/toleration.js';
import { BARRING_EFFECTS } from '../inventory/select-nodes.js';
import { evaluateNode } from '../placement/evaluate-placement.js';
import { alternativesOf, suits, type Attempt } from './attempt.js';
import { conflict, isNodeClass, isOfProvider, mayBeAbsent, requirementsOf } from './label-requirements.js';
import type { GroupReason, NodeGroup, NodeShape } from './node-group.js';

/** From these minor versions on, Karpenter counts the host ports of daemon pods; it does not count those with claims; it counts by instance type. */
const COUNTS_PORTS = 4;
const IGNORES_CLAIMS = 7;
const COUNTS_BY_TYPE = 14;

/**
 * Why Karpenter does not choose a machine that would hold the pod and its daemons: it also counts DaemonSets that would not run there. Up to 1.13 these
 * are all whose requirements the NodePool can meet, whichever labels its instance types have; from 1.14 on, those of them whose requirements the instance
 * type can meet in some zone.
 *
 * Source: sigs.k8s.io/karpenter v1.3.0, v1.4.0, v1.7.0, v1.13.0 and v1.14.1, pkg/controllers/provisioning/scheduling/scheduler.go, `getDaemonOverhead`,
 * `buildDaemonOverheadGroups`, `isDaemonPodCompatible`.
 *
 * @param node the node that would be added, which its filters accept
 */
export function overheadReason(
  state: ClusterState,
  attempt: Attempt,
  shape: NodeShape,
  node: Node,
): GroupReason | undefined {
  const { group } = attempt;
  if (group.kind !== 'NodePool') return undefined;
  const ofType = refusingSets(state, attempt, shape, node, true);
  const isKnown = group.karpenter !== undefined && group.karpenter < COUNTS_BY_TYPE;
  const isByType = group.karpenter !== undefined && !isKnown;
  const sets = ofType.length > 0 || isByType ? ofType : refusingSets(state, attempt, shape, node, false);
  if (sets.length === 0) return undefined;
  const names = sets.map(({ metadata }) => metadata.name).sort();
  const which = ofType.length > 0 ? '' : ` before 1.${COUNTS_BY_TYPE}`;
  return {
    code: 'DaemonOverhead',
    verdict: which === '' || isKnown ? 'infeasible' : 'unknown',
    message: `Karpenter${which} counts DaemonSets that would not run on such a machine (${names.join(', ')}), and the pod does not fit beside them`,
  };
}

/** The DaemonSets that would not run on the node, if the pod does not fit with what Karpenter counts. */
function refusingSets(
  state: ClusterState,
  attempt: Attempt,
  shape: NodeShape,
  node: Node,
  byType: boolean,
): readonly DaemonSet[] {
  const { group, question, gates, daemonSets } = attempt;
  const { karpenter } = group;
  const filters = [
    'NodeResourcesFit',
    ...(karpenter === undefined || karpenter >= COUNTS_PORTS ? ['NodePorts'] : []),
  ].filter((name) => question.filterNames?.includes(name) !== false);
  const counted = daemonSets.sets.filter((set) =>
    isCounted(attempt, set, daemonSets.podOf(set), byType ? shape : undefined),
  );
  const others = counted.filter((set) => !daemonSets.runsOn(set, node));
  if (others.length === 0 || filters.length === 0) return [];
  const grown = state.apply({ upserts: [node, ...counted.map((set) => daemonSets.podOn(set, node))] });
  const asked = { pod: question.pod, gates, filterNames: filters };
  return evaluateNode(grown, asked, grown.nodes.indexOf(node.metadata.name)).verdict === 'feasible' ? [] : others;
}

/** @param shape whose labels count, too; undefined if those of instance types do not */
function isCounted({ group, gates }: Attempt, set: DaemonSet, { spec }: Pod, shape: NodeShape | undefined): boolean {
  const { karpenter, requirements = new Map(), taints } = group;
  if ((karpenter ?? IGNORES_CLAIMS) >= IGNORES_CLAIMS && hasClaims(spec)) return false;
  if (findUntolerated(spec.tolerations ?? [], taints, BARRING_EFFECTS, gates) !== undefined) return false;
  return alternativesOf(set.spec?.template?.spec ?? spec).some((expressions) => {
    const wanted = requirementsOf(expressions, spec.nodeSelector);
    return (
      conflict(requirements, wanted) === undefined &&
      [...wanted].every(([key, values]) => isKnownTo(group, key) || mayBeAbsent(values)) &&
      (shape === undefined || suits(shape, wanted))
    );
  });
}

/** Whether instance types have the label; those by which other cloud providers describe theirs are unknown to Karpenter. */
function isKnownTo({ labels, requirements }: NodeGroup, key: string): boolean {
  if (!isOfProvider(key) || requirements?.has(key) === true) return true;
  const [provider] = Object.keys(labels)
    .filter(isNodeClass)
    .map((label) => label.slice(0, label.indexOf('/')));
  return (LABELS.get(provider ?? '') ?? []).some((domain) => key.startsWith(`${domain}/`));
}

/** The domains of labels of instance types, by the API group of the node class. */
const LABELS: ReadonlyMap<string, readonly string[]> = new Map([
  ['karpenter.k8s.aws', ['karpenter.k8s.aws', 'topology.k8s.aws']],
  ['eks.amazonaws.com', ['eks.amazonaws.com', 'topology.k8s.aws']],
  ['karpenter.azure.com', ['karpenter.azure.com', 'kubernetes.azure.com']],
  ['karpenter.k8s.gcp', ['karpenter.k8s.gcp', 'cloud.google.com']],
]);

const hasClaims = ({ initContainers = [], containers }: Pod['spec']): boolean =>
  [...initContainers, ...containers].some(({ resources }) => (resources?.claims ?? []).length > 0);
