import { ClusterState } from '../../cluster/cluster-state.js';
import { sameValue } from '../../json/same-value.js';
import { matchNodeSelector, matchRequiredNodeAffinity, requiredNodeAffinity } from '../../kubernetes/node-selector.js';
import type { ResourceList } from '../../kubernetes/objects/meta.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { decodeQuantity } from '../../kubernetes/quantity.js';
import { findUntolerated } from '../../kubernetes/toleration.js';
import { evaluateNode, evaluatePlacement } from '../../placement/evaluate-placement.js';
import type { FilterPlugin } from '../../placement/plugin.js';
import { delegatedResources } from '../../placement/plugins/dynamic-resources/delegated-resources.js';
import { NAME as DYNAMIC_RESOURCES } from '../../placement/plugins/dynamic-resources/dynamic-resources.js';
import { NAME as POD_AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { NAME as NODE_AFFINITY, nodeAffinity } from '../../placement/plugins/node-affinity/node-affinity.js';
import { NAME as FEATURES } from '../../placement/plugins/node-declared-features/node-declared-features.js';
import { NAME as NODE_NAME, nodeName } from '../../placement/plugins/node-name/node-name.js';
import { NAME as PORTS, nodePorts } from '../../placement/plugins/node-ports/node-ports.js';
import { NAME as FIT, nodeResourcesFit } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as UNSCHEDULABLE } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { spreadConstraints } from '../../placement/plugins/pod-topology-spread/constraints.js';
import { NAME as SPREAD } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { NAME as TAINTS, untoleratedTaints } from '../../placement/plugins/taint-toleration/taint-toleration.js';
import { NAME as VOLUME_BINDING } from '../../placement/plugins/volume-binding/volume-binding.js';
import { NAME as VOLUME_RESTRICTIONS } from '../../placement/plugins/volume-restrictions/volume-restrictions.js';
import { NAME as VOLUME_ZONE } from '../../placement/plugins/volume-zone/volume-zone.js';
import { allocatableVector, schedulerRequest } from '../../resources/request-vector.js';
import type { SchedulingProfile } from '../../scheduling/schedule-pod.js';

/** What a change of a node is to the scheduling queue: the action types of the resource Node. */
type NodeEvent =
  | 'UpdateNodeAllocatable'
  | 'UpdateNodeLabel'
  | 'UpdateNodeTaint'
  | 'UpdateNodeCondition'
  | 'UpdateNodeAnnotation'
  | 'UpdateNodeDeclaredFeature';

/**
 * What happened to a node. A cordon that ends is a change of taints.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/events.go, `NodeSchedulingPropertiesChange`.
 */
export function nodeEvents(before: Node, after: Node): ReadonlySet<NodeEvent> {
  const events = new Set<NodeEvent>();
  if (isCordoned(before) && !isCordoned(after)) events.add('UpdateNodeTaint');
  if (!sameAmounts(before.status?.allocatable, after.status?.allocatable)) events.add('UpdateNodeAllocatable');
  if (!sameValue(before.metadata.labels ?? {}, after.metadata.labels ?? {})) events.add('UpdateNodeLabel');
  if (!sameTaints(before, after)) events.add('UpdateNodeTaint');
  if (!sameValue(statuses(before), statuses(after))) events.add('UpdateNodeCondition');
  if (!sameValue(before.metadata.annotations ?? {}, after.metadata.annotations ?? {})) {
    events.add('UpdateNodeAnnotation');
  }
  if (!sameValue(before.status?.declaredFeatures ?? [], after.status?.declaredFeatures ?? [])) {
    events.add('UpdateNodeDeclaredFeature');
  }
  return events;
}

const isCordoned = ({ spec }: Node): boolean => spec?.unschedulable === true;

const sameTaints = (a: Node, b: Node): boolean => sameValue(a.spec?.taints ?? [], b.spec?.taints ?? []);

const statuses = ({ status }: Node): object =>
  Object.fromEntries((status?.conditions ?? []).map((condition) => [condition.type, condition.status]));

function sameAmounts(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && decodeQuantity(a[name]!).cmp(decodeQuantity(b[name]!)) === 0)
  );
}

