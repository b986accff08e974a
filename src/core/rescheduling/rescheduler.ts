import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { ClaimAllocation } from '../devices/device-allocator.js';
import { devicesOnNodes, mayUseDevices } from '../placement/plugins/dynamic-resources/assumed-devices.js';
import { DEFAULT_SCHEDULER } from '../scheduling/queue/queued-work.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { coschedulingFilter } from '../placement/coscheduling-filter.js';
import { stepEvaluatePlacement } from '../placement/evaluate-placement.js';
import type { Placement } from '../placement/placement.js';
import { groupReason, mayBeGrouped } from '../placement/pod-groups.js';
import type { Reason } from '../placement/reason.js';
import { NAME as NODE_AFFINITY } from '../placement/plugins/node-affinity/node-affinity.js';
import type { PodClass } from '../scheduling/run/pod-class.js';
import { NodesNow } from '../scheduling/run/nodes-now.js';
import { assumptionsOf } from './assumptions.js';
import { decidePlainly, unknownBy, type PlainDecision } from './decide-plainly.js';
import { ReplacementClasses, type ReplacementClass } from './replacement-classes.js';
import type { ReplacementSink } from './replacement-sink.js';
import type { ReschedulingEvent, Rescheduling, NodesFound, Refusal, ReschedulingUnknown } from './rescheduling.js';
import { Line, LineQueue } from './line.js';
import { replacementPod } from '../kubernetes/replacement-pod.js';
import { OpenRoom } from './open-room.js';
import { Pace } from './pace.js';
import { PlanCluster } from './plan-cluster.js';
import { PlanState } from './plan-state.js';
import { Replacements, type Replacing } from './replacements.js';
import { RoomLedger } from './room-ledger.js';

export interface ReschedulerOptions {
  readonly gates: TolerationGates;
  /**
   * When a replacement counts as ready, so that a StatefulSet creates the pod with the next ordinal: as soon as it is
   * placed or its node is not known (the default), or at its event `ready`.
   */
  readonly readiness?: 'whenPlaced' | 'byEvent';
  /**
   * The maximum number of pods placed by evaluating every filter and score again, if the cached results do not apply
   * (pods with volumes, pods after nodes left or came back); 2,000 by default.
   */
  readonly budget?: { readonly evaluations?: number };
}

const MAX_EVALUATIONS = 2_000;
/** The number of refusals that are explained; each costs about as much as one placement request. */
const MAX_EXPLAINED = 1_000;
/** The cost of creating a class of pods, in microseconds. */
const A_CLASS = 4_000;
/** The number of feasible nodes listed per pod. */
const NAMED = 5;

/**
 * Places the replacements of leaving pods, moment by moment; what becomes of each pod goes to a sink. Callers that know
 * all events beforehand use `stepRescheduling`, which also states the rules.
 *
 * `take` the events of a moment, in any order, then `settle` it; moments in chronological order. A moment can be
 * settled several times. Indexes are those of the state.
 */
export class Rescheduler {
  private readonly pace = new Pace();
  private readonly nodes: NodesNow;
  private readonly ledger: RoomLedger;
  private readonly classes: ReplacementClasses;
  private readonly replacements: Replacements;
  private readonly planState: PlanState;
  private readonly openRoom: OpenRoom;
  /** By class, and by the node that the pods are pinned to. */
  private readonly lines = new Map<ReplacementClass, Map<number, Line>>();
  private lineCount = 0;
  private readonly queue = new LineQueue();
  /** Lines whose first pod fits no node; lines of pinned pods are kept by node. */
  private readonly waiting = new Set<Line>();
  private readonly waitingOn = new Map<number, Set<Line>>();
  private waitingPods = 0;
  /** Refused lines whose result depends on other pods, with the number of movements at that time. */
  private readonly onlookers = new Map<Line, number>();
  /** Number of movements of pods, nodes and taints. */
  private moves = 0;
  /** Nodes with released resources or new taints at this moment. */
  private readonly freed = new Set<number>();
  /** Pods that are pending; their outcome is reported at the end. */
  private readonly pending = new Set<number>();
  private readonly released: Uint8Array;
  private readonly marked: Uint8Array;
  /** Whether nodes left or came back since the cluster was opened. */
  private isOtherCluster = false;
  /** Scores that were not known and could have been decisive. */
  private readonly uncertain = new Set<string>();
  private evaluations = 0;
  private explained = 0;

