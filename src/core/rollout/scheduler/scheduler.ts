import type { ClusterState } from '../../cluster/cluster-state.js';
import { defined } from '../../collections/defined.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { schedulingCycle, type CycleOutcome } from '../../preemption/scheduling-cycle.js';
import type { Placement } from '../../placement/placement.js';
import { uncertainScores } from '../../placement/rank-nodes.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import type { SchedulingProfile } from '../../scheduling/schedule-pod.js';
import type { Clock } from '../clock.js';
import type { LiveCluster, LivePod } from '../live-cluster.js';
import { LiveNodes } from './live-nodes.js';
import { refusedBy, wakes, type ClusterEvent } from './wakes.js';

/** What the scheduler has others do. */
interface SchedulerHost {
  /** A node was chosen. */
  readonly bind: (pod: LivePod, node: number) => void;
  readonly evict: (victim: LivePod, preemptor: LivePod) => void;
  /** Called before a pod may evict others. */
  readonly beforePreemption: () => void;
  readonly podNamed: (namespace: string, name: string) => LivePod;
  readonly unknown: (pod: LivePod, because: SchedulingUnknown) => void;
}

export type SchedulingUnknown =
  | { readonly code: 'filter'; readonly placement: Placement }
  | { readonly code: 'score'; readonly names: readonly string[]; readonly message: string }
  | { readonly code: 'scheduler'; readonly message: string };

/** A pod that no node takes, as of its last attempt. */
export interface Waiting {
  /** Undefined for gated pods, and for pods that the scheduler has not tried in this rollout. */
  placement: Placement | undefined;
  /** Undefined if this is not known. */
  refusedBy: ReadonlySet<string> | undefined;
  /** When it was tried last. */
  triedAt: number;
}

interface Failure {
  readonly version: number;
  readonly outcome: Extract<CycleOutcome, { outcome: 'unplaced' }>;
}

/** The longest time that a pod waits after its first failure before it is tried again, in milliseconds. */
const BACKOFF = 1_000;

