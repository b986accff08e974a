import { defined } from '../collections/defined.js';
import { criticalPodReason, type CriticalPodReason } from '../kubernetes/critical-pod.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { hasPodLevelResources } from '../kubernetes/pod-resources/pod-level-resources.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';

/** What a node runs short of. Disk and inodes are those of the node's file system, without an image file system of its own. */
export type PressureSignal = 'memory' | 'disk' | 'inodes' | 'pid';

/** A pod's place in the kubelet's order. */
export interface RankedPod<P> {
  readonly pod: P;
  /** Set where the kubelet passes the pod over, whatever its place. */
  readonly critical?: CriticalPodReason;
  /** Bytes of the working set or of disk, inodes, processes; absent where the pod has no stats. */
  readonly usage?: Quantity;
  /** What the usage is held against: memory, ephemeral-storage; for `inodes` the request of inodes, which is none. Absent for `pid`. */
  readonly request?: Quantity;
  /** Whether usage exceeds the request. Absent for `pid` and without stats. */
  readonly exceedsRequest?: boolean;
  readonly priority: number;
  /**
   * Usage less request, by which pods of one priority are ordered. For inodes this is the number of inodes less the request of
   * ephemeral storage in bytes, as upstream subtracts it. For `pid` the processes.
   */
  readonly excess?: Quantity;
}

export interface EvictionRank<P> {
  /** First to be evicted first, critical pods included. */
  readonly order: readonly RankedPod<P>[];
  /** The one pod that a synchronisation of the eviction manager evicts; undefined where all are critical, or none is there. */
  readonly evicted: RankedPod<P> | undefined;
}

/**
 * In which order the kubelet would evict the pods of a node that runs short of something, and which one it takes.
 *
 * Memory and disk: pods without stats, then those that use more than they request, then lower priority, then the larger
 * excess. So a pod over its request goes before one of any lower priority that is not. Processes: lower priority, then pods
 * without stats, then more processes. Pods that tie in everything keep the order in which they were given (upstream: any).
 *
 * `usageOf` gives what a pod uses, undefined where there are no stats of it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/eviction/helpers.go, `rankMemoryPressure`, `rankDiskPressureFunc`,
 * `rankPIDPressure`; pkg/kubelet/eviction/eviction_manager.go, `synchronize`, `evictPod`.
 *
 * @throws QuantityError for a request that is no quantity
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

/** For each signal the resource whose request must not be exceeded, and the one whose request is subtracted. */
const MEASURES = {
  memory: ['memory', 'memory'],
  disk: ['ephemeral-storage', 'ephemeral-storage'],
  inodes: ['inodes', 'ephemeral-storage'],
} as const;

/**
 * The request that usage is held against. Any pod-level resources put the containers' requests out of force, even where
 * they name another resource or only limits; overhead counts only on top of a request that is not zero.
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

/** True before false. */
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
