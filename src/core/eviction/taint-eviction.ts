import { ShardedMap } from '../cluster/sharded-map.js';
import { dequeue, enqueue, type TimerQueue } from '../collections/timer-queue.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evictionTime, type EvictionTime } from './eviction-time.js';
import { decideTimer, type EvictionTimer } from './timer-decision.js';

/**
 * An event that the taint eviction controller observes, or that affects it. `at` is in milliseconds since the epoch.
 */
export type EvictionEvent = { readonly at: number } & (
  | {
      /** A node was created, or its complete list of taints was written. */
      readonly do: 'setNode';
      readonly node: string;
      readonly taints: readonly Taint[];
    }
  | { readonly do: 'deleteNode'; readonly node: string }
  | {
      /** A pod was bound to a node, or its complete list of tolerations was written. */
      readonly do: 'setPod';
      readonly namespace: string;
      readonly name: string;
      readonly node: string;
      readonly tolerations: readonly Toleration[];
    }
  /** Another client requested its deletion: it is terminating, but still exists. */
  | { readonly do: 'markPod'; readonly namespace: string; readonly name: string }
  /** The pod is gone. */
  | { readonly do: 'deletePod'; readonly namespace: string; readonly name: string }
  /** The controller stops, and loses its memory. */
  | { readonly do: 'stopController' }
  /** It starts, and observes every node and pod for the first time. */
  | { readonly do: 'startController' }
  /** Only time has passed. */
  | { readonly do: 'wait' }
);

/** A pod whose deletion the controller has requested from the API server. */
export interface Eviction {
  readonly at: number;
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** The reason: a taint that is not tolerated, or the tolerations used when the timer was set. */
  readonly because: EvictionTime;
  /** When the timer was set; equal to `at` for an immediate eviction. */
  readonly startedAt: number;
}

interface WatchedPod {
  readonly namespace: string;
  readonly name: string;
  readonly tolerations: readonly Toleration[];
  readonly marked: boolean;
  readonly timer?: EvictionTimer & { readonly because: EvictionTime };
}

/** A node name with the pods that are bound to it; the node itself may not exist. */
interface NodeSlot {
  readonly exists: boolean;
  readonly taints: readonly Taint[];
  readonly pods: ReadonlyMap<string, WatchedPod>;
}

interface QueuedTimer {
  readonly firesAt: number;
  readonly node: string;
  readonly key: string;
  readonly timer: EvictionTimer;
}

/** The controller's memory at a time. Created only by `NO_EVICTIONS` and `stepTaintEviction`. */
export interface EvictionState {
  /** The time of the last event. */
  readonly at: number;
  readonly controllerRuns: boolean;
  readonly nodes: ShardedMap<NodeSlot>;
  readonly nodeOfPod: ShardedMap<string>;
  /** Timers by when they fire, including cancelled ones. */
  readonly queue: TimerQueue<QueuedTimer>;
}

/** The initial state: no node, no pod, a running controller. */
export const NO_EVICTIONS: EvictionState = {
  at: -Infinity,
  controllerRuns: true,
  nodes: ShardedMap.empty(),
  nodeOfPod: ShardedMap.empty(),
  queue: undefined,
};

export class EventOutOfOrderError extends Error {}

/**
 * The taint eviction controller as a function of one event: its memory afterwards, and the pods that it has evicted
 * since the previous event, in chronological order.
 *
 * Timers that fire at the time of the event have fired before it. `timeAdded`, PodDisruptionBudgets, priority and phase
 * are ignored. A timer survives the deletion of its node, but not a restart of the controller, which restarts all
 * timers. A pod that is already being deleted is not reported again. States are immutable and share their common parts.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction: taint_eviction.go, timed_workers.go.
 *
 * @throws EventOutOfOrderError for an event that is older than the previous one
 */
export function stepTaintEviction(
  state: EvictionState,
  event: EvictionEvent,
  gates: TolerationGates,
): { readonly state: EvictionState; readonly evictions: readonly Eviction[] } {
  if (event.at < state.at) throw new EventOutOfOrderError('an event is older than the one before it');
  const draft = new EvictionDraft(state, gates);
  draft.fireUntil(event.at);
  draft.take(event);
  return draft.finish(event.at);
}

/** A state under construction. */
class EvictionDraft {
  private readonly nodes: ReturnType<EvictionState['nodes']['edit']>;
  private readonly nodeOfPod: ReturnType<EvictionState['nodeOfPod']['edit']>;
  private queue: TimerQueue<QueuedTimer>;
  private controllerRuns: boolean;
  private readonly own = new Map<string, Map<string, WatchedPod>>();
  private readonly evictions: Eviction[] = [];

  constructor(
    private readonly before: EvictionState,
    private readonly gates: TolerationGates,
  ) {
    this.nodes = before.nodes.edit();
    this.nodeOfPod = before.nodeOfPod.edit();
    this.queue = before.queue;
    this.controllerRuns = before.controllerRuns;
  }

  finish(at: number): ReturnType<typeof stepTaintEviction> {
    const { controllerRuns, queue } = this;
    const state = { at, controllerRuns, queue, nodes: this.nodes.finish(), nodeOfPod: this.nodeOfPod.finish() };
    return { state, evictions: this.evictions };
  }