  private constructor(
    private readonly state: ClusterState,
    private readonly options: ReschedulerOptions,
    private readonly report: ReplacementSink,
    private readonly cluster: PlanCluster,
  ) {
    const { gates } = options;
    this.nodes = new NodesNow(state);
    this.ledger = new RoomLedger(state);
    this.classes = new ReplacementClasses(state, (schedulerName) => cluster.asks(schedulerName, NODE_AFFINITY));
    this.replacements = new Replacements(state, this.nodes, gates);
    this.planState = new PlanState(state, this.nodes, this.ledger);
    this.openRoom = new OpenRoom(this.nodes, this.ledger);
    this.released = new Uint8Array(state.pods.count);
    this.marked = new Uint8Array(state.pods.count);
  }

  static *open(
    state: ClusterState,
    options: ReschedulerOptions,
    report: ReplacementSink,
  ): Generator<undefined, Rescheduler> {
    const rescheduler = new Rescheduler(state, options, report, yield* PlanCluster.open(state, options.gates));
    yield* rescheduler.replacements.prepare(rescheduler.pace);
    return rescheduler;
  }

  /** Applies one event, without placing pods. */
  *take(event: ReschedulingEvent): Generator<undefined, void> {
    if (event.kind === 'taints') {
      const { node, taints, unschedulable, gone = false } = event;
      if (this.nodes.isGone(node) !== gone) this.isOtherCluster = true;
      this.nodes.change(node, taints, unschedulable, gone);
      this.cluster.changeTaints(node, taints, unschedulable);
      this.ledger.changedInMoment.add(event.node);
      this.freed.add(event.node);
      this.moves++;
      if (this.pace.isDue(3)) yield undefined;
      return;
    }
    const { at, pod } = event;
    if (event.kind === 'ready') {
      yield* this.comesUp(pod, at);
      return;
    }
    if (event.kind === 'marked') {
      const replacing = this.replacements.mark(pod);
      if (this.marked[pod] === 0 && this.released[pod] === 0) {
        this.marked[pod] = 1;
        if (this.holdsRoom(pod)) {
          this.cluster.mark(pod);
          this.planState.podMarked(pod, at);
          this.moves++;
        }
      }
      if (replacing === undefined) return;
      this.report.marked(pod, at);
      yield* this.replace(pod, replacing, at);
      return;
    }
    const replacing = this.replacements.gone(pod);
    if (this.released[pod] === 1) return;
    this.released[pod] = 1;
    this.report.gone(pod, at);
    if (this.holdsRoom(pod)) {
      const node = this.state.pods.nodeIndex(pod);
      this.ledger.release(node, this.cluster.heldBy(pod).entries);
      this.cluster.leave(pod, this.marked[pod] === 1);
      this.planState.podGone(pod);
      this.freed.add(node);
      this.moves++;
    }
    if (replacing !== undefined) yield* this.replace(pod, replacing, at);
  }

  private holdsRoom(pod: number): boolean {
    const { pods } = this.state;
    return pods.nodeIndex(pod) >= 0 && pods.active(pod);
  }

  /** Places pods after all events of a moment. */
  *settle(at: number): Generator<undefined, void> {
    for (const node of this.freed) {
      for (const pod of this.replacements.admittedOn(node)) yield* this.replace(pod, 'made', at);
    }
    yield* this.wake();
    this.askAgain();
    this.freed.clear();
    for (;;) {
      const line = this.queue.take();
      if (line !== undefined) yield* this.place(line, at);
      else if (!this.askAgain()) break;
    }
    this.report.endMoment(at, this.waitingPods, this.openRoom.now());
  }

  /** Lines that depend on other pods, and were refused before the last of these moved, are tried again. */
  private askAgain(): boolean {
    let any = false;
    for (const [line, moves] of this.onlookers) {
      if (moves === this.moves) continue;
      this.onlookers.delete(line);
      this.queue.add(line);
      any = true;
    }
    return any;
  }

