import { defined } from '../collections/defined.js';
import { dequeue, enqueue, type TimerQueue } from '../collections/timer-queue.js';
import { GARBAGE_COLLECTION_MS } from '../eviction/departure.js';
import type { NodeDrainOutcome, RollingOptions, RollingPod } from './drain-plan.js';
import { isBudgetIgnored, reviewEviction, type EvictedPod } from '../disruption/eviction-review.js';
import type { Rescheduler } from '../rescheduling/rescheduler.js';
import type { LiveBudget } from './live-budget.js';
import type { ReplacementRecords } from './replacement-records.js';

/** A pod that a drain evicts. Times are milliseconds since the epoch. */
export interface PodToDrain {
  /** The pod as the Eviction API reads it. */
  readonly evicted: EvictedPod;
  /** Index into the state's pods. */
  readonly pod: number;
  /** Identifies the result. */
  readonly row: number;
  /** Budgets that select it. */
  readonly guards: readonly number[];
  /** Whether its budgets count it as healthy at the start. */
  readonly healthy: boolean;
  readonly graceMs: number;
  /** When a pod that is already being deleted is due to be gone. */
  readonly deletedAt: number | undefined;
  /**
   * Who ends the pod: its kubelet, within the grace period; the API server, immediately; the pod garbage collector,
   * within 20 s, on an unreachable node that is marked out of service; nobody, on any other unreachable node.
   */
  readonly endedBy: 'kubelet' | 'apiServer' | 'podGarbageCollector' | 'nobody';
}

export interface NodeToDrain {
  /** Index into the state's nodes. */
  readonly node: number;
  /** False if kubectl refuses to start. */
  readonly starts: boolean;
  readonly pods: readonly PodToDrain[];
}

export interface RollingQuestion {
  /** In drain order. */
  readonly nodes: readonly NodeToDrain[];
  readonly budgets: ReadonlyMap<number, LiveBudget>;
  /** Places the replacements, once the nodes are cordoned; reports to `records`, and takes readiness from events. */
  readonly rescheduler: Rescheduler;
  readonly records: ReplacementRecords;
  readonly rolling: RollingOptions;
  /** Pods are deleted, which bypasses budgets. */
  readonly disableEviction: boolean;
  /** Zero means forever. */
  readonly timeoutSeconds: number;
  /**
   * kubectl no longer waits for a pod that was due to be gone more than this many seconds ago; with zero and less, it
   * always waits.
   */
  readonly skipWaitForDeleteTimeoutSeconds: number;
  readonly now: number;
}

/** What decides and is not known. */
export type Undecided =
  /** The status that the disruption controller writes for a budget. */
  | { readonly what: 'budget'; readonly budget: number }
  /** Whether the replacement of a pod gets a node. */
  | { readonly what: 'replacement'; readonly pod: number }
  /** The replacement of a pod lands on the node before the drain of that node, which would evict it as well. */
  | { readonly what: 'landsBefore'; readonly pod: number; readonly place: number }
  /** Whether the drain of an earlier node, by its place in the question, ends. */
  | { readonly what: 'earlierNode'; readonly place: number };

export interface RollingNode {
  /** As kubectl sees it: `drained` also if replacements have no node. */
  readonly outcome: Exclude<NodeDrainOutcome, 'podsPending'>;
  readonly startsAt?: number;
  readonly endsAt?: number;
  readonly rounds: number;
  /** Present for `unknown`. */
  readonly undecided?: readonly Undecided[];
}

export interface RollingAnswer {
  readonly nodes: readonly RollingNode[];
  /** By row. */
  readonly pods: ReadonlyMap<number, Omit<RollingPod, 'replacement'>>;
  /** The budgets for which pods wait forever, with those pods' rows. */
  readonly waiting: ReadonlyMap<number, readonly number[]>;
}

/** How long kubectl waits before it retries after a 429. */
const RETRY_MS = 5000;
/** How often kubectl checks whether a pod is gone. */
const WAIT_POLL_MS = 1000;
/** The number of reasons that are collected for one node or budget. */
const MAX_CAUSES = 10;
/** Events between two steps of the generator. */
const STRIDE = 64;

type Happening =
  /** Replacements become ready, or those whose nodes are not known would be. */
  | { readonly what: 'ready'; readonly pods: readonly number[]; readonly known: boolean }
  /** Pods no longer exist. */
  | { readonly what: 'left'; readonly pods: readonly number[] }
  /** kubectl observes that pods are gone, or stops waiting for them. */
  | { readonly what: 'gone'; readonly node: number; readonly pods: number }
  | { readonly what: 'timeout'; readonly node: number }
  | { readonly what: 'try'; readonly node: number };
