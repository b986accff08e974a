import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { AdmissionConfiguration } from '../admission/admission-configuration.js';
import { admitPod, type Refusal } from '../admission/admission-chain.js';
import { admissionIn } from '../admission/admission-in.js';
import type { UndecidedPlugin } from '../admission/undecided-plugins.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { compare } from '../json/compare.js';
import { stringifyJson } from '../json/lossless-json.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from '../kubernetes/node-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { Quantity } from '../kubernetes/quantity.js';
import { knownUsage } from '../quota/quota-standing.js';
import type { QuotaUsage } from '../quota/quota-usage.js';
import { nodeResource } from './node-resource.js';
import type { NodeRoom, NodeRooms } from './node-rooms.js';

/** Pods of a namespace with the same tolerations. */
export interface TolerationGroup {
  /** `new`: the tolerations that admission gives to a pod without its own; `stored`: those of existing pods. */
  readonly of: 'new' | 'stored';
  /** Number of existing pods that have not ended; 0 for `new`. */
  readonly pods: number;
  readonly tolerations: readonly Toleration[];
  /** The node selector that admission adds; empty for `stored`. */
  readonly nodeSelector: Labels;
  readonly nodes: readonly number[];
}

/** One resource of a quota, compared with the nodes that its namespace's pods can use. */
export interface CapacityOfResource extends NodeRoom {
  readonly quota: string;
  readonly resource: string;
  readonly nodeResource: string;
  readonly hard: Quantity;
  /** Undefined if it is not known. */
  readonly used: Quantity | undefined;
  /** The remainder of the quota; undefined if it is not known. */
  readonly quotaFree: Quantity | undefined;
  readonly holds: CapacityHolds;
}

/**
 * - `beyond`: the quota allows more than the nodes have;
 * - `beyondFree`: it leaves more than is free on them;
 * - `within`: neither.
 */
export type CapacityHolds = 'beyond' | 'beyondFree' | 'within';

export const CAPACITY_HOLDS = ['beyond', 'beyondFree', 'within'] as const;

export interface NamespaceCapacity {
  readonly namespace: string;
  /** The most severe of its resources. */
  readonly holds: CapacityHolds;
  readonly groups: readonly TolerationGroup[];
  /** Nodes that pods of at least one group can use. */
  readonly nodes: ReadonlySet<number>;
  readonly resources: readonly CapacityOfResource[];
  /** Why the additions of admission to a new pod are not known: it refuses every pod; undefined otherwise. */
  readonly refusal: Refusal | undefined;
  readonly undecided: readonly UndecidedPlugin[];
}

/** Whether a quota limits a resource that nodes have too. */
export const boundsNodes = ({ quota }: QuotaUsage, rules: KubernetesRules): boolean =>
  Object.keys(quota.spec?.hard ?? {}).some(
    (resource) => nodeResource(resource, rules) !== undefined && resource !== 'pods',
  );

/**
 * Compares the quotas of a namespace with the nodes that its pods can use: those that a new pod without its own
 * tolerations tolerates after admission, and those that existing pods tolerate. The pods' own node selectors are
 * ignored.
 *
 * @param usages of the quotas of the namespace
 * @param pods of the namespace, as indexes
 * @param now in milliseconds since the epoch
 */
export function namespaceCapacity(
  state: ClusterState,
  rooms: NodeRooms,
  {
    namespace,
    usages,
    pods,
    configuration,
    now,
  }: {
    readonly namespace: string;
    readonly usages: readonly QuotaUsage[];
    readonly pods: readonly number[];
    readonly configuration: AdmissionConfiguration;
    readonly now: number;
  },
): NamespaceCapacity {
  const added = givenByAdmission(state, namespace, configuration, now);
  const groups: TolerationGroup[] = [];
  if (added.pod !== undefined) {
    const { tolerations = [], nodeSelector = {} } = added.pod.spec;
    const nodes = withAffinity(state, added.pod, rooms.selected(rooms.nodesFor(tolerations), nodeSelector));
    groups.push({ of: 'new', pods: 0, tolerations, nodeSelector, nodes });
  }
  for (const [set, count] of tolerationSetsOf(state, pods)) {
    const tolerations = state.tolerationSets[set]!;
    groups.push({ of: 'stored', pods: count, tolerations, nodeSelector: {}, nodes: rooms.nodesFor(tolerations) });
  }
  const nodes = new Set(groups.flatMap((group) => group.nodes));
  const resources = usages.flatMap((usage) => resourcesOf(usage, nodes, rooms, state));
  const found = new Set(resources.map(({ holds }) => holds));
  const holds = CAPACITY_HOLDS.find((one) => found.has(one)) ?? 'within';
  return { namespace, holds, groups, nodes, resources, refusal: added.refusal, undecided: added.undecided };
}

