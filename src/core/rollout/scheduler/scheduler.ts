import type { ClusterState } from '../../cluster/cluster-state.js';
import { defined } from '../../collections/defined.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { schedulingCycle, type CycleOutcome } from '../../preemption/scheduling-cycle.js';
import { coschedulingFilter } from '../../placement/coscheduling-filter.js';
import { evaluatePlacement } from '../../placement/evaluate-placement.js';
import type { Placement } from '../../placement/placement.js';
import { groupKey, groupOfPod, namesPodGroup, type GroupOfPod } from '../../placement/pod-groups.js';
import { uncertainScores } from '../../placement/rank-nodes.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import { stepQueue, type QueueDecision } from '../../scheduling/queue/step-queue.js';
import type { SchedulingProfile } from '../../scheduling/schedule-pod.js';
import type { Clock } from '../clock.js';
import type { LiveCluster } from '../live-cluster.js';
import type { LivePod } from '../live-pod.js';
import { LiveNodes, type PinnedPod } from './live-nodes.js';
import { PodQueue } from './pod-queue.js';
import { WaitingPods, type Waiting } from './waiting-pods.js';
import { refusedBy, type ClusterEvent } from './wakes.js';

/** What the scheduler has others do. */
interface SchedulerHost {
  /** The lowest priority of a pod on a node when the rollout began. */
  readonly leastPriority: () => number;
  /** Whether it matters why no node takes a pod. */
  readonly isReported: (pod: LivePod) => boolean;
  /** A node was chosen. */
  readonly bind: (pod: LivePod, node: number) => void;
  readonly evict: (victim: LivePod, preemptor: LivePod) => void;
  /** Called before a pod may evict others. */
  readonly beforePreemption: () => void;
  readonly podNamed: (namespace: string, name: string) => LivePod;
  /** Has `addWaiting` called for the pods of a group that waited before the rollout began. */
  readonly adoptGroup: (group: GroupOfPod) => void;
  readonly unknown: (pod: LivePod, because: SchedulingUnknown) => void;
}

export type SchedulingUnknown =
  | { readonly code: 'filter'; readonly placement: Placement }
  | { readonly code: 'score'; readonly names: readonly string[]; readonly message: string }
  | { readonly code: 'scheduler'; readonly message: string };

interface Failure {
  readonly version: number;
  readonly outcome: Extract<CycleOutcome, { outcome: 'unplaced' }>;
}

/** The longest time that a pod waits after its first failure before it is tried again, in milliseconds. */
const BACKOFF = 1_000;

/** Of so many failures the outcome is remembered; each may hold a megabyte for thousands of nodes. */
const MOST_FAILURES = 64;

/** Nodes for which a pod is decided in a microsecond, at the most, and for which all filters are evaluated and the pod preempts. */
const NODES_QUICKLY = 25;
const NODES_FULLY = 0.5;

/** kube-scheduler with its queue. */
export class Scheduler {
  private nodes: LiveNodes | undefined;
  private isStale = true;
  private readonly active = new PodQueue();
  private readonly backingOff = new PodQueue();
  private readonly waiting = new WaitingPods();
  private readonly nominated = new Set<LivePod>();
  /** The pods without a node of each group. */
  private readonly groups = new Map<string, Set<LivePod>>();
  /** What the attempts took, about in microseconds; it depends on nothing but the question. */
  work = 0;
  /** The lowest priority of a pod that came to a node. */
  private leastPlaced = Number.POSITIVE_INFINITY;
  /** The last failure of pods that get the same result. */
  private readonly failures = new Map<string, Failure>();
  /** Pods for any node, as of the number of changes of nodes so far. */
  private readonly unpinned = new Map<string, { readonly placement: Placement; readonly changes: number }>();

  constructor(
    private readonly cluster: LiveCluster,
    private readonly clock: Clock,
    private readonly profileOf: (schedulerName: string) => SchedulingProfile | undefined,
    private readonly startsAt: number,
    private readonly host: SchedulerHost,
  ) {}

  /** What is known of a pod that waits. */
  waitingOf(pod: LivePod): Waiting | undefined {
    return this.waiting.get(pod);
  }

  get hasWork(): boolean {
    return this.active.size > 0 || this.backingOff.size > 0;
  }

  /** A new pod without a node. */
  add(pod: LivePod): void {
    const gate = schedulingGate(pod.stored);
    if (gate !== undefined) {
      pod.unscheduled = { reason: 'SchedulingGated', message: gate.message };
      this.cluster.note(pod);
      return;
    }
    this.joinGroup(pod);
    this.active.add(pod);
  }