/** What a hint is asked about. */
interface NodeChange {
  readonly state: ClusterState;
  readonly pod: Pod;
  readonly profile: Pick<SchedulingProfile, 'args' | 'gates'>;
  readonly before: Node;
  readonly after: Node;
}

interface Registration {
  /** Those of the plugin's `EventsToRegister`; an event of an added node is not asked about here. */
  readonly events: readonly NodeEvent[];
  /** Whether the pod may be schedulable now; absent if it always may be. */
  readonly hint?: (change: NodeChange) => boolean;
}

/** What each filter registers for nodes; NodeVolumeLimits registers nothing. */
const REGISTRATIONS: ReadonlyMap<string, Registration> = new Map<string, Registration>([
  [NODE_AFFINITY, { events: ['UpdateNodeLabel'], hint: isNodeAffinityMetNow }],
  [TAINTS, { events: ['UpdateNodeTaint'], hint: areTaintsToleratedNow }],
  [
    UNSCHEDULABLE,
    { events: ['UpdateNodeTaint'], hint: ({ before, after }) => isCordoned(before) && !isCordoned(after) },
  ],
  [FIT, { events: ['UpdateNodeAllocatable'], hint: fitsByMoreThanBefore }],
  [POD_AFFINITY, { events: ['UpdateNodeLabel'], hint: isInAnotherDomain }],
  [SPREAD, { events: ['UpdateNodeLabel', 'UpdateNodeTaint'], hint: isSpreadDifferently }],
  [
    FEATURES,
    {
      events: ['UpdateNodeDeclaredFeature'],
      hint: ({ before, after }) =>
        !sameValue(before.status?.declaredFeatures ?? [], after.status?.declaredFeatures ?? []),
    },
  ],
  [NODE_NAME, { events: [] }],
  [PORTS, { events: [] }],
  [VOLUME_RESTRICTIONS, { events: [] }],
  [VOLUME_BINDING, { events: ['UpdateNodeLabel'] }],
  [VOLUME_ZONE, { events: ['UpdateNodeLabel'] }],
  [DYNAMIC_RESOURCES, { events: ['UpdateNodeLabel', 'UpdateNodeAllocatable'] }],
]);

/**
 * Whether a pod that waits is tried again after a node has changed.
 *
 * Every plugin that registers for added nodes, which all of these do, and not for changed taints is asked after a change of taints too,
 * and then always has the pod tried again.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/scheduler.go, `buildQueueingHintMap`, and of each plugin `EventsToRegister` and
 * `isSchedulableAfterNodeChange`.
 *
 * @param refusedBy names of filters; none if the last attempt ended with an error, after which every event has the pod tried again
 */
export function wakesAfterNodeChange(refusedBy: ReadonlySet<string>, change: NodeChange): boolean {
  const events = nodeEvents(change.before, change.after);
  const { minor } = change.state.rules;
  if (minor < HINTS_SINCE && !isAdmitted(change)) return false;
  if (refusedBy.size === 0) return events.size > 0;
  for (const name of refusedBy) {
    const registration = REGISTRATIONS.get(name);
    if (registration === undefined) continue;
    const { events: registered, hint } = registration;
    if (events.has('UpdateNodeTaint') && !registered.includes('UpdateNodeTaint')) return true;
    if (!registered.some((event) => events.has(event))) continue;
    if (minor < HINTS_SINCE || hint === undefined || hint(change)) return true;
  }
  return false;
}

/** `SchedulerQueueingHints` is on since 1.32. */
const HINTS_SINCE = 32;

/** What `AdmissionCheck` asks of a node. */
const CHECKED: readonly FilterPlugin[] = [nodeResourcesFit, nodeAffinity, nodeName, nodePorts];

/**
 * Whether the changed node could take the pod as it is, without which a version that asks for no hints does not try the pod again.
 *
 * Source: k8s.io/kubernetes v1.31.14, pkg/scheduler/eventhandlers.go, `preCheckForNode`.
 */
function isAdmitted({ state, pod, profile: { gates }, after }: NodeChange): boolean {
  const { tolerations = [] } = pod.spec;
  if (findUntolerated(tolerations, after.spec?.taints ?? [], ['NoSchedule'], gates) !== undefined) return false;
  const node = state.nodes.indexOf(after.metadata.name);
  return node < 0 || evaluateNode(state, { pod, filters: CHECKED, gates }, node).verdict === 'feasible';
}

