import type { ClusterState } from '../../cluster/cluster-state.js';
import { internText } from '../../cluster/intern-table.js';
import { podNamed } from '../../admission/claims-to-make.js';
import { defined } from '../../collections/defined.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate } from '../../kubernetes/objects/workloads.js';
import { QuantityError } from '../../kubernetes/quantity.js';
import type { AggregateMessage } from '../../placement/aggregate-message.js';
import type { Placement } from '../../placement/placement.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import type { ReasonCount } from '../../placement/roll-up.js';
import { SchedulingRun, type RunDecision } from '../run/scheduling-run.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { QueuedWork } from './queued-work.js';

/** Why pods found no node: Kubernetes' message, and the reasons behind it. */
export interface QueueRefusal {
  readonly message: AggregateMessage;
  /** Counted over all nodes, in descending order. */
  readonly reasons: readonly ReasonCount[];
}

/** The result for one pod, or for `count` consecutive pods that are alike. */
export type QueueDecision = {
  /** The index of the work. */
  readonly work: number;
  readonly name: string;
} & (
  | {
      readonly outcome: 'placed';
      readonly count: 1;
      readonly node: string;
      readonly feasible: number;
      readonly tied: number;
      readonly total?: number;
      /** See `RunDecision`. */
      readonly uncertain?: readonly string[];
    }
  | { readonly outcome: 'unplaced'; readonly count: number; readonly refusal: QueueRefusal }
  /** Scheduling gates keep the pod out of the queue. */
  | { readonly outcome: 'gated'; readonly count: number; readonly message: string }
  | { readonly outcome: 'error'; readonly count: number; readonly message: string }
  /** The run stopped before it tried the pod. */
  | { readonly outcome: 'notTried'; readonly count: number }
);

export type QueueOutcome = QueueDecision['outcome'];

/** The number of pods with each outcome. */
export type QueueTotals = Readonly<Record<QueueOutcome, number>>;

/** A reason, and how many pods without a node have it on some node. */
export interface PendingReason extends Pick<ReasonCount, 'plugin' | 'code' | 'message'> {
  readonly pods: number;
}

export interface QueueResult {
  /** In the order of the queue, up to the maximum number; gated pods come last. */
  readonly decisions: readonly QueueDecision[];
  /** Whether every decision is listed. */
  readonly isListed: boolean;
  /** By index of the work. */
  readonly byWork: readonly QueueTotals[];
  readonly totals: QueueTotals;
  /** In descending order of pods. */
  readonly reasons: readonly PendingReason[];
  /** By the text of a taint: how many pods without a node do not tolerate it on some node. */
  readonly taints: ReadonlyMap<string, number>;
  /** The limit that stopped the run early. */
  readonly stopped?: 'time' | 'pods';
}

export interface QueueOptions {
  /** Called before each pod: whether the caller's time limit has passed. */
  readonly isOverdue?: () => boolean;
  /** The maximum number of pods to try. */
  readonly mostPods?: number;
  /** The maximum number of decisions to list; others are only counted. */
  readonly mostListed?: number;
  /** See `RunOptions.pick`. */
  readonly pick?: (tied: number) => number;
  /** Called after each decision. */
  readonly onProgress?: (totals: QueueTotals) => void;
}

/**
 * Places the pods of the work one after another, in the given order (see `inQueueOrder`), each in the state with those before
 * it, as a scheduler that checks every node. A pod without a node stays pending and is not tried again. A generator that
 * yields after every decision.
 *
 * Preemption is not evaluated: no pod is evicted for one that finds no node.
 */
export function* stepQueue(
  state: ClusterState,
  work: readonly QueuedWork[],
  profile: SchedulingProfile,
  options: QueueOptions = {},
): Generator<undefined, QueueResult> {
  const { pick } = options;
  const run = yield* SchedulingRun.stepOpen(state, profile, pick === undefined ? {} : { pick });
  const turn = new QueueTurn(state, work, run, options);
  yield;
  for (const [index, one] of work.entries()) {
    if (schedulingGate(one.pod) === undefined) yield* turn.take(index, one);
  }
  for (const [index, one] of work.entries()) {
    const gate = schedulingGate(one.pod);
    if (gate === undefined) continue;
    turn.record({
      work: index,
      name: one.pod.metadata.name,
      outcome: 'gated',
      count: one.replicas,
      message: gate.message,
    });
    yield;
  }
  return turn.result();
}

type Tally = Record<QueueOutcome, number>;
const nothing = (): Tally => ({ placed: 0, unplaced: 0, gated: 0, error: 0, notTried: 0 });

/** The maximum number of remembered refusals; all are forgotten when a pod is placed. */
const MAX_REFUSALS = 1024;
const MAX_LISTED = 100_000;

class QueueTurn {
  private readonly names: ReplicaNames;
  private readonly decisions: QueueDecision[] = [];
  private readonly byWork: Tally[];
  private readonly totals = nothing();
  private readonly reasons = new Map<string, PendingReason & { pods: number }>();
  private readonly taints = new Map<string, number>();
  /** The refusals of pods that are alike, since the last pod was placed. */
  private readonly refused = new Map<string, QueueDecision & { outcome: 'unplaced' | 'error' }>();
  private isListed = true;
  private tried = 0;
  private stopped: 'time' | 'pods' | undefined;

  constructor(
    state: ClusterState,
    work: readonly QueuedWork[],
    private readonly run: SchedulingRun,
    private readonly options: QueueOptions,
  ) {
    this.names = new ReplicaNames(state, work);
    this.byWork = work.map(nothing);
  }