  /** A pod that waited before the rollout began. */
  addWaiting(pod: LivePod): void {
    if (schedulingGate(pod.stored) !== undefined) return;
    this.joinGroup(pod);
    this.waiting.set(pod, { placement: undefined, refusedBy: undefined, triedAt: Number.NEGATIVE_INFINITY });
    if (pod.nominatedNode !== '') this.nominated.add(pod);
  }

  remove(pod: LivePod): void {
    this.active.delete(pod);
    this.backingOff.delete(pod);
    this.waiting.delete(pod);
    this.nominated.delete(pod);
    this.leaveGroup(pod);
  }

  happened(event: ClusterEvent): void {
    for (const pod of this.waiting.wokenBy(event)) this.wake(pod, this.waiting.get(pod)!);
  }

  /** Objects by whose selectors pods spread by default have come or changed. */
  forget(): void {
    this.isStale = true;
  }

  /** A pod that was bound leaves its node. */
  leave(pod: LivePod): void {
    this.nodes?.leave(pod.stored, pod.node);
  }

  /** A pod that waits for a volume gives up its place, or a pod came to its node without the scheduler. */
  arrive(pod: LivePod): void {
    this.leastPlaced = Math.min(this.leastPlaced, pod.priority);
    this.nodes?.arrive(pod.stored, pod.node);
  }

  /** Tries the next pod of the queue. */
  *attemptNext(): Generator<undefined, void> {
    const pod = this.active.take() ?? this.backingOff.take();
    if (pod === undefined) return;
    const { schedulerName = 'default-scheduler' } = pod.stored.spec;
    const profile = this.profileOf(schedulerName);
    if (profile === undefined) {
      const message = `no profile for scheduler ${JSON.stringify(schedulerName)} is known: whether another scheduler places the pod is not known`;
      this.host.unknown(pod, { code: 'scheduler', message });
      this.waiting.set(pod, { placement: undefined, refusedBy: new Set(), triedAt: this.clock.now });
      return;
    }
    const group = this.groupOf(pod, profile);
    if (group?.treatment === 'allOrNothing') {
      yield* this.attemptGroup(group, schedulerName, profile);
      return;
    }
    if (this.isStale) {
      this.isStale = false;
      this.nodes!.reopen(this.cluster.lookups());
    }
    const nodes = this.cluster.base.nodes.count;
    this.work += nodes / NODES_QUICKLY;
    const quick = this.mindsNominated(pod) ? undefined : this.nodes!.decide(pod.stored, profile);
    if (quick?.outcome === 'placed') {
      this.place(pod, quick.node);
      return;
    }
    if (quick !== undefined && !this.host.isReported(pod) && !this.mayPreempt(pod)) {
      this.keep(pod, { placement: undefined, refusedBy: undefined, triedAt: this.clock.now });
      return;
    }
    const mayPreempt = this.mayPreempt(pod);
    const pinned = quick === undefined || mayPreempt ? undefined : quick.pinned;
    const key = quick === undefined ? undefined : this.failureKey(pod, profile, pinned);
    const known = key === undefined ? undefined : this.failures.get(key);
    if (known !== undefined && (pinned !== undefined || known.version === this.cluster.version)) {
      // Its placement is that of a pod for another node.
      this.refuse(pod, known.outcome, pinned === undefined ? known.outcome.placement : undefined);
      return;
    }
    if (mayPreempt) this.host.beforePreemption();
    const version = this.cluster.version;
    this.work += nodes / NODES_FULLY;
    const outcome = schedulingCycle(this.cluster.state(), this.asked(pod), profile, this.startsAt + this.clock.now);
    yield;
    if (outcome.outcome === 'placed') {
      const { best, ranking } = outcome;
      this.noteUncertain(pod, ranking === undefined ? [] : uncertainScores(ranking));
      this.place(pod, best[0]!);
      return;
    }
    if (outcome.outcome === 'error') {
      this.host.unknown(pod, { code: 'score', names: [outcome.plugin], message: outcome.message });
      this.keep(pod, { placement: undefined, refusedBy: new Set(), triedAt: this.clock.now });
      return;
    }
    if (key !== undefined && outcome.preemption.outcome !== 'nominated') this.remember(key, { version, outcome });
    this.refuse(pod, outcome, outcome.placement);
  }

