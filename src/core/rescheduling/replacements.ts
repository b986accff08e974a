import type { ClusterState } from '../cluster/cluster-state.js';
import { nodeShouldRunDaemonPod } from '../kubernetes/daemon-pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { findUntolerated } from '../kubernetes/toleration.js';
import { Controllers, ordinalOf, type PodController } from './controllers.js';
import type { NeverReplaced } from './rescheduling.js';
import type { NodesNow } from '../scheduling/run/nodes-now.js';
import type { Pace } from './pace.js';

/** Whether a pod that leaves is replaced: now, never, perhaps later, or not known. */
export type Replacing = 'made' | 'pending' | 'unknown' | NeverReplaced;

const NOT_MARKED = 0;
const MARKED = 1;
const GONE = 2;
const DECIDED = 3;

/**
 * When controllers replace pods.
 *
 * - A ReplicaSet or ReplicationController counts pods that have not ended and are not being deleted. It creates another
 *   pod as soon as one is marked for deletion, if it then has fewer than it wants. Source: k8s.io/kubernetes v1.36.2,
 *   pkg/controller/replicaset/replica_set.go, `syncReplicaSet`, and pkg/controller/controller_utils.go,
 *   `FilterActivePods`.
 * - A StatefulSet creates a pod of the same name, so only when the old one is gone; unless its `podManagementPolicy` is
 *   Parallel, also only when every pod with a lower ordinal exists. Source:
 *   pkg/controller/statefulset/stateful_set_control.go, `processReplica`.
 * - A DaemonSet counts a pod that is being deleted as existing, so it also waits until the pod is gone, and then checks
 *   whether the node should have one. Source: pkg/controller/daemon/daemon_controller.go, `podsShouldBeOnNode`.
 * - A Job: see `Controllers`.
 */
export class Replacements {
  readonly controllers: Controllers;
  private readonly stages: Uint8Array;
  /** Daemon pods that are gone and that their node does not admit now, by node. */
  private readonly notAdmitted = new Map<number, number[]>();
  private readonly seenKinds = new Set<PodController['kind']>();
  private seenMonotonic = false;

  constructor(
    private readonly state: ClusterState,
    private readonly nodes: NodesNow,
    private readonly gates: TolerationGates,
  ) {
    this.controllers = new Controllers(state);
    this.stages = new Uint8Array(state.pods.count);
  }

  prepare(pace: Pace): Generator<undefined, void> {
    return this.controllers.count(pace);
  }

  /** Whether a Job, or a StatefulSet that creates its pods in order, lost a pod. */
  get seen(): { readonly jobs: boolean; readonly orderedSets: boolean } {
    return { jobs: this.seenKinds.has('Job'), orderedSets: this.seenMonotonic };
  }

  isDaemon(pod: number): boolean {
    return this.controllers.of(pod).kind === 'DaemonSet' && this.state.pods.nodeIndex(pod) >= 0;
  }

  /** A pod is being deleted. Undefined if this changes nothing. */
  mark(pod: number): Replacing | undefined {
    if (!(pod >= 0 && pod < this.stages.length)) throw new RangeError(`no pod ${pod}`);
    if (this.stages[pod] !== NOT_MARKED) return undefined;
    const controller = this.controllers.of(pod);
    this.seenKinds.add(controller.kind);
    const never = this.neverReplaced(pod, controller);
    if (never !== undefined) return this.decided(pod, never);
    if (controller.making === 'unknown') return this.decided(pod, 'unknown');
    if (controller.making === 'onMark') return this.decided(pod, this.refill(controller));
    this.stages[pod] = MARKED;
    if (controller.kind === 'StatefulSet') controller.absent.add(ordinalOf(controller, this.state.pods.name(pod)));
    return 'pending';
  }

  /** A pod is gone, possibly without having been marked for deletion. Undefined if this decides nothing. */
  gone(pod: number): Replacing | undefined {
    const first = this.stages[pod] === NOT_MARKED ? this.mark(pod) : undefined;
    if (this.stages[pod] !== MARKED) return first;
    this.stages[pod] = GONE;
    const controller = this.controllers.of(pod);
    if (controller.kind === 'DaemonSet') return this.daemonGone(pod, controller);
    if (controller.kind === 'StatefulSet') {
      controller.waiting.set(ordinalOf(controller, this.state.pods.name(pod)), pod);
      return 'pending';
    }
    return this.decided(pod, this.refill(controller));
  }

