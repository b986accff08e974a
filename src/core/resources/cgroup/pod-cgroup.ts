import type { Pod } from '../../kubernetes/objects/pod.js';
import { HUGEPAGES_PREFIX } from '../../kubernetes/pod-resources/pod-level-resources.js';
import { podLimits } from '../../kubernetes/pod-resources/pod-limits.js';
import { podRequests } from '../../kubernetes/pod-resources/pod-requests.js';
import type { ResourceAmounts } from '../../kubernetes/pod-resources/resource-amounts.js';
import { QuantityError, parseQuantity, type Quantity } from '../../kubernetes/quantity.js';
import { isHugePageResource } from '../../kubernetes/resource-names.js';
import { podQos, type QosClass } from '../qos.js';
import { MIN_SHARES, milliCpuToQuota, milliCpuToShares, sharesToWeight } from './cpu-shares.js';
import { declaredLimits } from './declared-limits.js';

/** What of a kubelet's configuration the pod's cgroup depends on; the API does not tell it. */
export interface KubeletCgroupOptions {
  /** `cpuCFSQuota`. */
  readonly enforceCPULimits: boolean;
  /** `cpuCFSQuotaPeriod`, in microseconds. */
  readonly cpuPeriod: bigint;
  /** The feature gate MemoryQoS, on a node with cgroup v2. */
  readonly enforceMemoryQoS: boolean;
  readonly memoryReservationPolicy: 'None' | 'TieredReservation';
}

/** What a kubelet has by default, v1.36. */
export const DEFAULT_KUBELET_CGROUP_OPTIONS: KubeletCgroupOptions = {
  enforceCPULimits: true,
  cpuPeriod: 100_000n,
  enforceMemoryQoS: false,
  memoryReservationPolicy: 'None',
};

/** What the kubelet sets on a pod's own cgroup; what it leaves unset is absent. */
export interface PodCgroup {
  readonly qosClass: QosClass;
  /** cgroup v1. */
  readonly cpuShares: bigint;
  /** cgroup v2: the same by the kubelet's own conversion. */
  readonly cpuWeight: bigint;
  /** Microseconds a period; -1 is no limit. */
  readonly cpuQuota?: bigint;
  /** Microseconds. */
  readonly cpuPeriod?: bigint;
  /** Bytes. */
  readonly memory?: bigint;
  /** Page size to limit, both in bytes. */
  readonly hugePageLimit: ReadonlyMap<bigint, bigint>;
  /** Files of cgroup v2 beside these, and what is written there. */
  readonly unified: ReadonlyMap<string, string>;
}

/**
 * What the kubelet sets on the pod's own cgroup. Overhead is in it: it always adds to shares, and to a limit that is there.
 *
 * With kata-fc's 250m and 120Mi over containers of 500m/100Mi and 1500m/100Mi: 2304 shares, a quota of 225000 in 100000
 * microseconds, 335544320 bytes.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/helpers_linux.go, `ResourceConfigForPod`.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function podCgroup(
  pod: Pick<Pod, 'spec' | 'status'>,
  { enforceCPULimits, cpuPeriod, ...memoryQos }: KubeletCgroupOptions = DEFAULT_KUBELET_CGROUP_OPTIONS,
): PodCgroup {
  const requests = podRequests(pod);
  const limits = podLimits(pod);
  const qosClass = podQos(pod);
  const guaranteed = qosClass === 'Guaranteed';
  const takes = guaranteed || qosClass === 'Burstable';
  const declared = guaranteed ? { cpu: true, memory: true } : declaredLimits(pod);
  const cpuShares = takes ? milliCpuToShares(milli(requests.get('cpu'))) : MIN_SHARES;
  const cpuQuota = enforceCPULimits ? milliCpuToQuota(milli(limits.get('cpu')), cpuPeriod) : -1n;
  return {
    qosClass,
    cpuShares,
    cpuWeight: sharesToWeight(cpuShares),
    ...(takes && declared.cpu && { cpuQuota, cpuPeriod }),
    ...(takes && declared.memory && { memory: limits.get('memory')?.value() ?? 0n }),
    hugePageLimit: hugePageLimits(requests),
    unified: reservedMemory(qosClass, requests.get('memory')?.value() ?? 0n, memoryQos),
  };
}

const milli = (quantity: Quantity | undefined): bigint => quantity?.milliValue() ?? 0n;

/** `HugePageLimits`: by page size, since `hugepages-1Gi` and `hugepages-1024Mi` are pages of one size. */
function hugePageLimits(requests: ResourceAmounts): ReadonlyMap<bigint, bigint> {
  const limits = new Map<bigint, bigint>();
  for (const [name, quantity] of requests) {
    if (!isHugePageResource(name)) continue;
    const size = pageSize(name);
    limits.set(size, BigInt.asIntN(64, (limits.get(size) ?? 0n) + quantity.value()));
  }
  return limits;
}

/** 0 for a name whose size is no quantity, which upstream does not look at. */
function pageSize(name: string): bigint {
  try {
    return parseQuantity(name.slice(HUGEPAGES_PREFIX.length)).value();
  } catch (error) {
    if (error instanceof QuantityError) return 0n;
    throw error;
  }
}

/** What the pod requests is kept for it: come what may if it is Guaranteed, otherwise, BestEffort's overhead too, if it can be. */
function reservedMemory(
  qosClass: QosClass,
  requested: bigint,
  { enforceMemoryQoS, memoryReservationPolicy }: Omit<KubeletCgroupOptions, 'enforceCPULimits' | 'cpuPeriod'>,
): ReadonlyMap<string, string> {
  const reserves = enforceMemoryQoS && memoryReservationPolicy === 'TieredReservation' && requested > 0n;
  const file = qosClass === 'Guaranteed' ? 'memory.min' : 'memory.low';
  return new Map(reserves ? [[file, requested.toString()]] : []);
}