type Event = Happening & { readonly firesAt: number };

/** The order of events at the same moment. */
const ORDER: Readonly<Record<Happening['what'], number>> = { ready: 0, left: 1, gone: 2, timeout: 3, try: 4 };

/**
 * Drains nodes one after another, `maxParallel` in parallel, and reports when each pod is evicted and gone.
 *
 * Like kubectl: all pods of a node are requested together, and retried every 5 s while the response is 429; any other
 * status code ends that pod's eviction with an error; a node is done when the last of its pods is gone. Replacements are
 * placed after all events of a moment, and a budget is replenished only by those that get a node. An eviction that
 * depends on something unknown is not decided, and its node never ends. For the assumptions about controllers and
 * kubelets, see `drainAssumptions`.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/drain/drain.go, `evictPods`, `waitForDelete`; pkg/cmd/drain/drain.go, `RunDrain`.
 */
export function* stepRollingDrain(question: RollingQuestion): Generator<undefined, RollingAnswer> {
  const drain = new RollingDrain(question);
  let looked = 0;
  while (yield* drain.step()) if (++looked % STRIDE === 0) yield undefined;
  return yield* drain.stepAnswer();
}

/** A node that is being drained. */
interface Underway {
  readonly startsAt: number;
  /** Not yet evicted. */
  pending: readonly PodToDrain[];
  /** Their evictions depend on something unknown; kubectl may still request them. */
  readonly undecided: PodToDrain[];
  readonly because: Undecided[];
  /** Evicted, and not yet gone. */
  leaving: number;
  /** The next time that evictions are requested; undefined while no response could have changed. */
  nextTry?: number;
  rounds: number;
  failed: boolean;
}

class RollingDrain {
  private queue: TimerQueue<Event> = undefined;
  /** The remaining events of this moment, in reverse order. */
  private readonly moment: Event[] = [];
  private readonly toCome = new EventsToCome();
  private readonly underway = new Map<number, Underway>();
  private readonly done: (RollingNode | undefined)[];
  private readonly pods = new Map<number, Omit<RollingPod, 'replacement'>>();
  /** Evicted pods, by their index in the state. */
  private readonly evicted = new Map<number, PodToDrain>();
  /** What makes the number of healthy pods of a budget uncertain. */
  private readonly doubts = new Map<number, Undecided[]>();
  /** The moment at which pods left or nodes changed, and replacements are not yet placed. */
  private unsettled: number | undefined;
  private readonly waiting = new Map<number, number[]>();
  /** Nodes with pods that a budget blocks. */
  private readonly heldUp = new Map<number, Set<number>>();
  private next = 0;

  constructor(private readonly question: RollingQuestion) {
    this.done = question.nodes.map(() => undefined);
    this.startNodes(question.now);
  }

  /** Processes the next event; false if there is none. */
  *step(): Generator<undefined, boolean> {
    let event = this.moment.pop();
    if (event === undefined) {
      if (this.unsettled !== undefined && this.queue?.entry.firesAt !== this.unsettled) {
        yield* this.settle(this.unsettled);
      }
      event = this.nextMoment();
    }
    if (event === undefined) return false;
    yield* this.happen(event);
    return true;
  }

  /** Places the replacements that a moment's events call for. */
  private *settle(at: number): Generator<undefined, void> {
    this.unsettled = undefined;
    const { rescheduler, records, rolling } = this.question;
    yield* rescheduler.settle(at);
    const ready: number[] = [];
    const unknown: number[] = [];
    for (const { pod, known } of records.takeStarted()) {
      if (!known) unknown.push(pod);
      // A pod that is not ready is replaced by one that is not.
      else if (this.evicted.get(pod)?.evicted.ready === true) ready.push(pod);
    }
    const firesAt = at + rolling.replacementReadySeconds * 1000;
    for (const pod of ready) records.readyAt(pod, firesAt);
    if (ready.length > 0) this.push({ what: 'ready', pods: ready, known: true, firesAt });
    if (unknown.length > 0) this.push({ what: 'ready', pods: unknown, known: false, firesAt });
  }

  /** Takes the events of the next moment off the queue: returns the first, and keeps the rest in `moment`. */
  private nextMoment(): Event | undefined {
    const at = this.queue?.entry.firesAt;
    while (this.queue !== undefined && this.queue.entry.firesAt === at) {
      this.moment.push(this.queue.entry);
      this.queue = dequeue(this.queue);
    }
    // Events are taken from the end.
    this.moment.sort((a, b) => ORDER[b.what] - ORDER[a.what] || nodeOf(b) - nodeOf(a));
    return this.moment.pop();
  }

