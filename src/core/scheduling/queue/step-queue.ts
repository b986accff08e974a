import { NOTHING } from '../../collections/nothing.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { internText } from '../../cluster/intern-table.js';
import { podNamed } from '../../admission/claims-to-make.js';
import { defined } from '../../collections/defined.js';
import type { ClaimAllocation } from '../../devices/device-allocator.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate } from '../../kubernetes/objects/workloads.js';
import { QuantityError } from '../../kubernetes/quantity.js';
import type { AggregateMessage } from '../../placement/aggregate-message.js';
import { counted } from '../../collections/counted.js';
import { coschedulingFilter } from '../../placement/coscheduling-filter.js';
import type { Placement } from '../../placement/placement.js';
import { whyUnknown } from '../../placement/pod-groups.js';
import { countOfPod, type ReasonCount } from '../../placement/roll-up.js';
import { without } from '../../collections/without.js';
import { SchedulingRun, type RunDecision } from '../run/scheduling-run.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { stepQueuedGroups, waitingFor, type QueuedGroup } from './queued-groups.js';
import type { QueuedWork } from './queued-work.js';
import { waitsOutside } from './waits-outside.js';

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
      readonly devices?: readonly ClaimAllocation[];
    }
  | { readonly outcome: 'unplaced'; readonly count: number; readonly refusal: QueueRefusal }
  /** No node is known to be feasible, but some may be. The pod takes no room. */
  | {
      readonly outcome: 'unknown';
      readonly count: number;
      readonly refusal: QueueRefusal;
      /** See `Placement.uncertain`. */
      readonly uncertain: readonly string[];
    }
  /** Scheduling gates keep the pod out of the queue, or its group does, of which too few pods are there. */
  | {
      readonly outcome: 'gated';
      readonly count: number;
      readonly message: string;
      readonly reasons: readonly ReasonCount[];
    }
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
  /** The groups of the pods, in the order in which they came up. */
  readonly groups: readonly PlacedGroup[];
  /** The limit that stopped the run early. */
  readonly stopped?: 'time' | 'pods';
}

/** A group, and how many of its pods in the queue were placed. */
export interface PlacedGroup extends QueuedGroup {
  readonly placed: number;
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
  /** Called with the evaluation of each pod that finds no node. */
  readonly onRefused?: (work: number, placement: Placement) => void;
  /** Called after each decision. */
  readonly onProgress?: (totals: QueueTotals) => void;
}

/**
 * Places the pods of the work one after another, in the given order (see `inQueueOrder`), each in the state with those before
 * it, as a scheduler that checks every node. A pod without a node stays pending and is not tried again. A generator that
 * yields after every decision.
 *
 * Pods that the scheduler places together are tried one after another when the first of them comes up: if too few of them find a node, none
 * is placed. The scheduler of Kubernetes takes a group in the order of the queue, too, those of equal age in any (k8s.io/kubernetes v1.36.2,
 * pkg/scheduler/schedule_one_podgroup.go, `podGroupSchedulingDefaultAlgorithm`); the coscheduling plugin sorts groups by their creation.
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
  const turn = new QueueTurn(yield* ReplicaNames.stepOf(state, work), work, run, profile, options);
  const groups = yield* stepQueuedGroups(state, work, profile);
  const groupAt = new Map<number, QueuedGroup>();
  const waits = new Map<number, (name: string) => string>();
  const outside: ReturnType<typeof waitsOutside>[] = [];
  for (const { pod } of work) {
    outside.push(waitsOutside(state, pod, profile));
    yield;
  }
  for (const group of groups) {
    yield;
    if (group.treatment !== 'allOrNothing') continue;
    const waiting = waitingFor(group, work);
    for (const index of group.members) {
      if (waiting === undefined) groupAt.set(index, group);
      else waits.set(index, waiting);
    }
  }
  const kept: number[] = [];
  for (const [index, one] of work.entries()) {
    if (outside[index] !== undefined || waits.has(index)) {
      kept.push(index);
      continue;
    }
    const group = groupAt.get(index);
    if (group === undefined) yield* turn.take(index, one);
    else if (group.members[0] === index) yield* turn.takeGroup(group);
  }
  for (const index of kept) {
    const { pod, replicas } = work[index]!;
    const { name } = pod.metadata;
    const own = outside[index];
    const message = own?.message ?? waits.get(index)!(name);
    const reasons = own === undefined ? [] : [countOfPod(own, state)];
    turn.record({ work: index, name, outcome: 'gated', count: replicas, message, reasons });
    yield;
  }
  return turn.result(groups);
}

type Tally = Record<QueueOutcome, number>;
const nothing = (): Tally => ({ placed: 0, unplaced: 0, unknown: 0, gated: 0, error: 0, notTried: 0 });

/** The maximum number of remembered refusals; all are forgotten when a pod is placed. */
const MAX_REFUSALS = 1024;
const MAX_LISTED = 100_000;

