import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { millisecondsOf } from '../kubernetes/moment.js';
import type { Lease } from '../kubernetes/objects/lease.js';
import type { Condition } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { explainTaintChange } from './explain-taint-change.js';
import type { LifecycleParameters } from './lifecycle-parameters.js';
import type { LifecycleEvent, LifecycleNode, LifecycleTimeline, TaintCause } from './lifecycle-timeline.js';
import { readyStatus } from './node-health.js';
import { outageEvents } from './outage-events.js';
import { simulateLifecycle } from './simulate-lifecycle.js';
import { zoneKey, zoneName } from './zone-key.js';
import type { ZoneState } from './zone-state.js';

/** Nodes that fail together. Times are milliseconds since 1970. */
export interface Outage {
  /** By index in the state. */
  readonly nodes: readonly number[];
  readonly fromAt: number;
  /** When they recover, with Ready True; absent if they never do. */
  readonly untilAt?: number;
  /** `silent`: the kubelet is unreachable, and updates neither status nor lease. `notReady`: it reports Ready False. */
  readonly how: 'silent' | 'notReady';
}

export interface OutageOptions {
  /** Checked by `checkLifecycleParameters` to have no errors. */
  readonly parameters: LifecycleParameters;
  /**
   * Time of the controller's first pass, in ms after `fromAt`: at least 0, less than the period. Not observable from
   * outside.
   */
  readonly phaseMs: number;
  /** The simulated interval; an outage that began earlier is simulated from its beginning. */
  readonly fromAt: number;
  readonly untilAt: number;
}

/** A node's taints from a time on. */
export interface OutageChange {
  readonly at: number;
  /** By index in the state. */
  readonly node: number;
  /** The complete list. */
  readonly taints: readonly Taint[];
  readonly added: readonly Taint[];
  readonly removed: readonly Taint[];
  readonly cause: TaintCause;
  readonly why: string;
}

/** A zone and its counts in the controller. */
export interface OutageZone {
  /** `region/zone`, or whichever of the two labels exists; empty for nodes without either. */
  readonly zone: string;
  readonly nodes: number;
  /** Number of nodes that are part of an outage. */
  readonly failing: number;
  readonly states: readonly {
    readonly at: number;
    readonly state: Exclude<ZoneState, 'Initial'>;
    readonly readyNodes: number;
    readonly notReadyNodes: number;
    /** Nodes per second that get their NoExecute taint; zero if none do. */
    readonly ratePerSecond: number;
  }[];
}

export interface OutageTimeline {
  /** In chronological order. */
  readonly changes: readonly OutageChange[];
  /** In chronological order; Ready as the API shows it, whoever wrote it. */
  readonly conditionChanges: readonly { readonly at: number; readonly node: number; readonly ready: string }[];
  readonly zones: readonly OutageZone[];
  /** The nodes that still wait for their NoExecute taint at the end. */
  readonly queued: readonly { readonly node: number; readonly zone: string; readonly since: number }[];
  /**
   * The silent nodes whose stored lease or Ready condition is later than the beginning of their outage: their silence
   * begins at that time.
   */
  readonly laterHeartbeats: readonly {
    readonly node: number;
    readonly at: number;
    readonly from: 'lease' | 'condition';
  }[];
}

const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-disruption';
const NODES_A_SLICE = 500;

/**
 * What the node lifecycle controller does to the nodes of a cluster while some of them fail, step by step.
 *
 * Assumes that the controller runs throughout, and that every node outside the outages stays as it is stored, with
 * heartbeats. The last heartbeat of a silent node is at the beginning of its outage, unless its lease or its Ready
 * condition is stored with a later one. A node that is stored without any condition counts as ready. Differences
 * between the stored taints and those that the controller would set are corrected at the beginning.
 *
 * Nodes of a zone that wait together are served by index. The controller's own order is random, so for each turn only
 * the time is certain, not the node. Turns are exactly one interval of the rate apart; real ones come up to 0.1 s
 * later, each counting from the one before.
 *
 * Source: see `simulateLifecycle`.
 */
export function* stepOutage(
  state: ClusterState,
  outages: readonly Outage[],
  options: OutageOptions,
): Generator<undefined, OutageTimeline> {
  const prepared = yield* stepPreparedOutage(state, outages);
  const { nodes, laterHeartbeats } = prepared;
  const timeline = yield* stepPreparedTimeline(prepared, options);
  return { ...(yield* indexed(nodes, timeline)), zones: zonesOf(nodes, outages, timeline), laterHeartbeats };
}

/** The events of outages, which are the same for every phase of the controller's passes. */
export interface PreparedOutage extends Pick<OutageTimeline, 'laterHeartbeats'> {
  /** By index in the state. */
  readonly nodes: readonly LifecycleNode[];
  readonly events: readonly LifecycleEvent[];
  readonly rules: KubernetesRules;
}

export function* stepPreparedOutage(
  state: ClusterState,
  outages: readonly Outage[],
): Generator<undefined, PreparedOutage> {
  const nodes = yield* lifecycleNodes(state);
  const heartbeatAfter = (node: number, after: number) => lastHeartbeat(state, node, after);
  return { nodes, rules: state.rules, ...(yield* outageEvents(nodes, outages, heartbeatAfter)) };
}