  private groupOf({ stored }: LivePod, profile?: SchedulingProfile): GroupOfPod | undefined {
    if (!namesPodGroup(stored)) return undefined;
    return groupOfPod(this.cluster.lookups(), stored, {
      coscheduling: profile?.filters.includes(coschedulingFilter) === true,
    });
  }

  private joinGroup(pod: LivePod): void {
    const group = this.groupOf(pod);
    if (group === undefined) return;
    const key = groupKey(group);
    const members = this.groups.get(key);
    if (members === undefined) this.groups.set(key, new Set([pod]));
    else members.add(pod);
  }

  private leaveGroup(pod: LivePod): void {
    if (this.groups.size === 0) return;
    const group = this.groupOf(pod);
    if (group !== undefined) this.groups.get(groupKey(group))?.delete(pod);
  }

  /** Tries the pods of a group that wait, as a queue run does: enough of them find a node, or none is placed. */
  private *attemptGroup(group: GroupOfPod, scheduler: string, profile: SchedulingProfile): Generator<undefined, void> {
    this.host.adoptGroup(group);
    const members = [...this.groups.get(groupKey(group))!]
      .filter(({ stored }) => (stored.spec.schedulerName ?? 'default-scheduler') === scheduler)
      .sort((a, b) => b.priority - a.priority || a.order - b.order || a.createdAt - b.createdAt);
    for (const pod of members) {
      this.active.delete(pod);
      this.backingOff.delete(pod);
      pod.isHeldByGroup = false;
    }
    this.work += (members.length * this.cluster.base.nodes.count) / NODES_FULLY;
    const { source, namespace, name } = group;
    const work = members.map((pod) => ({
      pod: this.asked(pod),
      replicas: 1,
      since: '',
      workload: { kind: source, namespace, name },
    }));
    const refused = new Map<number, Placement>();
    const { decisions } = yield* stepQueue(this.cluster.state(), work, profile, {
      onRefused: (index, placement) => refused.set(index, placement),
    });
    const because = this.whyUnsure(group, members, decisions, [...refused.values()]);
    for (const decision of decisions) {
      const pod = members[decision.work]!;
      if (decision.outcome === 'placed') {
        this.noteUncertain(pod, decision.uncertain ?? []);
        this.place(pod, this.cluster.base.nodes.indexOf(decision.node));
        continue;
      }
      const placement = refused.get(decision.work);
      const message = messageOf(decision);
      // If it is not known whether one of them is placed, it is not known of the others, either.
      if (because !== undefined && decision.outcome !== 'gated') this.host.unknown(pod, because);
      pod.unscheduled = { reason: 'Unschedulable', ...(because === undefined && defined({ message })) };
      pod.isHeldByGroup = decision.outcome === 'unplaced' && placement === undefined;
      this.cluster.note(pod);
      this.keep(pod, { placement, refusedBy: undefined, triedAt: this.clock.now });
    }
  }

  /** Why it is not known that pods of a group find no node; undefined if it is. */
  private whyUnsure(
    { namespace, name }: GroupOfPod,
    members: readonly LivePod[],
    decisions: readonly QueueDecision[],
    refused: readonly Placement[],
  ): SchedulingUnknown | undefined {
    const error = decisions.find(({ outcome }) => outcome === 'error');
    if (error?.outcome === 'error') return { code: 'score', names: [], message: error.message };
    const unsure = refused.find(({ counts }) => counts.unknown > 0);
    if (unsure !== undefined) return { code: 'filter', placement: unsure };
    if (refused.length === 0 || !members.some((pod) => this.mayPreempt(pod))) return undefined;
    const message = `which pods the scheduler evicts for those of PodGroup ${namespace}/${name} is not modelled`;
    return { code: 'scheduler', message };
  }

  private noteUncertain(pod: LivePod, names: readonly string[]): void {
    if (names.length === 0) return;
    const message = `scores of ${names.join(', ')} are not known: another node may be chosen`;
    this.host.unknown(pod, { code: 'score', names, message });
  }

  /** @param state the cluster before the rollout */
  *open(state: ClusterState): Generator<undefined, void> {
    this.nodes = yield* LiveNodes.open(state);
  }

  /** Equal for pods that fail in the same way: at one version of the cluster, or at any for pods that only one node can take. */
  private failureKey({ stored }: LivePod, profile: SchedulingProfile, pinned: PinnedPod | undefined): string {
    const { priority = 0, preemptionPolicy = '', schedulerName = '' } = stored.spec;
    const key =
      pinned === undefined ? this.nodes!.keyOf(stored, profile) : `${this.refusalOf(pinned, profile)} ${pinned.key}`;
    return `${priority} ${preemptionPolicy} ${schedulerName} ${key}`;
  }

