import type { ClusterState } from '../../../cluster/cluster-state.js';
import { controllerOf } from '../../../kubernetes/controller-of.js';
import { compileLabelSelector } from '../../../kubernetes/label-selector.js';
import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { Labels, OwnerReference } from '../../../kubernetes/objects/meta.js';
import type { Pod, TopologySpreadConstraint } from '../../../kubernetes/objects/pod.js';
import type { LabelSelector } from '../../../kubernetes/objects/selectors.js';
import { Requirement } from '../../../kubernetes/requirement.js';
import { selectorOf, type Selector } from '../../../kubernetes/selector.js';
import type { Service } from '../../../kubernetes/objects/service.js';
import type { Assumption } from '../../plugin.js';

export const NAME = 'PodTopologySpread';

export type WhenUnsatisfiable = 'DoNotSchedule' | 'ScheduleAnyway';

/** A spread constraint, read, with what is not given filled in. */
export interface SpreadConstraint {
  /** The place in `spec.topologySpreadConstraints`, or in the defaults. */
  readonly index: number;
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** What pods count, with the pod's own values of `matchLabelKeys`. One without requirements counts none. */
  readonly selector: Selector;
  /** Whether nodes that the pod's node selector or affinity rules out are left out of the count. */
  readonly honorsNodeAffinity: boolean;
  /** Whether nodes with taints that the pod does not tolerate are left out of the count. */
  readonly honorsNodeTaints: boolean;
}

/** A profile's constraints for pods that have none of their own (`PodTopologySpreadArgs.defaultConstraints`); they have no selector. */
export type DefaultConstraint = Omit<TopologySpreadConstraint, 'labelSelector'>;