  fireUntil(at: number): void {
    while (this.queue !== undefined && this.queue.entry.firesAt <= at) {
      const { node, key, timer } = this.queue.entry;
      this.queue = dequeue(this.queue);
      const slot = this.slot(node);
      const pod = slot.pods.get(key);
      // A cancelled timer is still in the queue.
      if (pod?.timer === timer) this.evict(node, key, pod, timer.firesAt, pod.timer);
    }
  }

  take(event: EvictionEvent): void {
    switch (event.do) {
      case 'setNode': {
        const { node, taints, at } = event;
        const slot = this.slot(node);
        this.nodes.set(node, { ...slot, exists: true, taints });
        this.lookAtNode(node, at);
        return;
      }
      case 'deleteNode':
        // The timers of its pods keep running: the controller checks no pod of a deleted node.
        this.nodes.set(event.node, { ...this.slot(event.node), exists: false });
        return;
      case 'setPod':
        this.setPod(event);
        return;
      case 'markPod':
        this.changePod(event, (pod) => ({ ...pod, marked: true }));
        return;
      case 'deletePod':
        this.removePod(keyOf(event));
        return;
      case 'stopController':
        this.controllerRuns = false;
        this.forgetTimers();
        return;
      case 'startController':
        if (this.controllerRuns) this.forgetTimers();
        this.controllerRuns = true;
        for (const name of this.nodeNames()) this.lookAtNode(name, event.at);
        return;
      case 'wait':
    }
  }

  private setPod({ namespace, name, node, tolerations, at }: EvictionEvent & { readonly do: 'setPod' }): void {
    const key = keyOf({ namespace, name });
    const bound = this.nodeOfPod.get(key);
    if (bound !== undefined && bound !== node) this.removePod(key);
    const slot = this.slot(node);
    const known = slot.pods.get(key);
    const pod: WatchedPod = { marked: false, ...known, namespace, name, tolerations };
    this.put(node, key, pod);
    this.nodeOfPod.set(key, node);
    if (slot.exists) this.lookAtPod(node, key, at);
  }

  private changePod(named: PodName, change: (pod: WatchedPod) => WatchedPod): void {
    const key = keyOf(named);
    const node = this.nodeOfPod.get(key);
    const pod = node === undefined ? undefined : this.slot(node).pods.get(key);
    if (node !== undefined && pod !== undefined) this.put(node, key, change(pod));
  }

  private removePod(key: string): void {
    const node = this.nodeOfPod.get(key);
    if (node === undefined) return;
    this.ownPods(node).delete(key);
    this.nodeOfPod.delete(key);
  }

  private forgetTimers(): void {
    this.queue = undefined;
    for (const node of this.nodeNames()) {
      for (const [key, pod] of this.slot(node).pods) if (pod.timer !== undefined) this.put(node, key, without(pod));
    }
  }

  private lookAtNode(node: string, at: number): void {
    if (!this.controllerRuns || !this.slot(node).exists) return;
    for (const key of this.slot(node).pods.keys()) this.lookAtPod(node, key, at);
  }

  private lookAtPod(node: string, key: string, at: number): void {
    if (!this.controllerRuns) return;
    const { taints, pods } = this.slot(node);
    const pod = pods.get(key)!;
    const because = evictionTime(pod.tolerations, taints, this.gates);
    const decision = decideTimer(because, pod.timer, at);
    if (decision.do === 'start') {
      const timer = { startedAt: at, firesAt: decision.firesAt, because };
      this.put(node, key, { ...pod, timer });
      this.queue = enqueue(this.queue, { firesAt: timer.firesAt, node, key, timer });
    } else if (decision.do === 'delete') {
      this.evict(node, key, pod, at, { because, startedAt: at });
    } else if (decision.do === 'cancel' && pod.timer !== undefined) {
      this.put(node, key, without(pod));
    }
  }

  private evict(
    node: string,
    key: string,
    pod: WatchedPod,
    at: number,
    { because, startedAt }: { readonly because: EvictionTime; readonly startedAt: number },
  ): void {
    const { namespace, name, marked } = pod;
    if (!marked) this.evictions.push({ at, namespace, name, node, because, startedAt });
    this.put(node, key, { ...without(pod), marked: true });
  }

  private put(node: string, key: string, pod: WatchedPod): void {
    this.ownPods(node).set(key, pod);
  }

  /** The mutable pods of a node: copied once per event. */
  private ownPods(node: string): Map<string, WatchedPod> {
    const known = this.own.get(node);
    if (known !== undefined) return known;
    const slot = this.slot(node);
    const pods = new Map(slot.pods);
    this.own.set(node, pods);
    this.nodes.set(node, { ...slot, pods });
    return pods;
  }

  private slot(node: string): NodeSlot {
    return this.nodes.get(node) ?? NO_SLOT;
  }

  /** Nodes are never forgotten, so the previous ones and the one of the event are complete. */
  private nodeNames(): readonly string[] {
    return [...this.before.nodes.keys()];
  }
}

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

const NO_SLOT: NodeSlot = { exists: false, taints: [], pods: new Map() };

const keyOf = ({ namespace, name }: PodName): string => `${namespace}/${name}`;

const without = ({ namespace, name, tolerations, marked }: WatchedPod): WatchedPod => ({
  namespace,
  name,
  tolerations,
  marked,
});