  *stepAnswer(): Generator<undefined, RollingAnswer> {
    let unknownPlace: number | undefined;
    for (const [place, node] of this.underway) {
      const { startsAt, rounds } = node;
      const undecided = this.undecidedOf(node);
      for (const pod of node.pending) this.giveUp(pod, this.isUnknown(pod) ? 'unknown' : 'blocked');
      for (const pod of node.undecided) this.giveUp(pod, 'unknown');
      if (undecided.length > 0) {
        unknownPlace ??= place;
        this.done[place] = { outcome: 'unknown', startsAt, rounds, undecided };
      } else this.done[place] = { outcome: node.pending.length === 0 ? 'stuck' : 'blocked', startsAt, rounds };
    }
    const rest: RollingNode =
      unknownPlace === undefined
        ? { outcome: 'notReached', rounds: 0 }
        : { outcome: 'unknown', rounds: 0, undecided: [{ what: 'earlierNode', place: unknownPlace }] };
    const nodes: RollingNode[] = [];
    for (const [index, node] of this.done.entries()) {
      if (index % STRIDE === STRIDE - 1) yield undefined;
      if (node === undefined) {
        const outcome = unknownPlace === undefined ? 'notReached' : 'unknown';
        for (const { row } of this.question.nodes[index]!.pods) this.pods.set(row, { outcome });
      }
      nodes.push(node ?? rest);
    }
    return { nodes, pods: this.pods, waiting: this.waiting };
  }

  private *happen(event: Event): Generator<undefined, void> {
    const at = event.firesAt;
    if (event.what === 'ready') {
      for (const pod of event.pods) yield* this.replacementReady(pod, event.known, at);
      return;
    }
    if (event.what === 'left') {
      this.unsettled = at;
      for (const pod of event.pods) yield* this.question.rescheduler.take({ kind: 'gone', pod, at });
      return;
    }
    const node = this.underway.get(event.node);
    if (node === undefined) return;
    if (event.what === 'gone') node.leaving -= event.pods;
    else if (event.what === 'timeout') {
      this.timeOut(event.node, node, at);
      return;
    } else if (node.nextTry === at) {
      delete node.nextTry;
      yield* this.ask(event.node, node, at);
    }
    if (node.pending.length === 0 && node.undecided.length === 0 && node.leaving === 0) {
      this.finish(event.node, node, at);
    }
  }

  private *replacementReady(pod: number, known: boolean, at: number): Generator<undefined, void> {
    const { budgets, rescheduler } = this.question;
    if (known) {
      this.unsettled = at;
      yield* rescheduler.take({ kind: 'ready', pod, at });
    }
    const { guards, evicted } = this.evicted.get(pod)!;
    if (!evicted.ready) return;
    for (const budget of guards) {
      if (known) budgets.get(budget)?.gain();
      else {
        budgets.get(budget)?.mayGain();
        this.doubt(budget, [{ what: 'replacement', pod }]);
      }
      for (const node of this.heldUp.get(budget) ?? []) this.askAgain(node, at);
    }
  }

  private startNodes(at: number): void {
    const { nodes, rolling, timeoutSeconds } = this.question;
    while (this.next < nodes.length && this.underway.size < rolling.maxParallel) {
      const index = this.next++;
      const { node, starts, pods } = nodes[index]!;
      if (starts && this.question.records.landedOn(node).length > 0) {
        this.startUndecided(index, at);
        continue;
      }
      if (!starts || pods.length === 0) {
        for (const { row } of pods) this.pods.set(row, { outcome: 'notReached' });
        this.done[index] = { outcome: starts ? 'drained' : 'refused', startsAt: at, endsAt: at, rounds: 0 };
        continue;
      }
      const underway = {
        startsAt: at,
        pending: pods,
        undecided: [],
        because: [],
        leaving: 0,
        rounds: 0,
        failed: false,
      };
      this.underway.set(index, { ...underway, nextTry: at });
      this.push({ what: 'try', node: index, firesAt: at });
      if (timeoutSeconds > 0) this.push({ what: 'timeout', node: index, firesAt: at + timeoutSeconds * 1000 });
    }
  }

  /** kubectl would also evict replacements of other nodes' pods, which is not simulated. */
  private startUndecided(place: number, at: number): void {
    const { nodes, records, timeoutSeconds } = this.question;
    const { node, pods } = nodes[place]!;
    const because = records
      .landedOn(node)
      .slice(0, MAX_CAUSES)
      .map((pod): Undecided => ({ what: 'landsBefore', pod, place }));
    for (const pod of pods) this.mayLeave(pod, because);
    this.underway.set(place, {
      startsAt: at,
      pending: [],
      undecided: [...pods],
      because,
      leaving: 0,
      rounds: 0,
      failed: false,
    });
    if (timeoutSeconds > 0) this.push({ what: 'timeout', node: place, firesAt: at + timeoutSeconds * 1000 });
  }

