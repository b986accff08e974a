import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import { FirstFew, type Listed } from '../collections/first-few.js';
import type { KnownMoment } from '../eviction/known-moment.js';
import { workloadKey } from '../inventory/pod-groups.js';
import { compare } from '../json/compare.js';
import type { PodOutcome } from './fold-pod.js';
import { actionOf, type PodAction } from './pod-action.js';
import type { Schedule } from './step-schedule.js';

export interface ActionCounts extends Readonly<Record<PodAction, number>> {
  /** All pods on the nodes of the schedule, including nodes without a NoExecute taint. */
  readonly pods: number;
}

/** The number of pods that leave at one moment. */
export interface MomentCount {
  readonly at: KnownMoment;
  readonly pods: number;
}

/**
 * The number of pods whose latest leaving time is within one minute; `minute` is its beginning in milliseconds since the
 * epoch.
 */
export interface MinuteCount {
  readonly minute: number;
  readonly pods: number;
}

export interface NodeSchedule extends Readonly<Record<PodAction, number>> {
  /** Index into `state.nodes`. */
  readonly node: number;
  /** When the first and the last pod leave, by the latest moment; null if none does. */
  readonly first: KnownMoment | null;
  readonly last: KnownMoment | null;
}

/** Counts the pods of a workload that have not ended. */
export interface WorkloadSchedule {
  readonly workload: Workload;
  /** Its pods on any node that have not ended and are not being deleted. */
  readonly replicas: number;
  readonly now: number;
  readonly at: number;
  /** When the workload loses its first replica. */
  readonly firstLoss: KnownMoment;
  /** When its last replica leaves; null if some stay. */
  readonly lastReplica: KnownMoment | null;
}

export interface ScheduleSummary {
  readonly counts: ActionCounts;
  /** In order of time. */
  readonly moments: Listed<MomentCount>;
  readonly minutes: Listed<MinuteCount>;
  /** In order of the first pod that leaves; nodes that no pod leaves are omitted. */
  readonly nodes: Listed<NodeSchedule>;
  readonly workloads: Listed<WorkloadSchedule>;
}

/** Few: the first look at the controller of a pod may read many objects of an image. */
const STRIDE = 64;
const MINUTE_MS = 60_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface WorkloadTally {
  readonly workload: Workload;
  now: number;
  at: number;
  firstLoss: KnownMoment;
  lastLoss: KnownMoment;
}

/**
 * A schedule counted by time, minute, node and workload. Each list is cut to a maximum length, but all its items are counted.
 * A generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* stepScheduleSummary(
  state: ClusterState,
  schedule: Schedule,
  {
    asOf,
    mostListed,
    mostMinutes,
  }: { readonly asOf: number; readonly mostListed: number; readonly mostMinutes: number },
): Generator<undefined, ScheduleSummary> {
  const { pods } = state;
  const counts = { marked: 0, now: 0, at: 0, never: 0, pods: schedule.looked };
  const leaving = new Map<PodOutcome, number>();
  const nodes: Mutable<NodeSchedule>[] = [];
  const workloads = new WorkloadTallies();
  let ofNode: Mutable<NodeSchedule> | undefined;
  for (let row = 0; row < schedule.pods.length; row++) {
    if (row % STRIDE === STRIDE - 1) yield undefined;
    const pod = schedule.pods[row]!;
    const outcome = schedule.outcomes[row]!;
    const action = actionOf(outcome, pods.terminating(pod), asOf);
    counts[action]++;
    const node = pods.nodeIndex(pod);
    if (ofNode?.node !== node) {
      nodes.push((ofNode = { node, marked: 0, now: 0, at: 0, never: 0, first: null, last: null }));
    }
    ofNode[action]++;
    if ((action !== 'now' && action !== 'at') || outcome.at === null) continue;
    const { at } = outcome;
    ofNode.first = ofNode.first === null ? at : earlierOf(ofNode.first, at);
    ofNode.last = ofNode.last === null ? at : later(ofNode.last, at);
    leaving.set(outcome, (leaving.get(outcome) ?? 0) + 1);
    // A pod that has ended is not a replica.
    if (pods.active(pod)) workloads.add(pods.workload(pod), action, at);
  }
  const { moments, minutes } = yield* stepByTime(leaving);
  const replicas = yield* stepReplicas(state, workloads);
  return {
    counts,
    moments: yield* stepFirstOf(mostListed, moments.values(), (a, b) => compareMoments(a.at, b.at)),
    minutes: yield* stepFirstOf(mostMinutes, minutes.values(), (a, b) => a.minute - b.minute),
    nodes: yield* stepFirstOf(
      mostListed,
      nodes.filter(({ first }) => first !== null),
      (a, b) => compareMoments(a.first!, b.first!) || a.node - b.node,
    ),
    workloads: yield* workloads.stepListed(mostListed, replicas),
  };
}

/** Counts pods by the time at which they leave. */
function* stepByTime(leaving: ReadonlyMap<PodOutcome, number>): Generator<
  undefined,
  {
    readonly moments: ReadonlyMap<string, MomentCount>;
    readonly minutes: ReadonlyMap<number, MinuteCount>;
  }