/** The controller's actions, with nodes by name. */
export function stepPreparedTimeline(
  { nodes, events, rules }: PreparedOutage,
  { parameters, phaseMs, fromAt, untilAt }: OutageOptions,
): Generator<undefined, LifecycleTimeline> {
  return simulateLifecycle({ nodes, events, parameters, phaseMs, fromAt, untilAt, rules });
}

function* lifecycleNodes(state: ClusterState): Generator<undefined, readonly LifecycleNode[]> {
  const nodes: LifecycleNode[] = [];
  for (let index = 0; index < state.nodes.count; index++) {
    const { metadata, spec, status } = state.nodes.node(index);
    const labels = metadata.labels ?? {};
    const created = millisecondsOf(metadata.creationTimestamp);
    const conditions = status?.conditions ?? [];
    nodes.push({
      name: metadata.name,
      zone: zoneKey(labels),
      ...defined({ createdAt: created }),
      conditions: conditions.length > 0 ? conditions : ASSUMED,
      taints: spec?.taints ?? [],
      unschedulable: spec?.unschedulable ?? false,
      heartbeats: true,
      excluded: Object.hasOwn(labels, EXCLUDED_LABEL),
    });
    if (index % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
  }
  return nodes;
}

const ASSUMED: readonly Condition[] = [{ type: 'Ready', status: 'True' }];

/** The latest of a node's stored heartbeats, if it is later than a given time. */
function lastHeartbeat(
  state: ClusterState,
  node: number,
  after: number,
): { readonly at: number; readonly from: 'lease' | 'condition' } | undefined {
  const lease = state.find('Lease', 'kube-node-lease', state.nodes.name(node)) as Lease | undefined;
  const ready = state.nodes.node(node).status?.conditions?.find(({ type }) => type === 'Ready');
  const renewedAt = millisecondsOf(lease?.spec?.renewTime) ?? Number.NEGATIVE_INFINITY;
  const postedAt = millisecondsOf(ready?.lastHeartbeatTime) ?? Number.NEGATIVE_INFINITY;
  if (Math.max(renewedAt, postedAt) <= after) return undefined;
  return renewedAt >= postedAt ? { at: renewedAt, from: 'lease' } : { at: postedAt, from: 'condition' };
}

function* indexed(
  nodes: readonly LifecycleNode[],
  timeline: LifecycleTimeline,
): Generator<undefined, Pick<OutageTimeline, 'changes' | 'conditionChanges' | 'queued'>> {
  const indices = new Map(nodes.map(({ name }, index) => [name, index]));
  const rates = new Map<string, number>();
  let nextZone = 0;
  const changes: OutageChange[] = [];
  for (const change of timeline.changes) {
    for (; (timeline.zoneChanges[nextZone]?.at ?? Infinity) <= change.at; nextZone++) {
      const { zone, ratePerSecond } = timeline.zoneChanges[nextZone]!;
      rates.set(zone, ratePerSecond);
    }
    const node = indices.get(change.node)!;
    const { zone } = nodes[node]!;
    changes.push({ ...change, node, why: explainTaintChange(change, zone, rates.get(zone) ?? 0) });
    if (changes.length % NODES_A_SLICE === 0) yield undefined;
  }
  const ready = nodes.map(({ conditions }) => readyStatus(conditions));
  const conditionChanges: { at: number; node: number; ready: string }[] = [];
  for (const [place, { at, node: name, conditions }] of timeline.conditionChanges.entries()) {
    if (place % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    const node = indices.get(name)!;
    const is = readyStatus(conditions);
    if (is === undefined || is === ready[node]) continue;
    ready[node] = is;
    conditionChanges.push({ at, node, ready: is });
  }
  const queued = timeline.queued.map(({ node, zone, since }) => ({
    node: indices.get(node)!,
    zone: zoneName(zone),
    since,
  }));
  return { changes, conditionChanges, queued };
}

function zonesOf(
  nodes: readonly LifecycleNode[],
  outages: readonly Outage[],
  { zoneChanges }: LifecycleTimeline,
): readonly OutageZone[] {
  const failing = new Set<number>();
  for (const outage of outages) for (const node of outage.nodes) failing.add(node);
  const zones = new Map<string, { nodes: number; failing: number; states: OutageZone['states'][number][] }>();
  for (const [index, { zone: key }] of nodes.entries()) {
    const zone = zones.get(key) ?? { nodes: 0, failing: 0, states: [] };
    zones.set(key, zone);
    zone.nodes += 1;
    if (failing.has(index)) zone.failing += 1;
  }
  for (const { zone, at, state, readyNodes, notReadyNodes, ratePerSecond } of zoneChanges) {
    if (state !== 'Initial') zones.get(zone)?.states.push({ at, state, readyNodes, notReadyNodes, ratePerSecond });
  }
  return [...zones].map(([key, zone]) => ({ zone: zoneName(key), ...zone }));
}
