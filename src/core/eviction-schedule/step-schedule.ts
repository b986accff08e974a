import type { ClusterState } from '../cluster/cluster-state.js';
import type { KnownMoment } from '../eviction/known-moment.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { PodDeviceEviction } from './device-evictions.js';
import { foldPod, withDevices, type PodEvent, type PodOutcome } from './fold-pod.js';
import type { NodeTimeline } from './node-timeline.js';

/** The known changes of one pod, beyond its node's timeline and its stored object. */
export interface PodHistory {
  /** The tolerations before the first event. */
  readonly tolerations: readonly Toleration[];
  /** Changes of tolerations, and the deletion of the pod; in order by `moment.latest`. */
  readonly events: readonly PodEvent[];
}

export interface ScheduleQuestion {
  readonly state: ClusterState;
  readonly gates: TolerationGates;
  /** Node indexes in ascending order; all nodes by default. */
  readonly nodes?: Iterable<number>;
  /** When the state was observed, in milliseconds since the epoch. */
  readonly seenAt: number;
  /**
   * The past, present and future NoExecute taints of a node; undefined if it never has any. Nodes that share one timeline
   * object are evaluated together.
   */
  readonly timelineOf: (node: number) => NodeTimeline | undefined;
  /** When a pod was bound to its node. Called only if that may affect the result. */
  readonly boundAt: (pod: number) => KnownMoment;
  /** Stops and starts of the controller, in order by `moment.latest`. */
  readonly controller?: readonly (PodEvent & { readonly what: 'controllerStops' | 'controllerStarts' })[];
  /** By pod index. */
  readonly histories?: ReadonlyMap<number, PodHistory>;
  /** By pod index, of the pods that device taints evict. */
  readonly devices?: ReadonlyMap<number, PodDeviceEviction>;
}

/**
 * Which pods NoExecute taints evict and which stay: a row for each pod of a node that ever has such taints, and for each pod that device
 * taints evict, in the order of nodes.
 */
export interface Schedule {
  /** By row: index into `state.pods`. */
  readonly pods: Int32Array;
  /**
   * By row; pods with the same outcome share one object. For a pod that is already being deleted: its outcome without that
   * deletion.
   */
  readonly outcomes: readonly PodOutcome[];
  /** The number of pods on the evaluated nodes, with and without NoExecute taints. */
  readonly looked: number;
}

/** Pods processed between two yields. */
const STRIDE = 128;
const MAX_EVENTS = 20_000;

/**
 * The eviction schedule of a state. A generator, so that the caller can let other work run in between; it yields nothing.
 *
 * Every pod that names the node counts, including ended pods and mirror pods of static pods. Pods with the same tolerations on
 * one node are evaluated once.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go.
 */
export function* stepSchedule(question: ScheduleQuestion): Generator<undefined, Schedule> {
  const { devices } = question;
  const { nodes } = question.state;
  const rows: number[] = [];
  const outcomes: PodOutcome[] = [];
  const judge = new PodJudge(question);
  let looked = 0;
  for (const node of question.nodes ?? allOf(nodes.count)) {
    const ofNode = nodes.podsOf(node);
    const timeline = question.timelineOf(node);
    if (timeline === undefined || !timeline.some(({ taints }) => taints.length > 0)) {
      looked += ofNode.length;
      if (devices === undefined || devices.size === 0) continue;
      for (const pod of ofNode) {
        const eviction = devices.get(pod);
        const outcome = eviction && judge.byDevices(pod, eviction);
        if (outcome === undefined) continue;
        rows.push(pod);
        outcomes.push(outcome);
      }
      continue;
    }
    judge.on(timeline);
    for (const pod of ofNode) {
      if (++looked % STRIDE === 0 || judge.events > MAX_EVENTS) {
        judge.events = 0;
        yield undefined;
      }
      rows.push(pod);
      outcomes.push(judge.outcomeOf(pod));
    }
  }
  yield undefined;
  return { pods: Int32Array.from(rows), outcomes, looked };
}

/**
 * The schedule after some nodes have changed. Only the rows of these nodes are computed again; those of the others are copied.
 *
 * @param former the schedule of all nodes of a state with the same pods and nodes at the same indexes
 * @param question its `nodes` are the changed ones
 */
export function* stepChangedSchedule(
  former: Schedule,
  question: ScheduleQuestion & { readonly nodes: Iterable<number> },
): Generator<undefined, Schedule> {
  const { pods } = question.state;
  const changed = [...new Set(question.nodes)].sort((a, b) => a - b);
  const rows: Int32Array[] = [];
  const outcomes: PodOutcome[][] = [];
  let kept = 0;
  const keepUntil = (row: number): void => {
    rows.push(former.pods.subarray(kept, row));
    outcomes.push(former.outcomes.slice(kept, row));
  };
  for (const node of changed) {
    const fresh = yield* stepSchedule({ ...question, nodes: [node] });
    const start = firstRowOf(former, pods, node);
    keepUntil(start);
    rows.push(fresh.pods);
    outcomes.push([...fresh.outcomes]);
    kept = firstRowOf(former, pods, node + 1);
  }
  keepUntil(former.pods.length);
  const all = new Int32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const some of rows) {
    all.set(some, filled);
    filled += some.length;
  }
  yield undefined;
  // Not flat(), which checks every element.
  return { pods: all, outcomes: ([] as PodOutcome[]).concat(...outcomes), looked: former.looked };
}

