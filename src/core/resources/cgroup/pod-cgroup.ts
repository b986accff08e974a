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

/** The kubelet settings that affect a pod's cgroup; the API does not show them. */
export interface KubeletCgroupOptions {
  /** `cpuCFSQuota`. */
  readonly enforceCPULimits: boolean;
  /** `cpuCFSQuotaPeriod`, in microseconds. */
  readonly cpuPeriod: bigint;
  /** The feature gate MemoryQoS, on a node with cgroup v2. */
  readonly enforceMemoryQoS: boolean;
  readonly memoryReservationPolicy: 'None' | 'TieredReservation';
}

/** The kubelet's defaults in v1.36. */
export const DEFAULT_KUBELET_CGROUP_OPTIONS: KubeletCgroupOptions = {
  enforceCPULimits: true,
  cpuPeriod: 100_000n,
  enforceMemoryQoS: false,
  memoryReservationPolicy: 'None',
};

/** The values that the kubelet sets for a pod's own cgroup; a value that it does not set is absent. */
export interface PodCgroup {
  readonly qosClass: QosClass;
  /** cgroup v1. */
  readonly cpuShares: bigint;
  /** For cgroup v2: the shares in the kubelet's own conversion. */
  readonly cpuWeight: bigint;
  /** In microseconds per period; -1 means no limit. */
  readonly cpuQuota?: bigint;
  /** In microseconds. */
  readonly cpuPeriod?: bigint;
  /** In bytes. */
  readonly memory?: bigint;
  /** From page size to limit, both in bytes. */
  readonly hugePageLimit: ReadonlyMap<bigint, bigint>;
  /** Other files of cgroup v2, with their content. */
  readonly unified: ReadonlyMap<string, string>;
}

/**
 * The values that the kubelet sets for the pod's own cgroup. They include overhead, which is always added to shares, and to
 * existing limits.
 *
 * With kata-fc's overhead of 250m and 120Mi, and containers of 500m/100Mi and 1500m/100Mi: 2304 shares, a quota of 225000 per
 * 100000 microseconds, 335544320 bytes.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/helpers_linux.go, `ResourceConfigForPod`.
 *
 * @throws QuantityError for an invalid quantity
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

/** `HugePageLimits`: added up by page size, because `hugepages-1Gi` and `hugepages-1024Mi` have the same size. */
function hugePageLimits(requests: ResourceAmounts): ReadonlyMap<bigint, bigint> {
  const limits = new Map<bigint, bigint>();
  for (const [name, quantity] of requests) {
    if (!isHugePageResource(name)) continue;
    const size = pageSize(name);
    limits.set(size, BigInt.asIntN(64, (limits.get(size) ?? 0n) + quantity.value()));
  }
  return limits;
}

/** The page size in a resource name; 0 if it is not a valid quantity, a case that upstream does not check. */
function pageSize(name: string): bigint {
  try {
    return parseQuantity(name.slice(HUGEPAGES_PREFIX.length)).value();
  } catch (error) {
    if (error instanceof QuantityError) return 0n;
    throw error;
  }
}

/**
 * Memory protection for the pod's requests: `memory.min` for Guaranteed pods, otherwise `memory.low`, which also covers the
 * overhead of BestEffort pods.
 */
function reservedMemory(
  qosClass: QosClass,
  requested: bigint,
  { enforceMemoryQoS, memoryReservationPolicy }: Omit<KubeletCgroupOptions, 'enforceCPULimits' | 'cpuPeriod'>,
): ReadonlyMap<string, string> {
  const reserves = enforceMemoryQoS && memoryReservationPolicy === 'TieredReservation' && requested > 0n;
  const file = qosClass === 'Guaranteed' ? 'memory.min' : 'memory.low';
  return new Map(reserves ? [[file, requested.toString()]] : []);
}
