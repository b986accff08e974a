import type { ClusterState } from '../cluster/cluster-state.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE, type Placement } from '../placement/placement.js';
import { assumptionsOf } from './assumptions.js';
import { LandingReport } from './landing-report.js';
import type { LandingEvent, Landings, Refusal, UnknownLanding } from './landing.js';
import { Line, LineQueue } from './line.js';
import { madeAnew } from './made-anew.js';
import { NodesNow } from './nodes-now.js';
import { OpenRoom } from './open-room.js';
import { Pace } from './pace.js';
import { PlanState } from './plan-state.js';
import { notBuiltIn, PodClasses, type PodClass } from './pod-classes.js';
import { Replacements, type Replacing } from './replacements.js';
import { RoomLedger } from './room-ledger.js';
import { FreestNodes } from './freest-nodes.js';
import { RoomSearch, type Found } from './room-search.js';

export interface LandingOptions {
  readonly gates: TolerationGates;
  /** How many pods, and how many workloads, are listed; the counts are of all. */
  readonly mostListed: number;
  /** How many moments are listed; 10,000 unless told. */
  readonly mostMoments?: number;
  /** How many pods may be placed by asking every filter, where their answer hangs on other pods; 2,000 unless told. */
  readonly budget?: { readonly evaluations?: number };
}

const MOST_MOMENTS = 10_000;
const MOST_EVALUATIONS = 2_000;
/** Refusals that are explained; each costs about as much as the answer to one placement. */
const MOST_EXPLAINED = 1_000;
/** How many feasible nodes a pod's row names. */
const NAMED = 5;

/**
 * Where pods that leave could land: for each that its controller makes anew, the nodes that the scheduler's filters leave it at that moment, one
 * of which the plan puts it on, and the pods for which there is none.
 *
 * What happens at one moment happens before the pods made at that moment are placed: taints are as they are then, pods that are gone
 * have freed their room, those that are still Terminating hold it. Pods are placed one after the other, by priority and then by the time since
 * which they wait, each with those before it in place; one that finds no node is tried again when room becomes free or a node's taints
 * change. The plan chooses the feasible node with the most room left, since scores are not built.
 *
 * In short steps, so that the caller can let others run in between; it yields nothing. Indices are those of the state.
 *
 * @throws RangeError for events out of order, and for nodes and pods that are not there
 */
export function* stepLandings(
  state: ClusterState,
  events: Iterable<LandingEvent>,
  options: LandingOptions,
): Generator<undefined, Landings> {
  const plan = new LandingPlan(state, options);
  yield* plan.prepare();
  let at: number | undefined;
  for (const event of events) {
    if (at !== undefined && event.at !== at) {
      // Not a number is not greater either.
      if (!(event.at > at)) throw new RangeError(`an event at ${event.at} comes after one at ${at}`);
      yield* plan.settle(at);
    }
    at = event.at;
    yield* plan.take(event);
  }
  if (at !== undefined) yield* plan.settle(at);
  return yield* plan.finish();
}

class LandingPlan {
  private readonly pace = new Pace();
  private readonly nodes: NodesNow;
  private readonly ledger: RoomLedger;
  private readonly search: RoomSearch;
  private readonly classes: PodClasses;
  private readonly replacements: Replacements;
  private readonly planState: PlanState;
  private readonly openRoom: OpenRoom;
  private readonly report: LandingReport;
  private readonly lines = new Map<string, Line>();
  private readonly queue = new LineQueue();
  /** Lines whose first pod found no node; those of pods that are pinned to a node by the node. */
  private readonly waiting = new Set<Line>();
  private readonly waitingOn = new Map<number, Set<Line>>();
  private waitingPods = 0;
  /** Lines that were refused and whose answer hangs on other pods: by how many of these had moved then. */
  private readonly onlookers = new Map<Line, number>();
  /** Pods, nodes and taints that moved. */
  private moves = 0;
  /** Of this moment: nodes with new room or new taints. */
  private readonly freed = new Set<number>();
  /** Pods that are pending: what became of them is told at the end. */
  private readonly pending = new Set<number>();
  private readonly released: Uint8Array;
  private evaluations = 0;
  private explained = 0;

  constructor(
    private readonly state: ClusterState,
    private readonly options: LandingOptions,
  ) {
    const { gates, mostListed, mostMoments = MOST_MOMENTS } = options;
    this.nodes = new NodesNow(state);
    this.ledger = new RoomLedger(state);
    this.search = new RoomSearch(this.ledger, state.nodes.count);
    this.classes = new PodClasses(state, this.nodes, this.ledger, this.search, gates);
    this.replacements = new Replacements(state, this.nodes, gates);
    this.planState = new PlanState(state, this.nodes, this.ledger);
    this.openRoom = new OpenRoom(this.nodes, this.ledger);
    this.report = new LandingReport(state, mostListed, mostMoments);
    this.released = new Uint8Array(state.pods.count);
  }