/** kube-scheduler with its queue. */
export class Scheduler {
  private nodes: LiveNodes | undefined;
  private isStale = true;
  private readonly active: LivePod[] = [];
  private readonly backingOff: LivePod[] = [];
  private readonly waiting = new Map<LivePod, Waiting>();
  private readonly nominated = new Set<LivePod>();
  /** The pods of both queues. */
  private readonly queued = new Set<LivePod>();
  /** The last failure of pods that get the same result. */
  private readonly failures = new Map<string, Failure>();

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
    return this.queued.size > 0;
  }

  /** A new pod without a node. */
  add(pod: LivePod): void {
    const gate = schedulingGate(pod.stored);
    if (gate !== undefined) {
      pod.unscheduled = { reason: 'SchedulingGated', message: gate.message };
      this.cluster.note(pod);
      return;
    }
    this.active.push(pod);
    this.queued.add(pod);
  }

  /** A pod that waited before the rollout began. */
  addWaiting(pod: LivePod): void {
    if (schedulingGate(pod.stored) !== undefined) return;
    this.waiting.set(pod, { placement: undefined, refusedBy: undefined, triedAt: Number.NEGATIVE_INFINITY });
    if (pod.nominatedNode !== '') this.nominated.add(pod);
  }

  remove(pod: LivePod): void {
    if (this.queued.delete(pod)) {
      drop(this.active, pod);
      drop(this.backingOff, pod);
    }
    this.waiting.delete(pod);
    this.nominated.delete(pod);
  }

  happened(event: ClusterEvent): void {
    for (const [pod, waiting] of this.waiting) {
      if (wakes(pod.stored, waiting.refusedBy, event)) this.wake(pod, waiting);
    }
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
    this.nodes?.arrive(pod.stored, pod.node);
  }

  /** Tries the next pod of the queue. */
  *attemptNext(): Generator<undefined, void> {
    const pod = takeFirst(this.active) ?? takeFirst(this.backingOff);
    if (pod === undefined) return;
    this.queued.delete(pod);
    const { schedulerName = 'default-scheduler' } = pod.stored.spec;
    const profile = this.profileOf(schedulerName);
    if (profile === undefined) {
      const message = `no profile for scheduler ${JSON.stringify(schedulerName)} is known: whether another scheduler places the pod is not known`;
      this.host.unknown(pod, { code: 'scheduler', message });
      this.waiting.set(pod, { placement: undefined, refusedBy: new Set(), triedAt: this.clock.now });
      return;
    }
    if (this.isStale) {
      this.isStale = false;
      this.nodes!.reopen(this.cluster.lookups());
    }
    const quick = this.mindsNominated(pod) ? undefined : this.nodes!.decide(pod.stored, profile);
    if (quick?.outcome === 'placed') {
      this.place(pod, quick.node);
      return;
    }
    const key = quick === undefined ? undefined : this.failureKey(pod, profile);
    const known = key === undefined ? undefined : this.failures.get(key);
    if (known?.version === this.cluster.version) {
      this.refuse(pod, known.outcome);
      return;
    }
    this.host.beforePreemption();
    const version = this.cluster.version;
    const outcome = schedulingCycle(this.cluster.state(), this.asked(pod), profile, this.startsAt + this.clock.now);
    yield;
    if (outcome.outcome === 'placed') {
      const { best, ranking } = outcome;
      const names = ranking === undefined ? [] : uncertainScores(ranking);
      if (names.length > 0) {
        const message = `scores of ${names.join(', ')} are not known: another node may be chosen`;
        this.host.unknown(pod, { code: 'score', names, message });
      }
      this.place(pod, best[0]!);
      return;
    }
    if (outcome.outcome === 'error') {
      this.host.unknown(pod, { code: 'score', names: [outcome.plugin], message: outcome.message });
      this.keep(pod, { placement: undefined, refusedBy: new Set(), triedAt: this.clock.now });
      return;
    }
    if (key !== undefined && outcome.preemption.outcome !== 'nominated') this.failures.set(key, { version, outcome });
    this.refuse(pod, outcome);
  }

  /** @param state the cluster before the rollout */
  *open(state: ClusterState): Generator<undefined, void> {
    this.nodes = yield* LiveNodes.open(state);
  }

  private failureKey({ stored }: LivePod, profile: SchedulingProfile): string {
    const { priority = 0, preemptionPolicy = '', schedulerName = '' } = stored.spec;
    return `${priority} ${preemptionPolicy} ${schedulerName} ${this.nodes!.keyOf(stored, profile)}`;
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

  private place(pod: LivePod, node: number): void {
    this.waiting.delete(pod);
    this.nominated.delete(pod);
    pod.nominatedNode = '';
    pod.unscheduled = undefined;
    this.nodes!.arrive(pod.stored, node);
    this.host.bind(pod, node);
  }

  private refuse(pod: LivePod, { placement, preemption, message }: Failure['outcome']): void {
    if (placement.counts.unknown > 0 || preemption.outcome === 'unknown') {
      this.host.unknown(pod, { code: 'filter', placement });
    }
    pod.unscheduled = { reason: 'Unschedulable', ...defined({ message: message.text }) };
    this.cluster.note(pod);
    this.keep(pod, { placement, refusedBy: refusedBy(placement), triedAt: this.clock.now });
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
    if (this.queued.has(pod)) return;
    this.queued.add(pod);
    if (this.clock.now - triedAt < BACKOFF) this.backingOff.push(pod);
    else this.active.push(pod);
  }
}

function drop(list: LivePod[], pod: LivePod): void {
  const at = list.indexOf(pod);
  if (at >= 0) list.splice(at, 1);
}

/** The pod of the highest priority, of equal ones the one that came first. */
function takeFirst(list: LivePod[]): LivePod | undefined {
  let first = 0;
  for (let at = 1; at < list.length; at++) if (list[at]!.priority > list[first]!.priority) first = at;
  return list.length === 0 ? undefined : list.splice(first, 1)[0];
}
