import { defined } from '../collections/defined.js';
import { criticalPodReason, type CriticalPodReason } from '../kubernetes/critical-pod.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { hasPodLevelResources } from '../kubernetes/pod-resources/pod-level-resources.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';

/**
 * The resource that a node is short of. Disk and inodes are those of the node's file system, if images have no file system of
 * their own.
 */
export type PressureSignal = 'memory' | 'disk' | 'inodes' | 'pid';

/** A pod with its place in the kubelet's order. */
export interface RankedPod<P> {
  readonly pod: P;
  /** Set if the kubelet skips the pod, whatever its place. */
  readonly critical?: CriticalPodReason;
  /** The pod's working set or disk usage in bytes, its inodes, or its processes; absent if the pod has no stats. */
  readonly usage?: Quantity;
  /**
   * The request that usage is compared with: of memory or ephemeral-storage; for `inodes` that of inodes, which is zero.
   * Absent for `pid`.
   */
  readonly request?: Quantity;
  /** Whether usage exceeds the request. Absent for `pid` and without stats. */
  readonly exceedsRequest?: boolean;
  readonly priority: number;
  /**
   * Usage minus request, by which pods with the same priority are ordered. For inodes, as upstream: the number of inodes minus
   * the request for ephemeral storage in bytes. For `pid`: the number of processes.
   */
  readonly excess?: Quantity;
}

export interface EvictionRank<P> {
  /** In order of eviction, including critical pods. */
  readonly order: readonly RankedPod<P>[];
  /** The pod that one synchronization of the eviction manager evicts; undefined if there are only critical pods, or none. */
  readonly evicted: RankedPod<P> | undefined;
}

/**
 * The order in which the kubelet would evict the pods of a node that is short of a resource, and the pod that it evicts.
 *
 * Memory and disk: pods without stats first, then pods that use more than they request, then lower priority, then the larger
 * excess. So a pod above its request is evicted before any pod below it, even one with a lower priority. Processes: lower
 * priority first, then pods without stats, then more processes. Pods that are equal in every respect keep their order
 * (upstream: any order).
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/eviction/helpers.go, `rankMemoryPressure`, `rankDiskPressureFunc`,
 * `rankPIDPressure`; pkg/kubelet/eviction/eviction_manager.go, `synchronize`, `evictPod`.
 *
 * @param usageOf the usage of a pod; undefined without stats
 * @throws QuantityError for an invalid quantity in the requests
 */
export function kubeletEvictionRank<P extends Pick<Pod, 'metadata' | 'spec' | 'status'>>(
  signal: PressureSignal,
  pods: readonly P[],
  usageOf: (pod: P) => Quantity | undefined,
): EvictionRank<P> {
  const compare = signal === 'pid' ? byProcesses : byExcess;
  const order = pods.map((pod) => measured(signal, pod, usageOf(pod))).sort(compare);
  return { order, evicted: order.find(({ critical }) => critical === undefined) };
}

function measured<P extends Pick<Pod, 'metadata' | 'spec' | 'status'>>(
  signal: PressureSignal,
  pod: P,
  usage: Quantity | undefined,
): RankedPod<P> {
  const critical = criticalPodReason(pod);
  const ranked = { pod, priority: pod.spec.priority ?? 0, ...defined({ critical }) };
  if (signal === 'pid') return { ...ranked, ...(usage !== undefined && { usage, excess: usage }) };
  const [resource, subtracted] = MEASURES[signal];
  const request = requestOf(pod, resource);
  if (usage === undefined) return { ...ranked, request };
  return {
    ...ranked,
    usage,
    request,
    exceedsRequest: usage.cmp(request) > 0,
    excess: usage.sub(subtracted === resource ? request : requestOf(pod, subtracted)),
  };
}

/** For each signal, the resource whose request usage is compared with, and the one whose request is subtracted. */
const MEASURES = {
  memory: ['memory', 'memory'],
  disk: ['ephemeral-storage', 'ephemeral-storage'],
  inodes: ['inodes', 'ephemeral-storage'],
} as const;

/**
 * The request that usage is compared with. Any pod-level resources replace the containers' requests, even if they have only
 * other resources or limits; overhead is added only to a request other than zero.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/api/v1/resource/helpers.go, `GetResourceRequestQuantity`.
 */
function requestOf(pod: Pick<Pod, 'spec' | 'status'>, resource: string): Quantity {
  const asked = hasPodLevelResources(pod)
    ? podRequests({ spec: { ...pod.spec, containers: [], initContainers: [] } }, { excludeOverhead: true })
    : podRequests(pod, { excludeOverhead: true });
  const request = asked.get(resource) ?? Quantity.ZERO;
  const overhead = parseResourceList(pod.spec.overhead).get(resource);
  return overhead === undefined || request.isZero() ? request : request.add(overhead);
}

/** Orders true before false. */
const first = (a: boolean, b: boolean): number => (a === b ? 0 : a ? -1 : 1);

type Ranked = RankedPod<unknown>;

function byExcess(a: Ranked, b: Ranked): number {
  return (
    first(a.usage === undefined, b.usage === undefined) ||
    first(a.exceedsRequest === true, b.exceedsRequest === true) ||
    a.priority - b.priority ||
    moreFirst(a, b)
  );
}

function byProcesses(a: Ranked, b: Ranked): number {
  return a.priority - b.priority || first(a.usage === undefined, b.usage === undefined) || moreFirst(a, b);
}

const moreFirst = (a: Ranked, b: Ranked): number =>
  a.excess === undefined || b.excess === undefined ? 0 : b.excess.cmp(a.excess);
