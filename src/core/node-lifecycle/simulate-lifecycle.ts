import { dequeue, enqueue, type TimerQueue } from '../collections/timer-queue.js';
import {
  NOT_READY_NO_EXECUTE,
  noExecuteOf,
  reconcileNoSchedule,
  swapTaints,
  UNREACHABLE_NO_EXECUTE,
} from '../kubernetes/condition-taints.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint } from '../kubernetes/taint.js';
import type { LifecycleParameters } from './lifecycle-parameters.js';
import type {
  ConditionChange,
  LifecycleEvent,
  LifecycleNode,
  LifecycleTimeline,
  TaintCause,
  TaintChange,
} from './lifecycle-timeline.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { conditionsOfSilence } from './node-health.js';
import { PassClock, TICK_MS } from './pass-clock.js';
import { SimulatedNode } from './simulated-node.js';
import { ZoneDisruption, type Zone } from './zone-disruption.js';

/** The inputs of a simulation. Times are milliseconds since 1970. */
export interface LifecycleInput {
  /**
   * The nodes at the beginning. The controller already knows them, and each node that has its taint has had its turn.
   */
  readonly nodes: readonly LifecycleNode[];
  /** In chronological order; earlier events take effect at the beginning, events after the end are ignored. */
  readonly events: readonly LifecycleEvent[];
  /** Checked by `checkLifecycleParameters` to have no errors. */
  readonly parameters: LifecycleParameters;
  /** Time of the first pass, in ms after the beginning: at least 0, less than the period. */
  readonly phaseMs: number;
  readonly fromAt: number;
  readonly untilAt: number;
  /** The order of waiting nodes, smallest value first; `ZoneQueue`'s order by default. */
  readonly rank?: (node: string, at: number) => number;
  /** The newest by default. */
  readonly rules: KubernetesRules;
}

/** Work between two steps of the generator. */
const NODES_A_SLICE = 50;

/**
 * What the node lifecycle controller does to the taints and conditions of nodes over time, step by step.
 *
 * NoSchedule taints immediately follow their conditions and the cordon. Once per period a pass checks the heartbeats:
 * silent nodes become Unknown, ready ones lose their NoExecute taints, and the others enter their zone's queue, which
 * serves them one by one at its rate. Passes and ticks without events are skipped, so the cost depends on events and
 * taints, not on time.
 *
 * In two cases the simulation follows what upstream does, not its documentation: a pass exactly one grace period after
 * an observed heartbeat finds the node silent (passes drift by their own duration, so ten of them always take longer
 * than ten periods); and a queued node whose Ready condition is removed loses its turn.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `monitorNodeHealth`,
 * `processTaintBaseEviction`, `doNoExecuteTaintingPass`, `doNoScheduleTaintingPass`; scheduler/rate_limited_queue.go,
 * `Try`.
 */
export function simulateLifecycle(input: LifecycleInput): Generator<undefined, LifecycleTimeline> {
  return new LifecycleSimulation(input).run();
}

class LifecycleSimulation {
  private readonly clock: PassClock;
  private readonly zones: ZoneDisruption;
  private readonly nodes: SimulatedNode[] = [];
  private readonly byName = new Map<string, SimulatedNode>();
  /** The nodes that the next pass must check. */
  private readonly dirty = new Set<SimulatedNode>();
  /** The silent nodes, by the end of their grace period; outdated entries are corrected when they come up. */
  private expiries: TimerQueue<{ readonly firesAt: number; readonly node: SimulatedNode }>;
  private readonly changes: TaintChange[] = [];
  private readonly conditionChanges: ConditionChange[] = [];
  private readonly triedAt = new Map<Zone, number>();
  /** The current time of the simulation, and its last pass with an effect (ms). */
  private nowAt: number;
  private passedAt = Number.NEGATIVE_INFINITY;
  private timestampAt = Number.NaN;
  private timestampText = '';

