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

/** One of the ways in which Kubernetes takes a pod away, told apart from the others. */
export interface DisruptionKind {
  readonly kind: DisruptionKindName;
  /** As people call it. */
  readonly title: string;
  /** The reason of the condition DisruptionTarget that it leaves on the pod. */
  readonly reason: string;
  /** That condition's message; null where it says what was short. */
  readonly message: string | null;
  /** Who does it. */
  readonly initiator: string;
  /** `voluntary`: somebody decides so. `either`: it follows from a taint, which a person sets, or a failure. */
  readonly character: 'voluntary' | 'involuntary' | 'either';
  /** `preferred`: pods without a violated budget are chosen first, and then the others. */
  readonly budgets: 'respected' | 'preferred' | 'ignored';
  readonly gracePeriod: string;
  /** What the pod's priority has to say. */
  readonly priority: string;
  /** Whether the pod's tolerations matter. */
  readonly tolerations: boolean;
  /** What becomes of the pod's object. */
  readonly leaves: string;
  /** What is often taken for it, or said of it wrongly. */
  readonly confusion: string;
  readonly source: string;
}

/** The catalogue. */
export const DISRUPTION_KINDS: readonly DisruptionKind[] = [
  {
    kind: 'apiEviction',
    title: 'API-initiated eviction',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    initiator: 'whoever posts an Eviction: kubectl drain, the cluster autoscaler, the descheduler, an operator',
    character: 'voluntary',
    budgets: 'respected',
    gracePeriod: "the pod's terminationGracePeriodSeconds, or what the Eviction asks for",
    priority: 'does not matter',
    tolerations: false,
    leaves: 'The object is deleted; a controller makes another pod.',
    confusion:
      'It is the only one that a PodDisruptionBudget can refuse. kubectl delete and kubectl drain --disable-eviction ask no budget, and leave no such condition.',
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
    priority: 'does not matter: system-critical pods go too, unless they tolerate the taint',
    tolerations: true,
    leaves: 'The object is deleted; on a node that does not answer it stays Terminating.',
    confusion:
      'It is called eviction and does not use the Eviction API: no budget is asked. A node that goes silent leads here by its unreachable taint, not to node-pressure eviction.',
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
    confusion:
      "The taint is a device's, not the node's, and the tolerations that matter are those of the ResourceClaim.",
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
    confusion:
      'Budgets are weighed when victims are chosen, and violated where there is no other way. The kubelet preempts too, for critical pods; that leaves TerminationByKubelet.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/preemption/preemption.go',
  },
  {
    kind: 'kubelet',
    title: 'termination by the kubelet',
    reason: 'TerminationByKubelet',
    message: null,
    initiator: "the node's kubelet: node-pressure eviction, graceful node shutdown, or making room for a critical pod",
    character: 'involuntary',
    budgets: 'ignored',
    gracePeriod:
      "none for a hard eviction threshold, at most evictionMaxPodGracePeriod for a soft one; by the shutdown's configuration at a node's shutdown",
    priority:
      'ranks pods that do not exceed their requests behind those that do; from 2000000000 on never under node pressure',
    tolerations: false,
    leaves:
      'The object stays in phase Failed, with reason Evicted, Terminated or Preempting; a controller makes another pod.',
    confusion:
      'Memory, disk and PID pressure evict by usage, not by taint: tolerating node.kubernetes.io/memory-pressure does not protect. QoS classes are not looked at, though often said to be.',
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
    gracePeriod: 'none: the object is removed by force',
    priority: 'does not matter',
    tolerations: false,
    leaves: 'The object is set to Failed and removed; whether the containers have stopped nobody knows.',
    confusion:
      'It follows the deletion of the Node object, not its silence. On a node with the out-of-service taint terminating pods are removed by force too, without this condition.',
    source: 'k8s.io/kubernetes v1.36.2, pkg/controller/podgc/gc_controller.go',
  },
];

/** What a stored pod says of its disruption. */
export interface PodDisruption {
  /** Undefined for a reason that Kubernetes itself does not give. */
  readonly kind: DisruptionKindName | undefined;
  readonly reason: string;
  readonly message: string;
  /** When the condition took its present status. */
  readonly since: Timestamp | undefined;
  /** False where the disruption was announced and did not come: the disruption controller sets the condition back after two minutes. */
  readonly stands: boolean;
}

const BY_REASON: ReadonlyMap<string, DisruptionKind> = new Map(DISRUPTION_KINDS.map((kind) => [kind.reason, kind]));

/** Which disruption a pod's condition DisruptionTarget tells of; undefined where it has none. */
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