/** The nodes that match the affinity that pools add to their users' pods. */
function withAffinity({ nodes: table }: ClusterState, { spec }: Pod, nodes: readonly number[]): readonly number[] {
  if (spec.affinity === undefined) return nodes;
  const required = requiredNodeAffinity({ spec });
  return nodes.filter((node) => matchRequiredNodeAffinity(required, table.node(node)).matches);
}

/** Most frequent first, then by their tolerations as JSON. */
function tolerationSetsOf(
  { pods: table, tolerationSets }: ClusterState,
  pods: readonly number[],
): readonly (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const pod of pods) {
    if (!table.active(pod)) continue;
    const set = table.tolerationSetId(pod);
    counts.set(set, (counts.get(set) ?? 0) + 1);
  }
  const textOf = (set: number): string => stringifyJson(tolerationSets[set]!);
  return [...counts].sort(([a, one], [b, other]) => other - one || compare(textOf(a), textOf(b)));
}

const WEBHOOKS = 'MutatingAdmissionWebhook';

/** The plugins that affect where new pods of a namespace can run. */
const PLACING: ReadonlySet<string> = new Set([
  'PodNodeSelector',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  // The pools, and webhooks that are called.
  WEBHOOKS,
]);

function givenByAdmission(
  state: ClusterState,
  namespace: string,
  configuration: AdmissionConfiguration,
  now: number,
): { readonly pod?: Pod; readonly refusal: Refusal | undefined; readonly undecided: readonly UndecidedPlugin[] } {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: 'new' },
    // Not BestEffort, because it stands for resources that a quota limits.
    spec: { containers: [{ name: 'new', resources: { requests: { cpu: '1', memory: '1Mi' } } }] },
  };
  const plugins = configuration.plugins.filter((plugin) => PLACING.has(plugin));
  const into = { ...admissionIn(state, namespace, { now }), configuration: { ...configuration, plugins } };
  const admission = admitPod({ operation: 'create', pod, known: 'kept' }, into);
  // Which webhooks there are need not be known.
  const undecided = admission.undecided.filter(
    ({ plugin, missingKind }) => plugin !== WEBHOOKS || missingKind === null,
  );
  return admission.outcome === 'admitted'
    ? { pod: admission.pod, refusal: undefined, undecided }
    : { refusal: admission.refusal, undecided };
}

function resourcesOf(
  usage: QuotaUsage,
  nodes: ReadonlySet<number>,
  rooms: NodeRooms,
  state: ClusterState,
): CapacityOfResource[] {
  return usage.resources().flatMap((one) => {
    const { resource, hard } = one;
    const onNodes = nodeResource(resource, state.rules);
    if (onNodes === undefined) return [];
    const { used } = knownUsage(one, state);
    const quotaFree = used === undefined ? undefined : hard.sub(used);
    const room = rooms.roomOf(nodes, onNodes);
    const holds: CapacityHolds =
      hard.cmp(room.allocatable) > 0
        ? 'beyond'
        : quotaFree !== undefined && quotaFree.cmp(room.free) > 0
          ? 'beyondFree'
          : 'within';
    return [
      { quota: usage.quota.metadata.name, resource, nodeResource: onNodes, hard, used, quotaFree, holds, ...room },
    ];
  });
}

/** Pending pods of a namespace that are equal in everything that decides where they can run. */
export interface WaitingPods {
  /** Indexes, by name. */
  readonly pods: readonly number[];
}

/**
 * The pods of a namespace that are bound to no node, have not ended and are not being deleted; the largest groups
 * first.
 */
export function waitingPods({ pods: table }: ClusterState, pods: readonly number[]): readonly WaitingPods[] {
  const bySpec = new Map<number, number[]>();
  for (const pod of pods) {
    if (table.nodeName(pod) !== '' || !table.active(pod) || table.terminating(pod)) continue;
    const spec = table.specId(pod);
    const known = bySpec.get(spec);
    if (known === undefined) bySpec.set(spec, [pod]);
    else known.push(pod);
  }
  return [...bySpec.values()]
    .map((group) => ({ pods: group.sort((a, b) => compare(table.name(a), table.name(b))) }))
    .sort((a, b) => b.pods.length - a.pods.length || compare(table.name(a.pods[0]!), table.name(b.pods[0]!)));
}