  prepare(): Generator<undefined, void> {
    return this.replacements.prepare(this.pace);
  }

  /** Lets one event happen; nothing is placed yet. */
  *take(event: LandingEvent): Generator<undefined, void> {
    if (event.kind === 'taints') {
      this.nodes.change(event.node, event.taints, event.unschedulable, event.gone === true);
      this.ledger.changedInMoment.add(event.node);
      this.freed.add(event.node);
      this.moves++;
      if (this.pace.isDue(3)) yield undefined;
      return;
    }
    const { at, pod } = event;
    if (event.kind === 'marked') {
      const replacing = this.replacements.mark(pod);
      if (replacing === undefined) return;
      this.report.marked(pod, at);
      yield* this.replace(pod, replacing, at);
      return;
    }
    const replacing = this.replacements.gone(pod);
    if (this.released[pod] === 1) return;
    this.released[pod] = 1;
    this.report.gone(pod, at);
    const { pods } = this.state;
    const node = pods.nodeIndex(pod);
    if (node >= 0 && pods.active(pod)) {
      this.ledger.release(node, pod);
      this.planState.podGone(pod);
      this.freed.add(node);
      this.moves++;
    }
    if (replacing !== undefined) yield* this.replace(pod, replacing, at);
  }

  /** Places what can be placed after all that happened at a moment. */
  *settle(at: number): Generator<undefined, void> {
    for (const node of this.freed) {
      for (const pod of this.replacements.admittedOn(node)) yield* this.replace(pod, 'made', at);
    }
    yield* this.wake();
    this.freed.clear();
    for (;;) {
      const line = this.queue.take();
      if (line !== undefined) yield* this.place(line, at);
      else if (!this.askAgain()) break;
    }
    this.report.endMoment(at, this.waitingPods, this.openRoom.now());
  }

  /** Lines that look at other pods, and were refused before the last of these moved, have their turn again. */
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

  *finish(): Generator<undefined, Landings> {
    for (const pod of this.pending) {
      if (this.pace.isDue(2)) yield undefined;
      this.report.neverReplaced(pod, this.replacements.stillPending(pod));
    }
    for (const line of this.lines.values()) {
      for (const pod of line.waiting()) this.report.leftWithout(pod);
      if (this.pace.isDue(10)) yield undefined;
    }
    return this.report.finish({
      evaluations: this.evaluations,
      assumptions: assumptionsOf({
        ...this.replacements.seen,
        missingKinds: this.replacements.controllers.missingKinds,
        hasUnknown: this.report.hasUnknown,
      }),
    });
  }

  private *replace(pod: number, replacing: Replacing, at: number): Generator<undefined, void> {
    if (replacing === 'pending') {
      this.pending.add(pod);
      for (const next of this.replacements.next(pod)) yield* this.replace(next, 'made', at);
      return;
    }
    this.pending.delete(pod);
    if (replacing === 'unknown') {
      const { kind = '', name = '' } =
        this.state.pods.ownerReferences(pod).find(({ controller }) => controller === true) ?? {};
      this.report.unknown(pod, [
        {
          code: 'customController',
          message: `${kind} ${name} is no controller of Kubernetes' own: whether and when it makes another pod is not known`,
        },
      ]);
      return;
    }
    if (replacing !== 'made') {
      this.report.neverReplaced(pod, replacing);
      return;
    }
    this.report.replaced(pod, at);
    const before = this.classes.count;
    const found = this.classes.of(pod, this.replacements.isDaemon(pod));
    if (this.pace.isDue(this.classes.count > before ? 400 : 3)) yield undefined;
    if (found === undefined) {
      yield* this.leaveUnknown(pod, at, [UNREADABLE]);
      return;
    }
    const key = `${found.podClass.id} ${found.pin}`;
    let line = this.lines.get(key);
    if (line === undefined) {
      line = new Line(found.podClass, found.pin, this.lines.size);
      this.lines.set(key, line);
    }
    line.push(pod, at);
    this.waitingPods++;
    this.queue.add(line);
  }

  /** Lines that wait, and for which a node that changed may do now. */
  private *wake(): Generator<undefined, void> {
    if (this.freed.size === 0) return;
    const freed = [...this.freed];
    for (const line of this.waiting) {
      if (this.pace.isDue(0.05 * freed.length + 0.05)) yield undefined;
      if (freed.some((node) => mayTake(line.podClass, node))) this.queue.add(line);
    }
    for (const node of freed) {
      for (const line of this.waitingOn.get(node) ?? []) if (mayTake(line.podClass, node)) this.queue.add(line);
    }
  }