/** `defaultingType: System`: only preferences, and only for the score. */
export const SYSTEM_DEFAULT_CONSTRAINTS: readonly DefaultConstraint[] = [
  { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
  { maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
];

/** The constraints that apply to a pod; or, where a selector cannot be read, the text that Kubernetes makes of it. */
export type ReadConstraints =
  | {
      readonly constraints: readonly SpreadConstraint[];
      /** Set where they are the profile's and not the pod's. */
      readonly isDefault: boolean;
      readonly assumes?: readonly Assumption[];
    }
  | { readonly message: string };

/**
 * The pod's own constraints of one kind; of the profile's defaults where the pod has no constraints at all.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread, `getConstraints` and
 * `filterTopologySpreadConstraints`; without the gates of `matchLabelKeys` and of the policies, it does not read these.
 */
export function spreadConstraints(
  state: ClusterState,
  pod: Pod,
  when: WhenUnsatisfiable,
  defaults: readonly DefaultConstraint[] = [],
): ReadConstraints {
  const own = pod.spec.topologySpreadConstraints ?? [];
  const labels = pod.metadata.labels ?? {};
  const { rules } = state;
  if (own.length > 0) {
    const read = readConstraints(own, labels, when, rules);
    return 'message' in read ? read : { constraints: read.constraints, isDefault: false };
  }
  const read = readConstraints(defaults, labels, when, rules);
  if ('message' in read || read.constraints.length === 0) return { constraints: [], isDefault: true };
  const selector = defaultSelector(state, pod);
  const assumes = servicesAssumed(state);
  const constraints =
    selector.requirements?.length === 0 ? [] : read.constraints.map((constraint) => ({ ...constraint, selector }));
  return { constraints, isDefault: true, ...(assumes.length === 0 ? {} : { assumes }) };
}

function readConstraints(
  given: readonly TopologySpreadConstraint[],
  labels: Labels,
  when: WhenUnsatisfiable,
  { featureGates }: KubernetesRules,
): { readonly constraints: readonly SpreadConstraint[] } | { readonly message: string } {
  const constraints: SpreadConstraint[] = [];
  const readsKeys = featureGates.MatchLabelKeysInPodTopologySpread;
  const readsPolicies = featureGates.NodeInclusionPolicyInPodTopologySpread;
  for (const [index, constraint] of given.entries()) {
    if (constraint.whenUnsatisfiable !== when) continue;
    const compiled = compileLabelSelector(constraint.labelSelector);
    if ('message' in compiled) return { message: compiled.message };
    constraints.push({
      index,
      topologyKey: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      minDomains: constraint.minDomains ?? 1,
      selector: withMatchLabelKeys(compiled.selector, (readsKeys && constraint.matchLabelKeys) || [], labels),
      honorsNodeAffinity: !readsPolicies || (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorsNodeTaints: readsPolicies && constraint.nodeTaintsPolicy === 'Honor',
    });
  }
  return { constraints };
}

/** A selector that also asks for the pod's own values of some labels; one that selects nothing goes on doing so. */
function withMatchLabelKeys(selector: Selector, keys: readonly string[], labels: Labels): Selector {
  const { requirements } = selector;
  const own = [...new Set(keys)].filter((key) => Object.hasOwn(labels, key));
  if (own.length === 0 || requirements === undefined) return selector;
  return selectorOf([...own.map((key) => new Requirement(key, '=', [labels[key]!])), ...requirements]);
}

/** Without services, default constraints go by controllers alone. */
function servicesAssumed({ loadedKinds }: ClusterState): readonly Assumption[] {
  if (loadedKinds.has('Service')) return [];
  const message =
    'no Service is known, so the default constraints count only the pods that the controller of the pod selects';
  return [{ plugin: NAME, kind: 'Service', message }];
}

/**
 * What the services and the controller of a pod select together, for default constraints: the services of its namespace that select
 * it, and the ReplicationController, ReplicaSet or StatefulSet that it belongs to. A selector without requirements where there is none.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/helper/spread.go, `DefaultSelector`.
 */
export function defaultSelector(state: ClusterState, { metadata }: Pod): Selector {
  const wanted = labelsOfServices(state, metadata);
  const owner = controllerOf(metadata.ownerReferences);
  if (owner === undefined) return selectorOf(equal(wanted));
  const kind = defaultingKind(owner);
  const found = kind === undefined ? undefined : state.find(kind, metadata.namespace, owner.name);
  if (kind === undefined || found === undefined) return selectorOf(equal(wanted));
  const { spec } = found as { readonly spec?: { readonly selector?: unknown } };
  if (kind === 'ReplicationController') {
    for (const [key, value] of Object.entries((spec?.selector ?? {}) as Labels)) wanted.set(key, value);
    return selectorOf(equal(wanted));
  }
  const compiled = compileLabelSelector(spec?.selector as LabelSelector | undefined);
  const own = 'selector' in compiled ? (compiled.selector.requirements ?? []) : [];
  return selectorOf([...equal(wanted), ...own]);
}

const equal = (labels: ReadonlyMap<string, string>): readonly Requirement[] =>
  [...labels].map(([key, value]) => new Requirement(key, '=', [value]));

/** What the services of a list select, by namespace; one list is that of one state. */
const servicesOf = new WeakMap<readonly object[], ReadonlyMap<string, readonly Labels[]>>();

/** The labels that the services which select a pod select by, all of them together. */
function labelsOfServices(state: ClusterState, { namespace = '', labels = {} }: Pod['metadata']): Map<string, string> {
  const services = state.objects('Service') as readonly Service[];
  let byNamespace = servicesOf.get(services);
  if (byNamespace === undefined) servicesOf.set(services, (byNamespace = selectorsByNamespace(services)));
  const selecting = (byNamespace.get(namespace) ?? []).filter((selector) =>
    Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value),
  );
  return new Map(selecting.flatMap((selector) => Object.entries(selector)));
}

function selectorsByNamespace(services: readonly Service[]): ReadonlyMap<string, readonly Labels[]> {
  const byNamespace = new Map<string, Labels[]>();
  for (const { metadata, spec } of services) {
    if (spec?.selector === undefined) continue;
    const { namespace = '' } = metadata;
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), spec.selector]);
  }
  return byNamespace;
}

function defaultingKind({
  apiVersion,
  kind,
}: OwnerReference): 'ReplicationController' | 'ReplicaSet' | 'StatefulSet' | undefined {
  if (apiVersion === 'v1' && kind === 'ReplicationController') return kind;
  if (apiVersion === 'apps/v1' && (kind === 'ReplicaSet' || kind === 'StatefulSet')) return kind;
  return undefined;
}