  constructor(private readonly input: LifecycleInput) {
    const { parameters, fromAt, phaseMs } = input;
    this.clock = new PassClock(fromAt, phaseMs, parameters.nodeMonitorPeriodSeconds * 1000);
    this.zones = new ZoneDisruption(parameters);
    this.nowAt = fromAt;
  }

  *run(): Generator<undefined, LifecycleTimeline> {
    const { events, fromAt, untilAt } = this.input;
    yield* this.begin();
    let next = 0;
    for (let work = 0; ; work += 1) {
      const event = events[next];
      const eventAt = event === undefined ? Number.POSITIVE_INFINITY : Math.max(event.at, fromAt);
      const passAt = this.nextPassAt();
      const tickAt = this.nextTickAt();
      const at = Math.min(eventAt, passAt, tickAt);
      if (!(at <= untilAt)) break;
      this.nowAt = at;
      if (event !== undefined && eventAt === at) {
        this.apply(event, at);
        next += 1;
      } else if (passAt === at) {
        yield* this.pass(at);
      } else {
        this.tick(at);
      }
      if (work % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    }
    return {
      changes: this.changes,
      conditionChanges: this.conditionChanges,
      zoneChanges: this.zones.changes,
      queued: [...this.zones.all()].flatMap(({ key, queue }) =>
        [...queue.waiting()].map(([number, since]) => ({ node: this.nodes[number]!.name, zone: key, since })),
      ),
    };
  }

  private *begin(): Generator<undefined, void> {
    const { nodes, fromAt } = this.input;
    for (const given of nodes) {
      const node = this.add(given);
      node.registered = true;
      if (!node.renewed)
        node.probedAt = this.firstProbe(node, this.clock.passAtOrAfter(given.lastHeartbeatAt ?? fromAt));
      const noExecute = noExecuteOf(node.ready ?? '');
      const { queue } = this.zones.zoneOf(node.zone);
      if (noExecute !== undefined && has(node, noExecute.taint)) queue.markDone(node.number);
      this.zones.count(node);
      if (node.number % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    }
    this.zones.assume(fromAt);
    for (const node of this.nodes) {
      this.followConditions(node, fromAt);
      this.watchSilence(node);
      if (node.number % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    }
  }

  private add(given: LifecycleNode): SimulatedNode {
    const node = new SimulatedNode(this.nodes.length, given);
    this.nodes.push(node);
    this.byName.set(given.name, node);
    this.dirty.add(node);
    return node;
  }

  private apply(event: LifecycleEvent, at: number): void {
    if (event.kind === 'added') {
      this.followConditions(this.add(event.node), at);
      return;
    }
    const node = this.byName.get(event.node);
    if (node === undefined) return;
    this.dirty.add(node);
    switch (event.kind) {
      case 'conditions':
        this.post(node, event.conditions, at);
        return;
      case 'heartbeat':
        this.heartbeat(node, at);
        return;
      case 'silent':
        if (!node.renewed) return;
        node.renewed = false;
        node.probedAt = this.firstProbe(node, this.clock.passAtOrAfter(event.lastHeartbeatAt ?? at));
        this.watchSilence(node);
        return;
      case 'resumed':
        node.renewed = true;
        return;
      case 'taints':
        this.write(node, event.taints, at, 'written');
        this.followConditions(node, at);
        return;
      case 'unschedulable':
        node.unschedulable = event.unschedulable;
        this.followConditions(node, at);
        return;
      case 'deleted':
        node.deleted = true;
        this.byName.delete(node.name);
        return;
    }
  }

  private post(node: SimulatedNode, conditions: SimulatedNode['conditions'], at: number): void {
    const hadReady = node.ready !== undefined;
    node.conditions = conditions;
    this.conditionChanges.push({ at, node: node.name, by: 'kubelet', conditions });
    this.followConditions(node, at);
    // A status without Ready is not a heartbeat, unless it removes Ready: the controller then restarts its timer.
    if (hadReady || node.ready !== undefined) this.heartbeat(node, at);
  }

  private heartbeat(node: SimulatedNode, at: number): void {
    if (node.renewed) return;
    const probe = this.clock.passAtOrAfter(at);
    node.probedAt = node.probedAt === undefined ? probe : Math.max(node.probedAt, probe);
    this.watchSilence(node);
  }

  /** A node that has never posted a status counts from its creation, if it has no lease either. */
  private firstProbe(node: SimulatedNode, pass: number): number {
    const { createdAt, heartbeats, lastHeartbeatAt } = node.given;
    if (node.ready !== undefined || heartbeats || lastHeartbeatAt !== undefined || createdAt === undefined) return pass;
    return Math.floor(createdAt / 1000) * 1000;
  }

  /** When a silent node's grace period ends (ms). */
  private expiryOf(node: SimulatedNode): number {
    if (node.renewed || node.deleted || node.probedAt === undefined) return Number.POSITIVE_INFINITY;
    const { nodeMonitorGracePeriodSeconds, nodeStartupGracePeriodSeconds } = this.input.parameters;
    return (
      node.probedAt + 1000 * (node.ready === undefined ? nodeStartupGracePeriodSeconds : nodeMonitorGracePeriodSeconds)
    );
  }

  private watchSilence(node: SimulatedNode): void {
    const firesAt = this.expiryOf(node);
    if (Number.isFinite(firesAt)) this.expiries = enqueue(this.expiries, { firesAt, node });
  }

  private nextPassAt(): number {
    const due = this.dirty.size > 0 ? this.nowAt : (this.expiries?.entry.firesAt ?? Number.POSITIVE_INFINITY);
    return this.clock.passAtOrAfter(Math.max(due, this.nowAt, this.passedAt + 1));
  }

  private *pass(at: number): Generator<undefined, void> {
    this.passedAt = at;
    while (this.expiries !== undefined && this.expiries.entry.firesAt <= at) {
      const { node } = this.expiries.entry;
      this.expiries = dequeue(this.expiries);
      if (this.expiryOf(node) <= at) this.dirty.add(node);
      else this.watchSilence(node);
    }
    const nodes = [...this.dirty].sort((a, b) => a.number - b.number);
    this.dirty.clear();
    for (const [index, node] of nodes.entries()) {
      if (!node.registered && !node.deleted) this.register(node, at);
      if (index % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    }
    for (const [index, node] of nodes.entries()) {
      this.monitor(node, at);
      if (index % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    }
    const disruption = this.zones.handle(at);
    if (disruption === undefined) return;
    for (const node of this.nodes) {
      if (node.deleted) continue;
      if (disruption === 'entered') {
        this.markReachable(node, at, 'allZonesDown');
        this.dirty.add(node);
      } else {
        node.probedAt = at;
      }
      if (node.number % NODES_A_SLICE === NODES_A_SLICE - 1) yield undefined;
    }
  }

  private register(node: SimulatedNode, at: number): void {
    node.registered = true;
    if (!node.renewed) {
      node.probedAt = Math.max(node.probedAt ?? Number.NEGATIVE_INFINITY, this.firstProbe(node, at));
      this.watchSilence(node);
    }
    this.markReachable(node, at, 'registered');
  }

  /** The effect of a pass on one node. */
  private monitor(node: SimulatedNode, at: number): void {
    // A node without the condition counts as Unknown.
    const observed = node.ready ?? 'Unknown';
    if (!node.deleted && this.expiryOf(node) <= at) this.silence(node, at);
    this.zones.count(node);
    if (node.deleted) return;
    // Before 1.34, the controller goes by what it observed before its own change, and follows that on the next pass.
    const { minor } = this.input.rules;
    const ready = minor >= 34 || node.ready === undefined ? node.ready : observed;
    if (ready !== node.ready) this.dirty.add(node);
    const noExecute = noExecuteOf(ready ?? '');
    if (noExecute !== undefined) {
      const { taint, opposite } = noExecute;
      const { queue } = this.zones.zoneOf(node.zone);
      if (has(node, opposite)) {
        this.write(node, swapTaints(node.taints, [taint], [opposite], this.timestamp(at)), at, 'swap');
        return;
      }
      if (!has(node, taint) && !queue.isWaiting(node.number)) queue.remove(node.number);
      queue.add(node.number, at);
    } else if (ready === 'True') {
      this.markReachable(node, at, 'ready');
    }
  }

  private silence(node: SimulatedNode, at: number): void {
    const { createdAt } = node.given;
    const conditions = conditionsOfSilence(
      node.conditions,
      createdAt === undefined ? undefined : timestampOf(createdAt),
      this.timestamp(at),
    );
    if (conditions === node.conditions) return;
    node.conditions = conditions;
    this.conditionChanges.push({ at, node: node.name, by: 'controller', conditions });
    this.followConditions(node, at);
  }

  private markReachable(node: SimulatedNode, at: number, cause: TaintCause): void {
    const taints = node.taints.filter(
      (taint) => !matchesTaint(taint, UNREACHABLE_NO_EXECUTE) && !matchesTaint(taint, NOT_READY_NO_EXECUTE),
    );
    if (taints.length < node.taints.length) this.write(node, taints, at, cause);
    this.zones.zoneOf(node.zone).queue.remove(node.number);
  }

  private nextTickAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const zone of this.zones.all()) {
      if (zone.queue.length === 0) continue;
      const triedAt = this.triedAt.get(zone) ?? Number.NEGATIVE_INFINITY;
      const ready = Math.max(zone.limiter.nextTokenAt, this.nowAt, triedAt + TICK_MS);
      next = Math.min(next, this.clock.tickAtOrAfter(ready));
    }
    return next;
  }

  private tick(at: number): void {
    for (const zone of this.zones.all()) {
      if (zone.queue.length === 0 || !zone.limiter.tryAccept(at)) continue;
      this.triedAt.set(zone, at);
      this.serve(this.nodes[this.nextInLine(zone, at)]!, zone, at);
    }
  }

  private nextInLine({ queue }: Zone, at: number): number {
    const { rank } = this.input;
    let best = -1;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const [number] of queue.waiting()) {
      if (rank === undefined) return number;
      const own = rank(this.nodes[number]!.name, at);
      if (best < 0 || own < bestRank) [best, bestRank] = [number, own];
    }
    return best;
  }

  private serve(node: SimulatedNode, { queue }: Zone, at: number): void {
    queue.markDone(node.number);
    const noExecute = node.deleted ? undefined : noExecuteOf(node.ready ?? '');
    // A node that is gone, or ready again, still uses up its turn.
    if (noExecute === undefined) return;
    this.write(node, swapTaints(node.taints, [noExecute.taint], [noExecute.opposite], this.timestamp(at)), at, 'turn');
  }

  private followConditions(node: SimulatedNode, at: number): void {
    const taints = reconcileNoSchedule(node.taints, node.conditions, node.unschedulable, this.timestamp(at));
    this.write(node, taints, at, 'conditions');
  }

  /** Formats the time once for all nodes that change at the same moment. */
  private timestamp(at: number): string {
    if (at !== this.timestampAt) {
      this.timestampAt = at;
      this.timestampText = timestampOf(at);
    }
    return this.timestampText;
  }

  private write(node: SimulatedNode, taints: readonly Taint[], at: number, cause: TaintCause): void {
    const change = node.write(at, taints, cause);
    if (change !== undefined) this.changes.push(change);
  }
}

const has = ({ taints }: SimulatedNode, wanted: Taint): boolean => taints.some((taint) => matchesTaint(taint, wanted));

/** A time in the format of `metav1.Time`: whole seconds. */
function timestampOf(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