> {
  const moments = new Map<string, Mutable<MomentCount>>();
  const minutes = new Map<number, Mutable<MinuteCount>>();
  let looked = 0;
  for (const [{ at }, pods] of leaving) {
    if (++looked % STRIDE === 0) yield undefined;
    if (at === null) continue;
    const key = `${at.earliest} ${at.latest}`;
    const ofMoment = moments.get(key);
    if (ofMoment === undefined) moments.set(key, { at, pods });
    else ofMoment.pods += pods;
    const minute = Math.floor(at.latest / MINUTE_MS) * MINUTE_MS;
    const ofMinute = minutes.get(minute);
    if (ofMinute === undefined) minutes.set(minute, { minute, pods });
    else ofMinute.pods += pods;
  }
  return { moments, minutes };
}

/** The replicas of each workload that loses some: pods that have not ended and are not being deleted. */
function* stepReplicas(
  { pods }: ClusterState,
  workloads: WorkloadTallies,
): Generator<undefined, ReadonlyMap<string, number>> {
  const replicas = new Map<string, number>();
  if (workloads.size === 0) return replicas;
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === STRIDE - 1) yield undefined;
    if (!pods.active(pod) || pods.terminating(pod)) continue;
    const key = workloads.keyOf(pods.workload(pod));
    if (workloads.has(key)) replicas.set(key, (replicas.get(key) ?? 0) + 1);
  }
  return replicas;
}

class WorkloadTallies {
  private readonly tallies = new Map<string, WorkloadTally>();
  /** Pods of one workload share one `Workload` object. */
  private readonly keys = new WeakMap<Workload, string>();

  get size(): number {
    return this.tallies.size;
  }

  has(key: string): boolean {
    return this.tallies.has(key);
  }

  keyOf(workload: Workload): string {
    let key = this.keys.get(workload);
    if (key === undefined) this.keys.set(workload, (key = workloadKey(workload)));
    return key;
  }

  add(workload: Workload, action: 'now' | 'at', at: KnownMoment): void {
    const key = this.keyOf(workload);
    let tally = this.tallies.get(key);
    if (tally === undefined) {
      this.tallies.set(key, (tally = { workload, now: 0, at: 0, firstLoss: at, lastLoss: at }));
    }
    tally[action]++;
    tally.firstLoss = earlierOf(tally.firstLoss, at);
    tally.lastLoss = later(tally.lastLoss, at);
  }

  *stepListed(most: number, replicas: ReadonlyMap<string, number>): Generator<undefined, Listed<WorkloadSchedule>> {
    const leaving = yield* stepFirstOf(
      most,
      this.tallies,
      ([left, a], [right, b]) => compareMoments(a.firstLoss, b.firstLoss) || compare(left, right),
    );
    return {
      total: leaving.total,
      items: leaving.items.map(([key, { workload, now, at, firstLoss, lastLoss }]) => {
        const { kind, namespace, name } = workload;
        const all = replicas.get(key) ?? 0;
        const lastReplica = now + at >= all ? lastLoss : null;
        return { workload: { kind, namespace, name }, replicas: all, now, at, firstLoss, lastReplica };
      }),
    };
  }
}

function* stepFirstOf<Item>(
  most: number,
  items: Iterable<Item>,
  order: (a: Item, b: Item) => number,
): Generator<undefined, Listed<Item>> {
  const few = new FirstFew<Item>(most, order);
  let looked = 0;
  for (const item of items) {
    if (++looked % STRIDE === 0) yield undefined;
    few.add(item);
  }
  return few.listed((item) => item);
}

const compareMoments = (a: KnownMoment, b: KnownMoment): number => a.latest - b.latest || a.earliest - b.earliest;
const earlierOf = (a: KnownMoment, b: KnownMoment): KnownMoment => (compareMoments(b, a) < 0 ? b : a);
const later = (a: KnownMoment, b: KnownMoment): KnownMoment => (compareMoments(b, a) > 0 ? b : a);