  /** Reports the pods that end without a replacement or without a node. */
  *finish(): Generator<undefined, Pick<Rescheduling, 'evaluations' | 'assumptions'>> {
    for (const pod of this.pending) {
      if (this.pace.isDue(2)) yield undefined;
      this.report.neverReplaced(pod, this.replacements.stillPending(pod));
    }
    for (const lines of this.lines.values()) {
      for (const line of lines.values()) {
        for (const pod of line.waiting()) this.report.leftWithout(pod);
        if (this.pace.isDue(10)) yield undefined;
      }
    }
    const { seen, controllers } = this.replacements;
    return {
      evaluations: this.evaluations,
      assumptions: assumptionsOf({
        jobs: seen.jobs,
        orderedSets: seen.orderedSets && this.isReadyWhenPlaced,
        missingKinds: controllers.missingKinds,
        hasUnknown: this.report.hasUnknown,
        unserved: [...this.cluster.unserved],
        uncertain: [...this.uncertain],
      }),
    };
  }

  private *replace(pod: number, replacing: Replacing, at: number): Generator<undefined, void> {
    if (replacing === 'pending') {
      this.pending.add(pod);
      for (const next of this.replacements.next(pod)) yield* this.replace(next, 'made', at);
      return;
    }
    this.pending.delete(pod);
    if (replacing === 'unknown') {
      const { kind = '', name = '' } = controllerOf(this.state.pods.ownerReferences(pod)) ?? {};
      const message = `${kind} ${name} is no controller of Kubernetes' own: whether and when it creates another pod is not known`;
      this.report.unknown(pod, [{ code: 'customController', message }], at);
      return;
    }
    if (replacing !== 'made') {
      this.report.neverReplaced(pod, replacing);
      return;
    }
    this.report.replaced(pod, at);
    const before = this.classes.count;
    const found = this.classes.of(pod, this.replacements.isDaemon(pod));
    if (this.pace.isDue(this.classes.count > before ? 100 : 3)) yield undefined;
    if (found === undefined) {
      yield* this.leaveUnknown(pod, at, [UNREADABLE]);
      return;
    }
    const { replacementClass, pin } = found;
    let lines = this.lines.get(replacementClass);
    if (lines === undefined) this.lines.set(replacementClass, (lines = new Map<number, Line>()));
    let line = lines.get(pin);
    if (line === undefined) lines.set(pin, (line = new Line(replacementClass, pin, ++this.lineCount)));
    line.push(pod, at);
    this.waitingPods++;
    this.queue.add(line);
  }

  /** Waiting lines for which a changed node may now be feasible. */
  private *wake(): Generator<undefined, void> {
    if (this.freed.size === 0) return;
    const freed = [...this.freed];
    for (const line of this.waiting) {
      // The first look at a class catches up with all that has changed since the last one.
      yield undefined;
      const podClass = this.classOf(line);
      if (freed.some((node) => this.mayTake(podClass, node))) this.queue.add(line);
    }
    for (const node of freed) {
      for (const line of this.waitingOn.get(node) ?? []) {
        yield undefined;
        if (this.mayTake(this.classOf(line), node)) this.queue.add(line);
      }
    }
  }

  /** Whether a node has the resources for a pod and admits it, ignoring other pods. */
  private mayTake(podClass: PodClass | undefined, node: number): boolean {
    if (podClass === undefined) return true;
    const index = this.cluster.indexOf(node);
    return index >= 0 && podClass.mayTake(index);
  }

  /** The evaluator for the pods of a line; undefined if every filter and score must be evaluated. */
  private classOf({ replacementClass, isPinned }: Line): PodClass | undefined {
    if (this.isOtherCluster || replacementClass.hasOwnClaims) return undefined;
    const podClass = this.cluster.classOf(replacementClass);
    // The domains for topology spread depend on the pin, too.
    return isPinned && podClass?.isSpread === true ? undefined : podClass;
  }

