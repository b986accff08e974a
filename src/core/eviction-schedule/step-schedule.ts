import type { ClusterState } from '../cluster/cluster-state.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { foldPod, type PodEvent, type PodOutcome } from './fold-pod.js';
import type { KnownMoment } from './known-moment.js';
import type { NodeTimeline } from './node-timeline.js';

/** What is known of a single pod beyond what its node's timeline and its stored object say. */
export interface PodHistory {
  /** Those that it had before the first of its events. */
  readonly tolerations: readonly Toleration[];
  /** Its tolerations changed, it was removed; in order by `moment.latest`. */
  readonly events: readonly PodEvent[];
}

export interface ScheduleQuestion {
  readonly state: ClusterState;
  readonly gates: TolerationGates;
  /** Which nodes, by index; all unless told. */
  readonly nodes?: Iterable<number>;
  /** When the state was seen, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** What the NoExecute taints of a node were, are and will be; undefined where it never has any. */
  readonly timelineOf: (node: number) => NodeTimeline | undefined;
  /** When a pod was bound to its node. Asked only where that may decide. */
  readonly boundAt: (pod: number) => KnownMoment;
  /** Ends and beginnings of the controller, in order by `moment.latest`. */
  readonly controller?: readonly (PodEvent & { readonly what: 'controllerStops' | 'controllerStarts' })[];
  /** By pod index. */
  readonly histories?: ReadonlyMap<number, PodHistory>;
}

/** Which pods leave by NoExecute taints and which stay in spite of them, a row for each pod of a node that ever has such taints. */
export interface Schedule {
  /** By row: index into `state.pods`. */
  readonly pods: Int32Array;
  /** By row; pods of which the same becomes share one. For a pod that is being deleted already, what would become of it otherwise. */
  readonly outcomes: readonly PodOutcome[];
  /** How many pods there are on the nodes that were looked at, whether they have such taints or not. */
  readonly looked: number;
}

/** Pods between two turns of the generator. */
const STRIDE = 1024;

/**
 * The eviction schedule of a state. A generator, so that the caller can let others run in between; it yields nothing.
 *
 * Every pod that names the node counts: also one that has ended, and a static pod's mirror. Pods with the same tolerations on one
 * node are judged once.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go.
 */
export function* stepSchedule(question: ScheduleQuestion): Generator<undefined, Schedule> {
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
      continue;
    }
    judge.on(timeline);
    for (const pod of ofNode) {
      if (++looked % STRIDE === 0) yield undefined;
      rows.push(pod);
      outcomes.push(judge.outcomeOf(pod));
    }
  }
  yield undefined;
  return { pods: Int32Array.from(rows), outcomes, looked };
}

function* allOf(count: number): Generator<number> {
  for (let index = 0; index < count; index++) yield index;
}

/** Judges the pods of one node after another. */
class PodJudge {
  private readonly pods: ClusterState['pods'];
  private readonly tolerationSets: ClusterState['tolerationSets'];
  /** By toleration set, for pods that were on the node before its first taint. */
  private readonly known = new Map<number, PodOutcome>();
  private events: readonly PodEvent[] = [];
  private beganAt = Infinity;

  constructor(private readonly question: ScheduleQuestion) {
    this.pods = question.state.pods;
    this.tolerationSets = question.state.tolerationSets;
  }

  on(timeline: NodeTimeline): void {
    const ofNode = timeline.map((situation): PodEvent => ({ what: 'taints', moment: situation.moment, situation }));
    this.events = merged(ofNode, this.question.controller ?? []);
    this.beganAt = timeline[0]!.moment.earliest;
    this.known.clear();
  }

  outcomeOf(pod: number): PodOutcome {
    const own = this.question.histories?.get(pod);
    if (own !== undefined) return this.judged(own.tolerations, merged(this.events, own.events), pod);
    const setId = this.pods.tolerationSetId(pod);
    let outcome = this.known.get(setId);
    if (outcome === undefined) {
      outcome = this.fold(this.events, this.tolerationSets[setId]!, true);
      this.known.set(setId, outcome);
    }
    // What begins after the pod was seen finds it there; what nothing was ever decided for does not depend on its binding.
    if (this.beganAt >= this.question.seenAt || neverTimed(outcome)) return outcome;
    const bound = this.question.boundAt(pod);
    return bound.latest <= this.beganAt ? outcome : this.judged(this.tolerationSets[setId]!, this.events, pod, bound);
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
    return foldPod(events, { tolerations, bound, seenAt: this.question.seenAt }, this.question.gates);
  }
}

const neverTimed = ({ action, cancelled, mayHaveLeftSince }: PodOutcome): boolean =>
  action === 'never' && cancelled === null && mayHaveLeftSince === null;

/** Two lists in one, in order by `moment.latest`; at one moment those of the first come first. */
function merged(a: readonly PodEvent[], b: readonly PodEvent[]): readonly PodEvent[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return [...a, ...b].sort((left, right) => left.moment.latest - right.moment.latest);
}