  *take(work: number, queued: QueuedWork): Generator<undefined, void> {
    const { pod, replicas, claimTemplates } = queued;
    // Claims of one template may be bound to different volumes, so each replica is evaluated on its own.
    const alike = claimTemplates === undefined ? alikeKey(pod) : undefined;
    for (let replica = 0; replica < replicas; replica++) {
      this.stopped ??= this.limit();
      const name = replicas === 1 && alike !== undefined ? pod.metadata.name : this.names.next(work);
      const rest = replicas - replica;
      if (this.stopped !== undefined) {
        this.record({ work, name, outcome: 'notTried', count: rest });
        return;
      }
      const known = alike === undefined ? undefined : this.refused.get(alike);
      const decision = known === undefined ? yield* this.decide(work, queued, name) : { ...known, work, name };
      if (decision.outcome === 'placed') {
        this.tried++;
        this.refused.clear();
        this.record(decision);
        yield;
        continue;
      }
      if (alike === undefined) {
        this.tried++;
        this.record(decision);
        yield;
        continue;
      }
      // Nothing has changed for the remaining replicas, so they have the same result.
      this.tried += rest;
      if (this.refused.size < MAX_REFUSALS) this.refused.set(alike, decision);
      this.record({ ...decision, count: rest });
      yield;
      return;
    }
  }

  record(decision: QueueDecision): void {
    const { outcome, count } = decision;
    this.totals[outcome] += count;
    this.byWork[decision.work]![outcome] += count;
    if (decision.outcome === 'unplaced') this.countReasons(decision.refusal, count);
    if (this.decisions.length < (this.options.mostListed ?? MAX_LISTED)) this.decisions.push(decision);
    else this.isListed = false;
    this.options.onProgress?.(this.totals);
  }

  result(): QueueResult {
    const { decisions, isListed, byWork, totals, taints, stopped } = this;
    return {
      decisions,
      isListed,
      byWork,
      totals,
      reasons: [...this.reasons.values()].sort((a, b) => b.pods - a.pods),
      taints,
      ...defined({ stopped }),
    };
  }

  private limit(): 'time' | 'pods' | undefined {
    const { mostPods = Number.POSITIVE_INFINITY, isOverdue } = this.options;
    if (this.tried >= mostPods) return 'pods';
    return isOverdue?.() === true ? 'time' : undefined;
  }

  private *decide(
    work: number,
    { pod: template, claimTemplates = [] }: QueuedWork,
    name: string,
  ): Generator<undefined, QueueDecision & { outcome: 'placed' | 'unplaced' | 'error' }> {
    const pod = name === template.metadata.name ? template : podNamed(template, name, claimTemplates);
    const decision = this.schedule(pod, claimTemplates);
    switch (decision.outcome) {
      case 'placed': {
        const { node, ...scored } = decision;
        return { ...scored, work, name, count: 1, node: this.run.nodeName(node) };
      }
      case 'unplaced':
        if (decision.needsState()) yield* this.run.stepState();
        return { work, name, outcome: 'unplaced', count: 1, refusal: refusalOf(decision.placement()) };
      case 'error':
        return { work, name, outcome: 'error', count: 1, message: decision.message };
    }
  }

  private schedule(pod: Pod, claimTemplates: readonly VolumeClaimTemplate[]): RunDecision {
    try {
      return this.run.schedule(pod, claimTemplates);
    } catch (error) {
      if (error instanceof QuantityError) return { outcome: 'error', plugin: '', message: error.message };
      throw error;
    }
  }

  private countReasons({ reasons }: QueueRefusal, pods: number): void {
    for (const { plugin, code, message, taints = [] } of reasons) {
      const key = `${plugin}\n${message}`;
      const known = this.reasons.get(key);
      if (known === undefined) this.reasons.set(key, { plugin, code, message, pods });
      else known.pods += pods;
      for (const { taint } of taints) this.taints.set(taint, (this.taints.get(taint) ?? 0) + pods);
    }
  }
}

export function refusalOf(placement: Placement): QueueRefusal {
  return { message: placement.message(), reasons: placement.rollUp() };
}

/** Pods with the same key have the same result as long as no pod is placed in between. */
function alikeKey({ metadata, spec, status }: Pod): string {
  const { namespace, labels, ownerReferences, deletionTimestamp } = metadata;
  const hasOwnObjects =
    status?.nominatedNodeName !== undefined ||
    (spec.volumes ?? []).some((volume) => Object.hasOwn(volume, 'ephemeral')) ||
    (spec.resourceClaims ?? []).length > 0;
  const own = hasOwnObjects ? metadata.name : '';
  return internText([namespace, labels, ownerReferences, deletionTimestamp, spec, own]);
}

/** Names for replicas that no stored pod and no other work has. */
class ReplicaNames {
  private readonly bases: readonly string[];
  private readonly used: Int32Array;
  private readonly singles: ReadonlySet<string>;

  constructor(
    private readonly state: ClusterState,
    private readonly work: readonly QueuedWork[],
  ) {
    this.singles = new Set(work.filter(({ replicas }) => replicas === 1).map(({ pod }) => pod.metadata.name));
    const taken = new Set(this.singles);
    this.used = new Int32Array(work.length);
    this.bases = work.map(({ pod, replicas }) => {
      const { name } = pod.metadata;
      if (replicas === 1) return name;
      let base = name;
      for (let turn = 2; taken.has(base); turn++) base = `${name}-${turn}`;
      taken.add(base);
      return base;
    });
  }

  next(work: number): string {
    const { namespace = '' } = this.work[work]!.pod.metadata;
    for (;;) {
      const name = `${this.bases[work]!}-${this.used[work]!++}`;
      if (!this.singles.has(name) && this.state.pods.indexOf(namespace, name) < 0) return name;
    }
  }
}