  private remember(key: string, failure: Failure): void {
    const { failures } = this;
    if (failures.size >= MOST_FAILURES) failures.delete(failures.keys().next().value!);
    failures.set(key, failure);
  }

  /** The reasons of its node, equal if they are the same. */
  private refusalOf({ unpinned, key, node }: PinnedPod, { filters, gates }: SchedulingProfile): string {
    let known = this.unpinned.get(key);
    if (known === undefined || known.changes < this.nodes!.changedAt(node)) {
      const placement = evaluatePlacement(this.cluster.state(), { pod: unpinned, filters, gates });
      known = { placement, changes: this.nodes!.changes };
      this.unpinned.set(key, known);
    }
    const { placement } = known;
    const reasons =
      placement.podReasons.length > 0
        ? placement.podReasons
        : (placement.firstRefusal(node)?.filter?.explain(node) ?? []);
    return JSON.stringify(reasons.map(({ plugin, status, message }) => [plugin, status, message]));
  }

  private asked(pod: LivePod): Pod {
    const { stored, nominatedNode } = pod;
    if (nominatedNode === '') return stored;
    return { ...stored, status: { ...stored.status, nominatedNodeName: nominatedNode } };
  }

  private mindsNominated(pod: LivePod): boolean {
    for (const other of this.nominated) if (other === pod || other.priority >= pod.priority) return true;
    return false;
  }

  /** Whether there may be pods on nodes that a pod could evict. */
  private mayPreempt({ stored, priority }: LivePod): boolean {
    if (stored.spec.preemptionPolicy === 'Never') return false;
    return priority > Math.min(this.leastPlaced, this.host.leastPriority());
  }

  private place(pod: LivePod, node: number): void {
    this.leastPlaced = Math.min(this.leastPlaced, pod.priority);
    this.waiting.delete(pod);
    this.nominated.delete(pod);
    pod.nominatedNode = '';
    pod.unscheduled = undefined;
    this.leaveGroup(pod);
    this.nodes!.arrive(pod.stored, node);
    this.host.bind(pod, node);
  }

  /** @param kept what to keep of why no node takes the pod */
  private refuse(
    pod: LivePod,
    { placement, preemption, message }: Failure['outcome'],
    kept: Placement | undefined,
  ): void {
    if (placement.counts.unknown > 0 || preemption.outcome === 'unknown') {
      this.host.unknown(pod, { code: 'filter', placement });
    }
    pod.unscheduled = { reason: 'Unschedulable', ...defined({ message: message.text }) };
    this.cluster.note(pod);
    this.keep(pod, { placement: kept, refusedBy: refusedBy(placement), triedAt: this.clock.now });
    if (preemption.outcome === 'unschedulable' && preemption.clearsNomination) this.nominate(pod, '');
    if (preemption.outcome !== 'nominated') return;
    const { node, victims } = preemption.chosen;
    const { pods, nodes } = placement.state;
    const name = nodes.name(node);
    for (const other of this.nominated) {
      if (other === pod || other.nominatedNode !== name || other.priority >= pod.priority) continue;
      this.nominate(other, '');
      const waiting = this.waiting.get(other);
      if (waiting !== undefined) this.wake(other, waiting);
    }
    this.nominate(pod, name);
    for (const victim of victims) this.host.evict(this.host.podNamed(pods.namespace(victim), pods.name(victim)), pod);
  }

  private nominate(pod: LivePod, node: string): void {
    if (pod.nominatedNode === node) return;
    pod.nominatedNode = node;
    if (node === '') this.nominated.delete(pod);
    else this.nominated.add(pod);
    this.cluster.touch(pod);
  }

  private keep(pod: LivePod, waiting: Waiting): void {
    this.waiting.set(pod, waiting);
  }

  /** The placement stays with the pod until it is tried again. */
  private wake(pod: LivePod, { triedAt }: Waiting): void {
    if (this.active.has(pod) || this.backingOff.has(pod)) return;
    this.waiting.rouse(pod);
    if (this.clock.now - triedAt < BACKOFF) this.backingOff.add(pod);
    else this.active.add(pod);
  }
}

function messageOf(decision: QueueDecision): string | undefined {
  if (decision.outcome === 'unplaced') return decision.refusal.message.text;
  return decision.outcome === 'gated' ? decision.message : undefined;
}