  private finish(index: number, { startsAt, rounds, failed }: Underway, at: number): void {
    this.underway.delete(index);
    for (const nodes of this.heldUp.values()) nodes.delete(index);
    this.done[index] = { outcome: failed ? 'failed' : 'drained', startsAt, endsAt: at, rounds };
    this.startNodes(at);
  }

  private timeOut(index: number, node: Underway, at: number): void {
    const { startsAt, rounds } = node;
    const undecided = this.undecidedOf(node);
    const unknown = [...node.pending.filter((pod) => this.isUnknown(pod)), ...node.undecided];
    const isSure =
      node.leaving > 0 ||
      node.pending.some((pod) => !this.isUnknown(pod)) ||
      unknown.some((pod) => (endOf(pod, startsAt, pod.deletedAt ?? startsAt + pod.graceMs) ?? at + 1) > at);
    // Otherwise the node may be done before, and when the next one starts is not known.
    if (!isSure) return;
    const tries = triesUntil(startsAt, at);
    for (const pod of node.pending) this.giveUp(pod, this.isUnknown(pod) ? 'unknown' : 'timedOut', tries);
    for (const pod of node.undecided) this.giveUp(pod, 'unknown');
    this.finish(index, node, at);
    this.done[index] =
      undecided.length > 0
        ? { outcome: 'unknown', startsAt, rounds, undecided }
        : { outcome: 'timedOut', startsAt, endsAt: at, rounds };
  }

  /** Requests the eviction of every pod of a node that is not evicted yet. */
  private *ask(index: number, node: Underway, at: number): Generator<undefined, void> {
    const tries = triesUntil(node.startsAt, at);
    const stillPending: PodToDrain[] = [];
    let granted = false;
    for (const pod of node.pending) {
      const answer = this.review(pod, at);
      if (answer === 'wait') {
        stillPending.push(pod);
        for (const budget of pod.guards) this.holdUp(budget, index);
      } else if (answer === 'failed') {
        node.failed = true;
        this.pods.set(pod.row, { outcome: 'failed', tries });
      } else if (answer === 'undecided') {
        node.undecided.push(pod);
        const causes = pod.guards.flatMap((budget) => this.doubts.get(budget) ?? []);
        addCauses(node.because, causes);
        this.mayLeave(pod, causes);
      } else {
        if (!granted) node.rounds += 1;
        granted = true;
        yield* this.letGo(node, pod, at, tries);
      }
    }
    node.pending = stillPending;
    for (const event of this.toCome.take(index)) this.push(event);
  }

  private review(pod: PodToDrain, at: number): 'granted' | 'wait' | 'failed' | 'undecided' {
    const { disableEviction, budgets } = this.question;
    if (disableEviction || isBudgetIgnored(pod.evicted)) return 'granted';
    const [fewest, most] = (['fewest', 'most'] as const).map((bound) => {
      const guards = pod.guards.map((budget) => budgets.get(budget)?.guard(bound));
      const known = guards.filter((guard) => guard !== undefined);
      return known.length < guards.length ? undefined : reviewEviction(pod.evicted, known, at);
    });
    // More than one budget is an error, regardless of their status.
    if (fewest === undefined || most === undefined) return pod.guards.length > 1 ? 'failed' : 'wait';
    if (fewest.allowed) return 'granted';
    if (fewest.code !== 429) return 'failed';
    return most.allowed ? 'undecided' : 'wait';
  }

  private *letGo(node: Underway, pod: PodToDrain, at: number, tries: number): Generator<undefined, void> {
    const { skipWaitForDeleteTimeoutSeconds: skip, budgets, rescheduler } = this.question;
    const due = pod.deletedAt ?? at + pod.graceMs;
    const goneAt = endOf(pod, at, due);
    const fate = { outcome: 'evicted', evictedAt: at, tries, round: node.rounds } as const;
    this.pods.set(pod.row, goneAt === undefined ? fate : { ...fate, goneAt });
    this.evicted.set(pod.pod, pod);
    node.leaving += 1;
    const waitedUntil = goneAt ?? (skip > 0 ? Math.max(at, due + skip * 1000 + WAIT_POLL_MS) : undefined);
    if (waitedUntil !== undefined) this.toCome.gone(waitedUntil);
    if (goneAt !== undefined) this.toCome.left(goneAt, pod.pod);
    if (pod.healthy) for (const budget of pod.guards) budgets.get(budget)?.lose();
    this.unsettled = at;
    yield* rescheduler.take({ kind: 'marked', pod: pod.pod, at });
  }

