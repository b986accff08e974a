import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';

export const DISRUPTION_KIND_NAMES = [
  'apiEviction',
  'taintEviction',
  'deviceTaintEviction',
  'preemption',
  'kubelet',
  'podGarbageCollection',
] as const;

export type DisruptionKindName = (typeof DISRUPTION_KIND_NAMES)[number];

/** One of the ways in which Kubernetes removes a pod. */
export interface DisruptionKind {
  readonly kind: DisruptionKindName;
  /** The usual name. */
  readonly title: string;
  /** The reason of the DisruptionTarget condition on the pod. */
  readonly reason: string;
  /** The message of that condition; null if it depends on the resource that is short. */
  readonly message: string | null;
  /** Who starts it. */
  readonly initiator: string;
  /**
   * `voluntary`: a person or tool decides it. `either`: it follows from a taint, which a person sets, or from a
   * failure.
   */
  readonly character: 'voluntary' | 'involuntary' | 'either';
  /** `preferred`: pods whose budget is not violated are chosen before others. */
  readonly budgets: 'respected' | 'preferred' | 'ignored';
  readonly gracePeriod: string;
  /** How the pod's priority matters. */
  readonly priority: string;
  /** Whether the pod's tolerations matter. */
  readonly tolerations: boolean;
  /** What happens to the pod object. */
  readonly leaves: string;
  /** Common misconceptions. */
  readonly misconceptions: string;
  readonly source: string;
}

/** The catalogue. */
export const DISRUPTION_KINDS: readonly DisruptionKind[] = [
  {
    kind: 'apiEviction',
    title: 'API-initiated eviction',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    initiator: 'clients of the Eviction API: kubectl drain, the cluster autoscaler, the descheduler, an operator',
    character: 'voluntary',
    budgets: 'respected',
    gracePeriod: "the pod's terminationGracePeriodSeconds, or the one that the Eviction specifies",
    priority: 'does not matter',
    tolerations: false,
    leaves: 'The object is deleted, and a controller creates another pod.',
    misconceptions:
      'A PodDisruptionBudget can refuse only this kind. kubectl delete and kubectl drain --disable-eviction bypass budgets and set no condition.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/storage/eviction.go',
  },
  {
    kind: 'taintEviction',
    title: 'taint-based eviction',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    initiator: 'the taint eviction controller of kube-controller-manager',
    character: 'either',
    budgets: 'ignored',
    gracePeriod: "the pod's terminationGracePeriodSeconds, after its tolerationSeconds have run out",
    priority: 'does not matter: system-critical pods are deleted too, unless they tolerate the taint',
    tolerations: true,
    leaves: 'The object is deleted. On an unreachable node it remains Terminating.',
    misconceptions:
      'Although called eviction, it does not use the Eviction API, so budgets are bypassed. An unreachable node causes this kind through its unreachable taint, not node-pressure eviction.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go',
  },
  {
    kind: 'deviceTaintEviction',
    title: 'device taint eviction',
    reason: 'DeletionByDeviceTaintManager',
    message: 'Device Taint manager: deleting due to NoExecute taint',
    initiator: 'the device taint eviction controller of kube-controller-manager',
    character: 'either',
    budgets: 'ignored',
    gracePeriod: "the pod's terminationGracePeriodSeconds, after the tolerationSeconds of its ResourceClaim",
    priority: 'does not matter',
    tolerations: false,
    leaves: 'The object is deleted.',
    misconceptions: 'The taint belongs to a device, not to the node, and the tolerations of the ResourceClaim apply.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/controller/devicetainteviction/device_taint_eviction.go',
  },
  {
    kind: 'preemption',
    title: 'preemption',
    reason: 'PreemptionByScheduler',
    message: '<schedulerName of the preemptor>: preempting to accommodate a higher priority pod',
    initiator: 'kube-scheduler, for a pending pod of higher priority',
    character: 'involuntary',
    budgets: 'preferred',
    gracePeriod: "the pod's terminationGracePeriodSeconds",
    priority: 'decides: only pods of lower priority than the pending one are victims',
    tolerations: false,
    leaves: 'The object is deleted; the pending pod is nominated to the node.',
    misconceptions:
      'The scheduler prefers victims whose budgets it does not violate, but violates budgets if there is no other way. The kubelet also preempts, for critical pods; those victims get the reason TerminationByKubelet.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/preemption/preemption.go',
  },
  {
    kind: 'kubelet',
    title: 'termination by the kubelet',
    reason: 'TerminationByKubelet',
    message: null,
    initiator: "the node's kubelet: node-pressure eviction, graceful node shutdown, or preemption for a critical pod",
    character: 'involuntary',
    budgets: 'ignored',
    gracePeriod:
      'none for a hard eviction threshold, at most evictionMaxPodGracePeriod for a soft one; set by the shutdown configuration for a node shutdown',
    priority:
      'decides after usage: pods that exceed their requests are evicted before those that do not; pods of 2000000000 or more are never evicted under node pressure',
    tolerations: false,
    leaves:
      'The object remains in phase Failed, with reason Evicted, Terminated or Preempting, and a controller creates another pod.',
    misconceptions:
      'Memory, disk and PID pressure evict by usage, not by taint: tolerating node.kubernetes.io/memory-pressure does not protect. QoS classes do not matter, although this is often claimed.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/kubelet/eviction/eviction_manager.go',
  },
  {
    kind: 'podGarbageCollection',
    title: 'pod garbage collection',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    initiator: 'the pod garbage collector of kube-controller-manager, 40 s after the Node object is gone',
    character: 'involuntary',
    budgets: 'ignored',
    gracePeriod: 'none: the object is force-deleted',
    priority: 'does not matter',
    tolerations: false,
    leaves: 'The object is set to Failed and deleted. Whether the containers have stopped is not known.',
    misconceptions:
      'It follows the deletion of the Node object, not a lost connection. On a node with the out-of-service taint, terminating pods are also force-deleted, without this condition.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/controller/podgc/gc_controller.go',
  },
];

/** The disruption that a stored pod reports. */
export interface PodDisruption {
  /** Undefined for a reason that Kubernetes does not set. */
  readonly kind: DisruptionKindName | undefined;
  readonly reason: string;
  readonly message: string;
  /** The last transition time of the condition. */
  readonly since: Timestamp | undefined;
  /**
   * False if the disruption was announced but did not happen: the disruption controller resets the condition after two
   * minutes.
   */
  readonly stands: boolean;
}

const BY_REASON: ReadonlyMap<string, DisruptionKind> = new Map(DISRUPTION_KINDS.map((kind) => [kind.reason, kind]));

/** The disruption reported by a pod's DisruptionTarget condition; undefined without that condition. */
export function disruptionOf({ status }: Pick<Pod, 'status'>): PodDisruption | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  if (condition === undefined) return undefined;
  const { reason = '', message = '', lastTransitionTime } = condition;
  return {
    kind: BY_REASON.get(reason)?.kind,
    reason,
    message,
    since: lastTransitionTime,
    stands: condition.status === 'True',
  };
}
