import { dequeue, enqueue, type TimerQueue } from '../collections/timer-queue.js';
import { GARBAGE_COLLECTION_MS } from '../eviction/departure.js';
import type { NodeDrainOutcome, RollingOptions, RollingPod } from './drain-plan.js';
import { isBudgetIgnored, reviewEviction, type EvictedPod } from '../disruption/eviction-review.js';
import type { LiveBudget } from './live-budget.js';

/** A pod that a drain evicts. Times are milliseconds since the epoch. */
export interface PodToDrain {
  /** The pod as the Eviction API reads it. */
  readonly evicted: EvictedPod;
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
  /** When its controller creates a replacement: as soon as it is being deleted, when it is gone, or never. */
  readonly replaced: 'atOnce' | 'whenGone' | 'never';
}

export interface NodeToDrain {
  /** False if kubectl refuses to start. */
  readonly starts: boolean;
  readonly pods: readonly PodToDrain[];
}

export interface RollingQuestion {
  /** In drain order. */
  readonly nodes: readonly NodeToDrain[];
  readonly budgets: ReadonlyMap<number, LiveBudget>;
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

export interface RollingNode {
  readonly outcome: NodeDrainOutcome;
  readonly startsAt?: number;
  readonly endsAt?: number;
  readonly rounds: number;
}

export interface RollingAnswer {
  readonly nodes: readonly RollingNode[];
  /** By row. */
  readonly pods: ReadonlyMap<number, RollingPod>;
  /** The budgets for which pods wait forever, with those pods' rows. */
  readonly waiting: ReadonlyMap<number, readonly number[]>;
}

/** How long kubectl waits before it retries after a 429. */
const RETRY_MS = 5000;
/** How often kubectl checks whether a pod is gone. */
const WAIT_POLL_MS = 1000;
/** Events between two steps of the generator. */
const STRIDE = 64;

type Happening =
  /** Pods become healthy for their budgets. */
  | { readonly what: 'healthy'; readonly guards: readonly number[]; readonly pods: number }
  /** kubectl observes that pods are gone, or stops waiting for them. */
  | { readonly what: 'gone'; readonly node: number; readonly pods: number }
  | { readonly what: 'timeout'; readonly node: number }
  | { readonly what: 'try'; readonly node: number };
type Event = Happening & { readonly firesAt: number };

/** The order of events at the same moment. */
const ORDER: Readonly<Record<Happening['what'], number>> = { healthy: 0, gone: 1, timeout: 2, try: 3 };

/**
 * Drains nodes one after another, `maxParallel` in parallel, and reports when each pod is evicted and gone.
 *
 * Like kubectl: all pods of a node are requested together, and retried every 5 s while the response is 429; any other
 * status code ends that pod's eviction with an error; a node is done when the last of its pods is gone. For the
 * assumptions about controllers and kubelets, see `drainAssumptions`.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/drain/drain.go, `evictPods`, `waitForDelete`; pkg/cmd/drain/drain.go, `RunDrain`.
 */
export function* stepRollingDrain(question: RollingQuestion): Generator<undefined, RollingAnswer> {
  const drain = new RollingDrain(question);
  let looked = 0;
  while (drain.step()) if (++looked % STRIDE === 0) yield undefined;
  return yield* drain.stepAnswer();
}

/** A node that is being drained. */
interface Underway {
  readonly startsAt: number;
  /** Not yet evicted. */
  pending: readonly PodToDrain[];
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
  private readonly pods = new Map<number, RollingPod>();
  private readonly waiting = new Map<number, number[]>();
  /** Nodes with pods that a budget blocks. */
  private readonly heldUp = new Map<number, Set<number>>();
  private next = 0;

  constructor(private readonly question: RollingQuestion) {
    this.done = question.nodes.map(() => undefined);
    this.startNodes(question.now);
  }

  /** Processes the next event; false if there is none. */
  step(): boolean {
    const event = this.moment.pop() ?? this.nextMoment();
    if (event === undefined) return false;
    this.happen(event);
    return true;
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
    for (const [node, { startsAt, pending, rounds }] of this.underway) {
      if (pending.length === 0) {
        this.done[node] = { outcome: 'stuck', startsAt, rounds };
        continue;
      }
      const unknown = pending.some((pod) => this.isUnknown(pod));
      for (const pod of pending) this.giveUp(pod, { outcome: this.isUnknown(pod) ? 'unknown' : 'blocked' });
      this.done[node] = { outcome: unknown ? 'unknown' : 'blocked', startsAt, rounds };
    }
    const nodes: RollingNode[] = [];
    for (const [index, node] of this.done.entries()) {
      if (index % STRIDE === STRIDE - 1) yield undefined;
      if (node === undefined) {
        for (const { row } of this.question.nodes[index]!.pods) this.pods.set(row, { outcome: 'notReached' });
      }
      nodes.push(node ?? { outcome: 'notReached', rounds: 0 });
    }
    return { nodes, pods: this.pods, waiting: this.waiting };
  }

  private happen(event: Event): void {
    const at = event.firesAt;
    if (event.what === 'healthy') {
      for (const budget of event.guards) {
        this.question.budgets.get(budget)?.gain(event.pods);
        for (const node of this.heldUp.get(budget) ?? []) this.askAgain(node, at);
      }
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
      this.ask(event.node, node, at);
    }
    if (node.pending.length === 0 && node.leaving === 0) this.finish(event.node, node, at);
  }