  private *place(line: Line, at: number): Generator<undefined, void> {
    const { replacementClass } = line;
    const pod = line.first;
    yield* this.catchUp();
    const { made } = this.cluster;
    const group = this.groupReasonOf(line, pod);
    if (group?.status === 'Unknown') {
      const because = unknownBy(group);
      yield* this.settleFirst(line, (first) => this.leaveUnknown(first, at, [because]));
      return;
    }
    const podClass = group === undefined ? this.classOf(line) : undefined;
    if (this.cluster.made > made && this.pace.isDue(A_CLASS)) yield undefined;
    let found: NodesFound | undefined = podClass && this.find(line, podClass, pod);
    let unknownBecause: readonly ReschedulingUnknown[] = [];
    if (podClass === undefined || podClass.isUnclear) {
      const decision = yield* this.ask(line, pod);
      if (decision === undefined) {
        yield* this.settleFirst(line, (first) => this.leaveUnknown(first, at, [OVER_BUDGET]));
        return;
      }
      ({ found, unknownBecause } = decision);
      for (const name of decision.uncertain) this.uncertain.add(name);
    } else if (this.pace.isDue(200)) yield undefined;
    const [chosen] = found!.best;
    if (chosen !== undefined) {
      this.report.landed(pod, at, found!, replacementClass, line.firstTime < at);
      this.ledger.take(chosen, replacementClass.held.entries);
      this.cluster.arrive(replacementClass, chosen);
      const { filters } = this.cluster.profileOf(replacementClass.schedulerName);
      this.planState.podPlaced(() => this.made(pod), chosen, filters);
      this.moves++;
      yield* this.settleFirst(line, (first) => this.started(first, at));
    } else if (found!.unknown > 0 || unknownBecause.length > 0) {
      yield* this.settleFirst(line, (first) => this.leaveUnknown(first, at, unknownBecause, found));
    } else {
      yield* this.refuse(line, podClass);
    }
  }

  /** What there is to say of the group of a replacement pod. */
  private groupReasonOf({ replacementClass }: Line, pod: number): Reason | undefined {
    if (!mayBeGrouped(replacementClass.pod)) return undefined;
    const { filters } = this.cluster.profileOf(replacementClass.schedulerName);
    return groupReason(this.state, this.made(pod), { coscheduling: filters.includes(coschedulingFilter) });
  }

  /** Restarts after nodes changed, within the budget. */
  private *catchUp(): Generator<undefined, void> {
    if (!this.isOtherCluster || !this.isPaidFor()) return;
    this.evaluations++;
    yield* this.cluster.reopen(yield* this.planState.now());
    this.isOtherCluster = false;
  }

  private isPaidFor(): boolean {
    return this.evaluations < (this.options.budget?.evaluations ?? MAX_EVALUATIONS);
  }

  private find({ isPinned, pin }: Line, podClass: PodClass, pod: number): NodesFound {
    if (isPinned) {
      const index = this.cluster.indexOf(pin);
      const isFeasible = index >= 0 && podClass.isFeasible(index);
      return isFeasible ? { feasible: 1, unknown: 0, best: [pin] } : NONE;
    }
    if (this.report.wantsNodes(pod)) {
      const { feasible, nodes } = podClass.best(NAMED);
      return { feasible, unknown: 0, best: nodes.map((index) => this.cluster.nodeAt(index)) };
    }
    const { feasible, node } = podClass.choose();
    return feasible === 0 ? NONE : { feasible, unknown: 0, best: [this.cluster.nodeAt(node(0))] };
  }

  /** The first pod of a line is done; the next may have its turn. */
  private *settleFirst(line: Line, then: (pod: number) => Generator<undefined, void>): Generator<undefined, void> {
    const pod = line.first;
    line.shift();
    this.waitingPods--;
    if (line.length > 0) this.queue.add(line);
    else this.stopWaiting(line);
    yield* then(pod);
  }

  private *leaveUnknown(
    pod: number,
    at: number,
    because: readonly ReschedulingUnknown[],
    found?: NodesFound,
  ): Generator<undefined, void> {
    this.report.unknown(pod, because, at, found);
    yield* this.started(pod, at);
  }

  /** A pod is placed, or assumed to start somewhere. */
  private *started(pod: number, at: number): Generator<undefined, void> {
    if (this.isReadyWhenPlaced) yield* this.comesUp(pod, at);
  }

