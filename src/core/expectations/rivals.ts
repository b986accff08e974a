import type { ClusterState } from '../cluster/cluster-state.js';
import { gatesOf, findUntolerated } from '../kubernetes/toleration.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { BARRING_EFFECTS } from '../inventory/select-nodes.js';
import { schedulerRequest } from '../resources/request-vector.js';
import { unbound } from '../scenario/pod-place.js';
import { isReplaced } from '../scenario/remove-nodes.js';
import { roomByNode } from '../scheduling/capacity/node-rooms.js';
import { DEFAULT_SCHEDULER } from '../scheduling/queue/queued-work.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';
import type { Loss } from './lost-nodes.js';

/** The pods of one scheduler that look for a node after a loss: those that lose theirs and are replaced, and those that wait. */
export interface Rivals {
  /** As indexes into the state before. */
  readonly byPriority: ReadonlyMap<number, readonly number[]>;
  readonly among: ReadonlySet<number>;
  /** The same, by what distinguishes them for `haveRoom`. */
  readonly groups: readonly RivalGroup[];
}

interface RivalGroup {
  readonly namespace: string;
  readonly specId: number;
  readonly requestId: number;
  readonly tolerationSetId: number;
  readonly pods: number[];
  readonly demand: Demand;
  /** Whether its pods keep others of its namespace, or of any, off their node. */
  readonly repels: 'none' | 'own' | 'any';
}

/** The rivals of a loss, sorted out once. */
export function* rivalsIn(state: ClusterState, loss: Loss, schedulerName: string): Generator<undefined, Rivals> {
  let rivals = loss.rivals.get(schedulerName);
  if (rivals === undefined) loss.rivals.set(schedulerName, (rivals = yield* find(state, loss, schedulerName)));
  return rivals;
}

function* find({ nodes, pods, rules }: ClusterState, loss: Loss, schedulerName: string): Generator<undefined, Rivals> {
  const found: number[] = [];
  const isOfScheduler = (index: number): boolean =>
    pods.active(index) &&
    !pods.terminating(index) &&
    (pods.specOf(pods.specId(index)).schedulerName ?? DEFAULT_SCHEDULER) === schedulerName;
  for (const node of loss.nodes) {
    yield undefined;
    for (const index of nodes.podsOf(node)) if (isOfScheduler(index) && isReplaced(pods.pod(index))) found.push(index);
  }
  for (let index = 0; index < pods.count; index++) {
    if (index % 1024 === 0) yield undefined;
    if (pods.nodeName(index) === '' && isOfScheduler(index)) found.push(index);
  }
  const groups = new Map<string, RivalGroup>();
  for (const index of found) {
    const [namespace, specId] = [pods.namespace(index), pods.specId(index)];
    const [requestId, tolerationSetId] = [pods.requestId(index), pods.tolerationSetId(index)];
    const key = `${specId} ${requestId} ${namespace}`;
    let group = groups.get(key);
    if (group === undefined) {
      const terms = pods.requiredAntiAffinity(index);
      const isOwn = terms.every((term) => (term.namespaces ?? []).length === 0 && term.namespaceSelector === undefined);
      const repels = terms.length === 0 ? 'none' : isOwn ? 'own' : 'any';
      const demand = demandOf(pods.pod(index), rules);
      groups.set(key, (group = { namespace, specId, requestId, tolerationSetId, pods: [], demand, repels }));
    }
    group.pods.push(index);
  }
  const byPriority = new Map<number, number[]>();
  for (const index of found) {
    const list = byPriority.get(pods.priority(index));
    if (list === undefined) byPriority.set(pods.priority(index), [index]);
    else list.push(index);
  }
  return { byPriority, among: new Set(found), groups: [...groups.values()] };
}

/**
 * Whether replicas find a node after the loss wherever all rivals go, in whatever order: each rival takes at most as many places
 * of a node as its requests exceed those of a replica, rounded up. So there is room for sure if what is left suffices. False
 * means that this is not certain, not that there is no room.
 */
export function haveRoom(
  state: ClusterState,
  loss: Loss,
  rivals: Rivals,
  own: readonly number[],
  profile: SchedulingProfile,
): boolean {
  const { pods } = state;
  const classes = new Map<string, number[]>();
  for (const index of own) {
    const key = `${pods.specId(index)} ${pods.requestId(index)} ${pods.labelSetId(index)} ${pods.namespace(index)}`;
    const members = classes.get(key);
    if (members === undefined) classes.set(key, [index]);
    else members.push(index);
  }
  return [...classes.values()].every((members) => hasRoom(state, loss, rivals, members, profile));
}

function hasRoom(
  state: ClusterState,
  loss: Loss,
  { groups }: Rivals,
  members: readonly number[],
  profile: SchedulingProfile,
): boolean {
  const { pods, tolerationSets } = state;
  const pod = unbound(pods.pod(members[0]!));
  const { namespace = '' } = pod.metadata;
  const room = roomByNode(loss.state, { pod, profile, unknowns: [] });
  if (room === undefined || room.total < members.length) return false;
  const demand = demandOf(pod, state.rules);
  const gates = gatesOf(state.rules);
  const taintSets = new Set<number>();
  const { nodes } = loss.state;
  for (let node = 0; node < nodes.count; node++) if (room.replicas[node]! > 0) taintSets.add(nodes.taintSetId(node));
  const open = new Map<number, boolean>();
  const canReach = (setId: number): boolean => {
    let known = open.get(setId);
    if (known === undefined) {
      const tolerations = tolerationSets[setId]!;
      known = [...taintSets].some(
        (id) => findUntolerated(tolerations, loss.state.taintSets[id]!, BARRING_EFFECTS, gates) === undefined,
      );
      open.set(setId, known);
    }
    return known;
  };
  const specId = pods.specId(members[0]!);
  let left = room.total;
  for (const group of groups) {
    if (!canReach(group.tolerationSetId)) continue;
    const isMine = group.specId === specId && group.namespace === namespace;
    const count = group.pods.length - (isMine ? group.pods.filter((index) => members.includes(index)).length : 0);
    if (count === 0) continue;
    // It may keep replicas off its node.
    if (group.repels === 'any' || (group.repels === 'own' && group.namespace === namespace)) return false;
    left -= count * places(group.demand, demand);
    if (left < members.length) return false;
  }
  return true;
}

type Demand = ReadonlyMap<string, bigint>;

function demandOf(pod: Pod, rules: KubernetesRules): Demand {
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod, rules);
  return new Map([
    ['pods', 1n],
    ['cpu', milliCPU],
    ['memory', memory],
    ['ephemeral-storage', ephemeralStorage],
    ...scalars,
  ]);
}

/** How many replicas fewer fit on a node at most once a rival is there. */
function places(rival: Demand, replica: Demand): number {
  let most = 0;
  for (const [resource, amount] of replica) {
    if (amount === 0n) continue;
    const taken = rival.get(resource) ?? 0n;
    most = Math.max(most, Number((taken + amount - 1n) / amount));
  }
  return most;
}