  private startNodes(at: number): void {
    const { nodes, rolling, timeoutSeconds } = this.question;
    while (this.next < nodes.length && this.underway.size < rolling.maxParallel) {
      const index = this.next++;
      const { starts, pods } = nodes[index]!;
      if (!starts || pods.length === 0) {
        for (const { row } of pods) this.pods.set(row, { outcome: 'notReached' });
        this.done[index] = { outcome: starts ? 'drained' : 'refused', startsAt: at, endsAt: at, rounds: 0 };
        continue;
      }
      this.underway.set(index, { startsAt: at, pending: pods, leaving: 0, nextTry: at, rounds: 0, failed: false });
      this.push({ what: 'try', node: index, firesAt: at });
      if (timeoutSeconds > 0) this.push({ what: 'timeout', node: index, firesAt: at + timeoutSeconds * 1000 });
    }
  }

  private finish(index: number, { startsAt, rounds, failed }: Underway, at: number): void {
    this.underway.delete(index);
    for (const nodes of this.heldUp.values()) nodes.delete(index);
    this.done[index] = { outcome: failed ? 'failed' : 'drained', startsAt, endsAt: at, rounds };
    this.startNodes(at);
  }

  private timeOut(index: number, node: Underway, at: number): void {
    const tries = triesUntil(node.startsAt, at);
    const unknown = node.pending.some((pod) => this.isUnknown(pod));
    for (const pod of node.pending) this.giveUp(pod, { outcome: this.isUnknown(pod) ? 'unknown' : 'timedOut', tries });
    this.finish(index, node, at);
    const { startsAt, rounds } = node;
    this.done[index] = { outcome: unknown ? 'unknown' : 'timedOut', startsAt, ...(!unknown && { endsAt: at }), rounds };
  }

  /** Requests the eviction of every pod of a node that is not evicted yet. */
  private ask(index: number, node: Underway, at: number): void {
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
      } else {
        if (!granted) node.rounds += 1;
        granted = true;
        this.letGo(node, pod, at, tries);
      }
    }
    node.pending = stillPending;
    for (const event of this.toCome.take(index)) this.push(event);
  }

  private review(pod: PodToDrain, at: number): 'granted' | 'wait' | 'failed' {
    const { disableEviction, budgets } = this.question;
    if (disableEviction || isBudgetIgnored(pod.evicted)) return 'granted';
    const guards = pod.guards.map((budget) => budgets.get(budget)?.guard());
    const known = guards.filter((guard) => guard !== undefined);
    // More than one budget is an error, regardless of their status.
    if (known.length < guards.length) return guards.length > 1 ? 'failed' : 'wait';
    const review = reviewEviction(pod.evicted, known, at);
    if (review.allowed) return 'granted';
    return review.code === 429 ? 'wait' : 'failed';
  }

  private letGo(node: Underway, pod: PodToDrain, at: number, tries: number): void {
    const { question } = this;
    const due = pod.deletedAt ?? at + pod.graceMs;
    const goneAt = endOf(pod, at, due);
    const fate: RollingPod = { outcome: 'evicted', evictedAt: at, tries, round: node.rounds };
    this.pods.set(pod.row, goneAt === undefined ? fate : { ...fate, goneAt });
    node.leaving += 1;
    const skip = question.skipWaitForDeleteTimeoutSeconds;
    const waitedUntil = goneAt ?? (skip > 0 ? Math.max(at, due + skip * 1000 + WAIT_POLL_MS) : undefined);
    if (waitedUntil !== undefined) this.toCome.gone(waitedUntil);
    if (!pod.healthy || pod.guards.length === 0) return;
    for (const budget of pod.guards) question.budgets.get(budget)?.lose();
    const madeAt = pod.replaced === 'atOnce' ? at : pod.replaced === 'whenGone' ? goneAt : undefined;
    if (madeAt === undefined) return;
    const firesAt = madeAt + question.rolling.replacementReadySeconds * 1000;
    this.toCome.healthy(pod.guards, firesAt);
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

  private giveUp(pod: PodToDrain, fate: RollingPod): void {
    this.pods.set(pod.row, fate);
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
  private readonly healthyAt = new Map<
    string,
    { readonly guards: readonly number[]; readonly firesAt: number; pods: number }
  >();

  gone(firesAt: number): void {
    this.goneAt.set(firesAt, (this.goneAt.get(firesAt) ?? 0) + 1);
  }

  healthy(guards: readonly number[], firesAt: number): void {
    const key = `${firesAt} ${guards.join()}`;
    const same = this.healthyAt.get(key);
    if (same === undefined) this.healthyAt.set(key, { guards, firesAt, pods: 1 });
    else same.pods += 1;
  }

  /** The consequences collected since the last call. */
  take(node: number): readonly Event[] {
    const gone = [...this.goneAt].map(([firesAt, pods]): Event => ({ what: 'gone', node, pods, firesAt }));
    const healthy = [...this.healthyAt.values()].map((event): Event => ({ what: 'healthy', ...event }));
    this.goneAt.clear();
    this.healthyAt.clear();
    return [...gone, ...healthy];
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

const nodeOf = (event: Event): number => (event.what === 'healthy' ? -1 : event.node);

/** How often kubectl has requested a pod's eviction, including the request at that moment. */
const triesUntil = (startsAt: number, at: number): number => Math.floor((at - startsAt) / RETRY_MS) + 1;