/** The first row of a node, or of a later node: rows are in the order of nodes. */
function firstRowOf({ pods: rows }: Schedule, pods: ClusterState['pods'], node: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pods.nodeIndex(rows[middle]!) >= node) high = middle;
    else low = middle + 1;
  }
  return low;
}

function* allOf(count: number): Generator<number> {
  for (let index = 0; index < count; index++) yield index;
}

interface JudgedTimeline {
  readonly events: readonly PodEvent[];
  readonly beganAt: number;
  /** By toleration set, for pods that were bound before the node's first taint. */
  readonly known: Map<number, PodOutcome>;
}

/** Evaluates the pods of one node after another. */
class PodJudge {
  /** Events processed so far; the caller resets it. */
  events = 0;
  private readonly pods: ClusterState['pods'];
  private readonly tolerationSets: ClusterState['tolerationSets'];
  /** Nodes may share a timeline. */
  private readonly timelines = new Map<NodeTimeline, JudgedTimeline>();
  private timeline: JudgedTimeline = { events: [], beganAt: Infinity, known: new Map() };

  constructor(private readonly question: ScheduleQuestion) {
    this.pods = question.state.pods;
    this.tolerationSets = question.state.tolerationSets;
  }

  on(timeline: NodeTimeline): void {
    let judged = this.timelines.get(timeline);
    if (judged === undefined) {
      const ofNode = timeline.map((situation): PodEvent => ({ what: 'taints', moment: situation.moment, situation }));
      const events = merged(ofNode, this.question.controller ?? []);
      judged = { events, beganAt: timeline[0]!.moment.earliest, known: new Map() };
      this.timelines.set(timeline, judged);
    }
    this.timeline = judged;
  }

  outcomeOf(pod: number): PodOutcome {
    const outcome = this.byNode(pod);
    const eviction = this.question.devices?.get(pod);
    return eviction === undefined ? outcome : (this.byDevices(pod, eviction, outcome) ?? outcome);
  }

  /** The outcome of a pod that device taints evict; undefined if somebody else deletes it before. */
  byDevices(pod: number, eviction: PodDeviceEviction, outcome = this.untainted(pod)): PodOutcome | undefined {
    const { histories, seenAt } = this.question;
    const isRemoved = histories
      ?.get(pod)
      ?.events.some(({ what, moment }) => what === 'removed' && moment.latest <= eviction.at);
    return isRemoved === true ? undefined : withDevices(outcome, eviction, seenAt);
  }

  private untainted(pod: number): PodOutcome {
    return this.fold([], this.tolerationSets[this.pods.tolerationSetId(pod)]!, true);
  }

  private byNode(pod: number): PodOutcome {
    const { events, beganAt, known } = this.timeline;
    const own = this.question.histories?.get(pod);
    if (own !== undefined) return this.judged(own.tolerations, merged(events, own.events), pod);
    const setId = this.pods.tolerationSetId(pod);
    let outcome = known.get(setId);
    if (outcome === undefined) {
      outcome = this.fold(events, this.tolerationSets[setId]!, true);
      known.set(setId, outcome);
    }
    // The binding does not matter if the first taint came after the pod was seen, or if no timer was ever set.
    if (beganAt >= this.question.seenAt || neverTimed(outcome)) return outcome;
    const bound = this.question.boundAt(pod);
    return bound.latest <= beganAt ? outcome : this.judged(this.tolerationSets[setId]!, events, pod, bound);
  }

  private judged(
    tolerations: readonly Toleration[],
    events: readonly PodEvent[],
    pod: number,
    bound: KnownMoment = this.question.boundAt(pod),
  ): PodOutcome {
    return this.fold(merged([{ what: 'bound', moment: bound }], events), tolerations, false);
  }

  private fold(events: readonly PodEvent[], tolerations: readonly Toleration[], bound: boolean): PodOutcome {
    this.events += events.length;
    return foldPod(events, { tolerations, bound, seenAt: this.question.seenAt }, this.question.gates);
  }
}

const neverTimed = ({ action, cancelled, mayHaveLeftSince }: PodOutcome): boolean =>
  action === 'never' && cancelled === null && mayHaveLeftSince === null;

/** Merges two lists in order by `moment.latest`; at equal times, events of the first list come first. */
function merged(a: readonly PodEvent[], b: readonly PodEvent[]): readonly PodEvent[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return [...a, ...b].sort((left, right) => left.moment.latest - right.moment.latest);
}