  /** Whether and when the pod is evicted is not known, so neither is the number of healthy pods of its budgets. */
  private mayLeave(pod: PodToDrain, causes: readonly Undecided[]): void {
    if (!pod.healthy) return;
    for (const budget of pod.guards) {
      this.question.budgets.get(budget)?.mayLose();
      this.doubt(budget, causes);
    }
  }

  private doubt(budget: number, causes: readonly Undecided[]): void {
    const known = this.doubts.get(budget);
    if (known === undefined) this.doubts.set(budget, causes.slice(0, MAX_CAUSES));
    else addCauses(known, causes);
  }

  /** Why it is not known whether, or when, the node's remaining pods are evicted; empty if it is known. */
  private undecidedOf({ pending, because }: Underway): readonly Undecided[] {
    const all = [...because];
    for (const { guards } of pending) {
      for (const budget of guards) {
        if (this.question.budgets.get(budget)?.blocks === 'unknown') addCauses(all, [{ what: 'budget', budget }]);
      }
    }
    return all;
  }

  private holdUp(budget: number, node: number): void {
    const nodes = this.heldUp.get(budget);
    if (nodes === undefined) this.heldUp.set(budget, new Set([node]));
    else nodes.add(node);
  }

  private askAgain(index: number, at: number): void {
    const node = this.underway.get(index);
    if (node === undefined || node.pending.length === 0) return;
    const firesAt = node.startsAt + Math.ceil((at - node.startsAt) / RETRY_MS) * RETRY_MS;
    if (node.nextTry !== undefined && node.nextTry <= firesAt) return;
    node.nextTry = firesAt;
    this.push({ what: 'try', node: index, firesAt });
  }

  private giveUp(pod: PodToDrain, outcome: 'blocked' | 'timedOut' | 'unknown', tries?: number): void {
    this.pods.set(pod.row, { outcome, ...defined({ tries }) });
    for (const budget of pod.guards) {
      const rows = this.waiting.get(budget);
      if (rows === undefined) this.waiting.set(budget, [pod.row]);
      else rows.push(pod.row);
    }
  }

  private isUnknown({ guards }: PodToDrain): boolean {
    return guards.some((budget) => this.question.budgets.get(budget)?.blocks === 'unknown');
  }

  private push(event: Event): void {
    this.queue = enqueue(this.queue, event);
  }
}

/** The consequences of evicting pods of one node, combined into few events. */
class EventsToCome {
  private readonly goneAt = new Map<number, number>();
  private readonly leftAt = new Map<number, number[]>();

  gone(firesAt: number): void {
    this.goneAt.set(firesAt, (this.goneAt.get(firesAt) ?? 0) + 1);
  }

  left(firesAt: number, pod: number): void {
    const pods = this.leftAt.get(firesAt);
    if (pods === undefined) this.leftAt.set(firesAt, [pod]);
    else pods.push(pod);
  }

  /** The consequences collected since the last call. */
  take(node: number): readonly Event[] {
    const gone = [...this.goneAt].map(([firesAt, pods]): Event => ({ what: 'gone', node, pods, firesAt }));
    const left = [...this.leftAt].map(([firesAt, pods]): Event => ({ what: 'left', pods, firesAt }));
    this.goneAt.clear();
    this.leftAt.clear();
    return [...gone, ...left];
  }
}

const keyOf = (cause: Undecided): string => Object.values(cause).join(' ');

/** Adds causes that are not in the list yet, up to `MAX_CAUSES`. */
function addCauses(all: Undecided[], more: readonly Undecided[]): void {
  for (const cause of more) {
    if (all.length >= MAX_CAUSES) return;
    if (!all.some((known) => keyOf(known) === keyOf(cause))) all.push(cause);
  }
}

/** When an evicted pod is gone; undefined if nobody ends it. */
function endOf({ endedBy }: PodToDrain, at: number, due: number): number | undefined {
  switch (endedBy) {
    case 'kubelet':
      return Math.max(at, due);
    case 'apiServer':
      return at;
    case 'podGarbageCollector':
      return at + GARBAGE_COLLECTION_MS;
    case 'nobody':
      return undefined;
  }
}

const nodeOf = (event: Event): number => ('node' in event ? event.node : -1);

/** How often kubectl has requested a pod's eviction, including the request at that moment. */
const triesUntil = (startsAt: number, at: number): number => Math.floor((at - startsAt) / RETRY_MS) + 1;