class QueueTurn {
  private readonly decisions: QueueDecision[] = [];
  private readonly byWork: Tally[];
  private readonly totals = nothing();
  private readonly reasons = new Map<string, PendingReason & { pods: number }>();
  private readonly taints = new Map<string, number>();
  /** The refusals of pods that are alike, since the last pod was placed. */
  private readonly refused = new Map<string, QueueDecision & { outcome: 'unplaced' | 'unknown' | 'error' }>();
  private isListed = true;
  private tried = 0;
  private stopped: 'time' | 'pods' | undefined;

  constructor(
    private readonly names: ReplicaNames,
    private readonly work: readonly QueuedWork[],
    private run: SchedulingRun,
    private readonly profile: SchedulingProfile,
    private readonly options: QueueOptions,
  ) {
    this.byWork = work.map(nothing);
  }

  *take(work: number, queued: QueuedWork): Generator<undefined, void> {
    const { pod, replicas, claimTemplates } = queued;
    // Claims of one template may be bound to different volumes, so each replica is evaluated on its own.
    const canBeAlike = claimTemplates === undefined;
    let key: string | undefined;
    for (let replica = 0; replica < replicas; replica++) {
      this.stopped ??= this.limit();
      const name = replicas === 1 && canBeAlike ? pod.metadata.name : this.names.next(work);
      const rest = replicas - replica;
      if (this.stopped !== undefined) {
        this.record({ work, name, outcome: 'notTried', count: rest });
        yield;
        return;
      }
      // Not of pods that are not tried: making it takes longer than all else about them.
      const alike = canBeAlike ? (key ??= alikeKey(pod)) : undefined;
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

  /** Tries the pods of a group in a run of their own, which goes on if enough of them find a node. */
  *takeGroup(group: QueuedGroup): Generator<undefined, void> {
    const { minimum = 0, bound, members } = group;
    const before = this.run;
    const { pick } = this.options;
    const picking = pick === undefined ? {} : { pick };
    // Of the group, this decides; no filter does.
    const profile = this.profile.filters.includes(coschedulingFilter) ? alone(this.profile) : this.profile;
    this.run = yield* SchedulingRun.stepOpen(yield* before.stepState(), profile, picking);
    const decisions: QueueDecision[] = [];
    for (const index of members) {
      const queued = this.work[index]!;
      const { pod, replicas } = queued;
      for (let replica = 0; replica < replicas; replica++) {
        this.stopped ??= this.limit();
        const name = replicas === 1 ? pod.metadata.name : this.names.next(index);
        if (this.stopped !== undefined) {
          decisions.push({ work: index, name, outcome: 'notTried', count: replicas - replica });
          break;
        }
        this.tried++;
        decisions.push(yield* this.decide(index, { ...queued, pod: withoutGroup(pod) }, name));
        yield;
      }
    }
    const placed = decisions.filter(({ outcome }) => outcome === 'placed').length;
    // The scheduler gives up on a group if one of its pods fails with an error, not with a refusal.
    const isPlaced = bound + placed >= minimum && decisions.every(({ outcome }) => outcome !== 'error');
    if (isPlaced && this.stopped === undefined) {
      this.refused.clear();
      if (profile !== this.profile) {
        this.run = yield* SchedulingRun.stepOpen(yield* this.run.stepState(), this.profile, picking);
      }
    } else this.run = before;
    const mayBePlaced = bound + placed + group.leftOut >= minimum;
    for (const decision of decisions) {
      const { work, name, outcome } = decision;
      if (this.stopped !== undefined) this.record({ work, name, outcome: 'notTried', count: decision.count });
      else if (isPlaced || outcome !== 'placed') this.record(decision);
      else if (mayBePlaced) {
        const refusal = unknownOfGroup(group);
        this.record({ work, name, outcome: 'unknown', count: 1, refusal, uncertain: [group.source] });
      } else this.record({ work, name, outcome: 'unplaced', count: 1, refusal: refusalOfGroup(group, placed) });
    }
  }

  record(decision: QueueDecision): void {
    const { outcome, count } = decision;
    this.totals[outcome] += count;
    this.byWork[decision.work]![outcome] += count;
    if (decision.outcome === 'unplaced' || decision.outcome === 'unknown') this.countReasons(decision.refusal, count);
    if (this.decisions.length < (this.options.mostListed ?? MAX_LISTED)) this.decisions.push(decision);
    else this.isListed = false;
    this.options.onProgress?.(this.totals);
  }

  result(groups: readonly QueuedGroup[]): QueueResult {
    const { decisions, isListed, byWork, totals, taints, stopped } = this;
    return {
      decisions,
      isListed,
      byWork,
      totals,
      reasons: [...this.reasons.values()].sort((a, b) => b.pods - a.pods),
      taints,
      groups: groups.map((group) => ({
        ...group,
        placed: group.members.reduce((sum, index) => sum + byWork[index]!.placed, 0),
      })),
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
    { pod: template, claimTemplates = [], unknowns }: QueuedWork,
    name: string,
  ): Generator<undefined, QueueDecision & { outcome: 'placed' | 'unplaced' | 'unknown' | 'error' }> {
    const pod = name === template.metadata.name ? template : podNamed(template, name, claimTemplates);
    const decision = this.schedule(pod, claimTemplates, unknowns);
    switch (decision.outcome) {
      case 'placed': {
        const { node, ...scored } = decision;
        return { ...NOTHING, ...scored, work, name, count: 1, node: this.run.nodeName(node) };
      }
      case 'unplaced':
        if (decision.needsState()) yield* this.run.stepState();
        return this.unplaced(work, name, decision.placement());
      case 'error':
        return { work, name, outcome: 'error', count: 1, message: decision.message };
    }
  }

  private unplaced(
    work: number,
    name: string,
    placement: Placement,
  ): QueueDecision & { outcome: 'unplaced' | 'unknown' } {
    this.options.onRefused?.(work, placement);
    const refused = { work, name, count: 1, refusal: refusalOf(placement) };
    const { uncertain } = placement;
    return uncertain.length === 0 ? { ...refused, outcome: 'unplaced' } : { ...refused, outcome: 'unknown', uncertain };
  }

  private schedule(
    pod: Pod,
    claimTemplates: readonly VolumeClaimTemplate[],
    unknowns: QueuedWork['unknowns'],
  ): RunDecision {
    try {
      return this.run.schedule(pod, claimTemplates, unknowns);
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

const alone = (profile: SchedulingProfile): SchedulingProfile => ({
  ...profile,
  filters: profile.filters.filter((filter) => filter !== coschedulingFilter),
});

const withoutGroup = (pod: Pod): Pod =>
  pod.spec.schedulingGroup === undefined ? pod : { ...pod, spec: without(pod.spec, 'schedulingGroup') };

/** Of a pod that would have a node, but too few others of its group do. */
function refusalOfGroup({ source, namespace, name, minimum = 0, bound }: QueuedGroup, placed: number): QueueRefusal {
  const text =
    source === 'GangScheduling'
      ? 'pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod'
      : `PodGroup ${namespace}/${name} has nodes for ${bound + placed} of at least ${minimum} pods`;
  return { message: { text, preemption: 'none' }, reasons: [] };
}

/** Of a pod that would have a node, if those of its group that were left out of the queue had one, too. */
function unknownOfGroup(group: QueuedGroup): QueueRefusal {
  const { source, leftOut } = group;
  const note = `${counted(leftOut, 'pod')} of the group that ${leftOut === 1 ? 'waits' : 'wait'} for a node ${leftOut === 1 ? 'is' : 'are'} not in this queue`;
  const message = whyUnknown({ ...group, note });
  const reason = { plugin: source, code: 'NotImplemented' as const, message, nodes: 0, first: 0, examples: [] };
  return { message: { preemption: 'none' }, reasons: [reason] };
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
  private readonly used: Int32Array;

  private constructor(
    private readonly state: ClusterState,
    private readonly work: readonly QueuedWork[],
    private readonly bases: readonly string[],
    private readonly singles: ReadonlySet<string>,
  ) {
    this.used = new Int32Array(work.length);
  }

  static *stepOf(state: ClusterState, work: readonly QueuedWork[]): Generator<undefined, ReplicaNames> {
    const singles = new Set<string>();
    for (const { pod, replicas } of work) {
      if (replicas === 1) singles.add(pod.metadata.name);
      yield;
    }
    const taken = new Set<string>();
    const bases: string[] = [];
    for (const { pod, replicas } of work) {
      let base = pod.metadata.name;
      if (replicas !== 1) {
        const { name } = pod.metadata;
        for (let turn = 2; singles.has(base) || taken.has(base); turn++) base = `${name}-${turn}`;
        taken.add(base);
      }
      bases.push(base);
      yield;
    }
    return new ReplicaNames(state, work, bases, singles);
  }

  next(work: number): string {
    const { namespace = '' } = this.work[work]!.pod.metadata;
    for (;;) {
      const name = `${this.bases[work]!}-${this.used[work]!++}`;
      if (!this.singles.has(name) && this.state.pods.indexOf(namespace, name) < 0) return name;
    }
  }
}