  /** The pods of a pod's StatefulSet that can be created now. */
  next(pod: number): readonly number[] {
    const controller = this.controllers.of(pod);
    const isMonotonic = inOrder(controller);
    if (isMonotonic) this.seenMonotonic = true;
    let lowest = Number.POSITIVE_INFINITY;
    if (isMonotonic) for (const ordinal of controller.absent) if (ordinal >= 0 && ordinal < lowest) lowest = ordinal;
    const made: number[] = [];
    for (const [ordinal, waiting] of [...controller.waiting].sort(([a], [b]) => a - b)) {
      if (ordinal > lowest) break;
      controller.waiting.delete(ordinal);
      this.stages[waiting] = DECIDED;
      made.push(waiting);
    }
    return made;
  }

  /** A replacement has a node, or whether it has one is not known: it blocks no other pod. */
  landed(pod: number): readonly number[] {
    const controller = this.controllers.of(pod);
    if (controller.kind !== 'StatefulSet') return [];
    controller.absent.delete(ordinalOf(controller, this.state.pods.name(pod)));
    return controller.waiting.size === 0 ? [] : this.next(pod);
  }

  /** The daemon pods that are created on a node after its taints changed. */
  admittedOn(node: number): readonly number[] {
    const waiting = this.notAdmitted.get(node);
    if (waiting === undefined) return [];
    this.notAdmitted.delete(node);
    return waiting.filter((pod) => this.daemonGone(pod, this.controllers.of(pod)) === 'made');
  }

  /** Why, at the end, a pod that was pending has no replacement. */
  stillPending(pod: number): NeverReplaced {
    if (this.stages[pod] === MARKED) return 'stillTerminating';
    if (this.controllers.of(pod).kind === 'StatefulSet') return 'waitsForLowerOrdinal';
    return this.nodes.isGone(this.state.pods.nodeIndex(pod)) ? 'nodeGone' : 'nodeDoesNotAdmit';
  }

  private neverReplaced(pod: number, controller: PodController): NeverReplaced | undefined {
    if (controller.never !== undefined) return controller.never;
    const { pods } = this.state;
    // StatefulSets and DaemonSets delete ended pods themselves, to replace them.
    const remakesEnded = controller.kind === 'StatefulSet' || controller.kind === 'DaemonSet';
    if (!remakesEnded && !pods.active(pod)) return 'ended';
    if (controller.making === 'onMark' && pods.deletionTimestamp(pod) !== '') return 'alreadyReplaced';
    if (controller.kind === 'StatefulSet') {
      const ordinal = ordinalOf(controller, pods.name(pod));
      const { object, wanted } = controller;
      const start = object?.kind === 'StatefulSet' ? (object.spec?.ordinals?.start ?? 0) : 0;
      if (ordinal < start || (wanted !== undefined && ordinal >= start + wanted)) return 'notWanted';
    }
    if (controller.kind === 'DaemonSet' && pods.nodeIndex(pod) < 0) return 'nodeGone';
    return undefined;
  }

  private refill(controller: PodController): 'made' | 'notWanted' {
    controller.live--;
    if (controller.wanted !== undefined && controller.live >= controller.wanted) return 'notWanted';
    controller.live++;
    return 'made';
  }

  private daemonGone(pod: number, { object }: PodController): Replacing {
    const node = this.state.pods.nodeIndex(pod);
    const admits = !this.nodes.isGone(node) && this.daemonAdmitted(pod, node, object);
    if (admits) return this.decided(pod, 'made');
    const waiting = this.notAdmitted.get(node);
    if (waiting === undefined) this.notAdmitted.set(node, [pod]);
    else waiting.push(pod);
    return 'pending';
  }

  private daemonAdmitted(pod: number, index: number, object: PodController['object']): boolean {
    const node = this.nodes.node(index);
    if (object?.kind === 'DaemonSet') return nodeShouldRunDaemonPod(object, node, this.gates).shouldRun;
    // The DaemonSet is not known: its pod has the tolerations, and the node's labels matched before.
    const { pods } = this.state;
    const tolerations = this.state.tolerationSets[pods.tolerationSetId(pod)] ?? [];
    return findUntolerated(tolerations, node.spec?.taints ?? [], ['NoSchedule', 'NoExecute'], this.gates) === undefined;
  }

  private decided<Answer extends Replacing>(pod: number, answer: Answer): Answer {
    this.stages[pod] = DECIDED;
    return answer;
  }
}

function inOrder({ kind, object }: PodController): boolean {
  return kind === 'StatefulSet' && object?.kind === 'StatefulSet' && object.spec?.podManagementPolicy !== 'Parallel';
}