  private get isReadyWhenPlaced(): boolean {
    return this.options.readiness !== 'byEvent';
  }

  /** A pod is ready: the pods that waited for it are created. */
  private *comesUp(pod: number, at: number): Generator<undefined, void> {
    for (const next of this.replacements.landed(pod)) yield* this.replace(next, 'made', at);
  }

  /** The first pod of a line fits no node, so none of the line does. */
  private *refuse(line: Line, podClass: PodClass | undefined): Generator<undefined, void> {
    const unjudged = line.unjudged();
    let refusal: Refusal | undefined;
    if (this.explained < MAX_EXPLAINED && unjudged.some((pod) => this.report.wantsRefusal(pod))) {
      this.explained++;
      const placement = yield* this.evaluate(line);
      const message = placement.message();
      yield undefined;
      refusal = { message, reasons: placement.rollUp() };
      yield undefined;
    }
    for (const pod of unjudged) {
      if (this.pace.isDue(1)) yield undefined;
      this.report.refused(pod, refusal);
    }
    line.refused = line.length;
    if (podClass?.isKeptOff !== false) this.onlookers.set(line, this.moves);
    if (!line.isPinned) {
      this.waiting.add(line);
      return;
    }
    const others = this.waitingOn.get(line.pin);
    if (others === undefined) this.waitingOn.set(line.pin, new Set([line]));
    else others.add(line);
  }

  private stopWaiting(line: Line): void {
    this.onlookers.delete(line);
    this.waiting.delete(line);
    if (line.isPinned) this.waitingOn.get(line.pin)?.delete(line);
  }

  /** Evaluates every filter and score, within the budget. */
  private *ask({ replacementClass }: Line, pod: number): Generator<undefined, PlainDecision | undefined> {
    if (!this.isPaidFor()) return undefined;
    this.evaluations++;
    const now = yield* this.planState.now();
    const decision = decidePlainly(now, this.made(pod), {
      profile: this.cluster.profileOf(replacementClass.schedulerName),
      hasOwnClaims: replacementClass.hasOwnClaims,
      most: NAMED,
    });
    if (this.pace.isDue(1000)) yield undefined;
    const { nodes } = this.state;
    const [chosen] = decision.found.best;
    const best = decision.found.best.map((index) => nodes.indexOf(now.nodes.name(index)));
    const devices = chosen === undefined ? undefined : this.devicesOf(now, pod, chosen);
    return { ...decision, found: { ...decision.found, best, ...defined({ devices }) } };
  }

  /** What the claims of a replacement get on a node of a state; claims that are made for it are named after the pod that it replaces. */
  private devicesOf(now: ClusterState, pod: number, node: number): readonly ClaimAllocation[] | undefined {
    const made = this.made(pod);
    if (!this.report.wantsNodes(pod) || !mayUseDevices(now, made)) return undefined;
    const { filters } = this.cluster.profileOf(made.spec.schedulerName ?? DEFAULT_SCHEDULER);
    const named = { ...made, metadata: { ...made.metadata, name: this.state.pods.name(pod) } };
    const found = devicesOnNodes({ state: now, pod: named, filters })(node);
    return found.length === 0 ? undefined : found;
  }

  private *evaluate({ replacementClass, first }: Line): Generator<undefined, Placement> {
    const now = yield* this.planState.now();
    yield undefined;
    const { gates, filters } = this.cluster.profileOf(replacementClass.schedulerName);
    return yield* stepEvaluatePlacement(now, { pod: this.made(first), gates, filters });
  }

  private made(pod: number): ReturnType<typeof replacementPod> {
    const { pods, nodes } = this.state;
    return replacementPod(pods.pod(pod), this.replacements.isDaemon(pod) ? nodes.name(pods.nodeIndex(pod)) : undefined);
  }
}

const UNREADABLE: ReschedulingUnknown = {
  code: 'unreadableRequest',
  message: 'the pod requests a quantity that cannot be parsed, so its requirements are not known',
};
const OVER_BUDGET: ReschedulingUnknown = {
  code: 'budget',
  message: 'the result depends on other pods, and more such pods leave than one plan evaluates',
};

const NONE: NodesFound = { feasible: 0, unknown: 0, best: [] };