  private *place(line: Line, at: number): Generator<undefined, void> {
    const { podClass } = line;
    const pod = line.first;
    let found: Found;
    let unknownBecause = podClass.unknownBecause;
    if (podClass.hangsOnPods) {
      const asked = yield* this.ask(line, pod);
      if (asked === undefined) {
        yield* this.settleFirst(line, (first) => this.leaveUnknown(first, at, [OVER_BUDGET]));
        return;
      }
      found = asked.found;
      unknownBecause = asked.unknownBecause;
    } else if (line.isPinned) found = lookAtPin(line);
    else {
      const most = this.report.wantsNodes(pod) ? NAMED : 1;
      const searched = this.search.find(podClass.ground, podClass.shape, most);
      found = searched;
      if (this.pace.isDue(searched.looked * 0.05 + 5)) yield undefined;
    }
    const [chosen] = found.best;
    if (chosen !== undefined) {
      this.report.landed(pod, at, found, podClass, line.firstTime < at);
      this.ledger.take(chosen, podClass.entries);
      this.planState.podLanded(() => this.made(pod), chosen, podClass.affectsPods);
      this.moves++;
      yield* this.settleFirst(line, (first) => this.comesUp(first, at));
    } else if (found.unknown > 0) {
      yield* this.settleFirst(line, (first) => this.leaveUnknown(first, at, unknownBecause, found));
    } else {
      yield* this.refuse(line);
    }
  }

  /** The first of a line needs no place any more; the next may have its turn. */
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
    because: readonly UnknownLanding[],
    found?: Found,
  ): Generator<undefined, void> {
    this.report.unknown(pod, because, found);
    yield* this.comesUp(pod, at);
  }

  /** A pod is placed, or taken to come up somewhere: those that waited for it are made. */
  private *comesUp(pod: number, at: number): Generator<undefined, void> {
    for (const next of this.replacements.landed(pod)) yield* this.replace(next, 'made', at);
  }

  /** No node for the first of a line, and so for none of it. */
  private *refuse(line: Line): Generator<undefined, void> {
    const unjudged = line.unjudged();
    let refusal: Refusal | undefined;
    if (this.explained < MOST_EXPLAINED && unjudged.some((pod) => this.report.wantsRefusal(pod))) {
      this.explained++;
      const placement = yield* this.evaluate(line.first);
      refusal = { message: placement.message(), reasons: placement.rollUp() };
    }
    for (const pod of unjudged) {
      if (this.pace.isDue(1)) yield undefined;
      this.report.refused(pod, refusal);
    }
    line.refused = line.length;
    if (line.podClass.hangsOnPods) this.onlookers.set(line, this.moves);
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

  /** Asks every filter, as long as that is paid for. */
  private *ask(
    line: Line,
    pod: number,
  ): Generator<undefined, { readonly found: Found; readonly unknownBecause: readonly UnknownLanding[] } | undefined> {
    if (this.evaluations >= (this.options.budget?.evaluations ?? MOST_EVALUATIONS)) return undefined;
    this.evaluations++;
    if (line.podClass.looksAtPods) this.planState.followAll();
    const placement = yield* this.evaluate(pod);
    const { feasible, unknown } = placement.counts;
    const best = this.freest(placement, line.podClass);
    return { found: { feasible, unknown, best }, unknownBecause: feasible > 0 ? [] : notBuiltIn(placement) };
  }

  private *evaluate(pod: number): Generator<undefined, Placement> {
    const now = yield* this.planState.now();
    const placement = evaluatePlacement(now, { pod: this.made(pod), gates: this.options.gates });
    if (this.pace.isDue(500)) yield undefined;
    return placement;
  }

  private freest(placement: Placement, { shape }: PodClass): readonly number[] {
    const { nodes } = this.state;
    const freest = new FreestNodes(NAMED);
    placement.verdicts.forEach((verdict, index) => {
      if (verdict !== FEASIBLE) return;
      const node = nodes.indexOf(placement.state.nodes.name(index));
      freest.add(shape.share(node), node);
    });
    return freest.nodes;
  }

  private made(pod: number): ReturnType<typeof madeAnew> {
    const { pods, nodes } = this.state;
    return madeAnew(pods.pod(pod), this.replacements.isDaemon(pod) ? nodes.name(pods.nodeIndex(pod)) : undefined);
  }
}

const UNREADABLE: UnknownLanding = {
  code: 'unreadableRequest',
  message: 'the pod requests a quantity that cannot be read, so it is not known what room it needs',
};
const OVER_BUDGET: UnknownLanding = {
  code: 'budget',
  message: 'its answer hangs on other pods, and more such pods leave than are evaluated in one plan',
};

/** Whether a node has room for a pod and lets it in, other pods aside. */
const mayTake = ({ ground, shape }: PodClass, node: number): boolean => ground.admits(node) && shape.fits(node);

function lookAtPin({ podClass, pin }: Line): Found {
  if (pin < 0 || !mayTake(podClass, pin)) return { feasible: 0, unknown: 0, best: [] };
  return podClass.ground.isUnknown(pin)
    ? { feasible: 0, unknown: 1, best: [] }
    : { feasible: 1, unknown: 0, best: [pin] };
}