/** The scheduler's own required affinity, if there is any, must be met; the pod's must be met now and have been unmet. */
function isNodeAffinityMetNow({ pod, profile, before, after }: NodeChange): boolean {
  const added = profile.args.nodeAffinity.addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (added !== undefined && !matchNodeSelector(added, after).matches) return false;
  const required = requiredNodeAffinity(pod);
  const [now, then] = [matchRequiredNodeAffinity(required, after), matchRequiredNodeAffinity(required, before)];
  // Upstream tries the pod again if a term cannot be read.
  if (!now.matches) return now.errors !== undefined;
  return !then.matches;
}

function areTaintsToleratedNow({ pod, profile, before, after }: NodeChange): boolean {
  const { tolerations = [] } = pod.spec;
  const isTolerated = ({ spec }: Node): boolean =>
    untoleratedTaints(spec?.taints ?? [], tolerations, profile.gates).length === 0;
  return isTolerated(after) && !isTolerated(before);
}

/** Whether the pod would fit on the node if that were empty, and the node has more of what the pod requests (`haveAnyRequestedResourcesIncreased`). */
function fitsByMoreThanBefore({ state, pod, profile, before, after }: NodeChange): boolean {
  const classes = state.loadedKinds.has('DeviceClass') ? state.objects('DeviceClass') : undefined;
  const alone = ClusterState.build(
    [after, ...(classes ?? [])],
    ['Node', 'Pod', ...(classes === undefined ? [] : (['DeviceClass'] as const))],
    state.rules,
  );
  const { counts } = evaluatePlacement(alone, { pod, filters: [nodeResourcesFit], gates: profile.gates });
  if (counts.infeasible > 0) return false;
  const [then, now] = [allocatableVector(before.status?.allocatable), allocatableVector(after.status?.allocatable)];
  if (now.pods > then.pods) return true;
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod, state.rules);
  if (
    (milliCPU > 0n && now.milliCPU > then.milliCPU) ||
    (memory > 0n && now.memory > then.memory) ||
    (ephemeralStorage > 0n && now.ephemeralStorage > then.ephemeralStorage)
  ) {
    return true;
  }
  const requested = [...scalars].flatMap(([name, amount]) => (amount === 0n ? [] : [name]));
  const delegated = delegatedResources(alone, requested);
  const amountOf = ({ scalars: amounts }: typeof now, name: string): bigint => amounts.get(name) ?? 0n;
  return requested.some(
    (name) => amountOf(now, name) > amountOf(then, name) || (amountOf(now, name) === 0n && delegated.has(name)),
  );
}

/** Whether the node has come to a domain of the pod's affinity, or has left one of its anti-affinity. */
function isInAnotherDomain({ pod, before, after }: NodeChange): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const domainsOf = (key: string): readonly (string | undefined)[] =>
    [before, after].map(({ metadata: { labels = {} } }) => (Object.hasOwn(labels, key) ? labels[key] : undefined));
  const attracting = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const repelling = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return (
    attracting.some(({ topologyKey }) => {
      const [then, now] = domainsOf(topologyKey);
      return now !== undefined && now !== then;
    }) ||
    repelling.some(({ topologyKey }) => {
      const [then, now] = domainsOf(topologyKey);
      return then !== undefined && now !== then;
    })
  );
}

function isSpreadDifferently({ state, pod, profile, before, after }: NodeChange): boolean {
  const { defaultingType, defaultConstraints } = profile.args.podTopologySpread;
  const defaults = defaultingType === 'List' ? defaultConstraints : [];
  const read = spreadConstraints(state, pod, 'DoNotSchedule', defaults);
  // Upstream tries the pod again if a selector cannot be read.
  if ('message' in read) return true;
  const keys = read.constraints.map(({ topologyKey }) => topologyKey);
  const [then, now] = [before.metadata.labels ?? {}, after.metadata.labels ?? {}];
  const [counted, counts] = [then, now].map((labels) => keys.every((key) => Object.hasOwn(labels, key)));
  if (counted !== counts) return true;
  return counts === true && (keys.some((key) => then[key] !== now[key]) || !sameTaints(before, after));
}
