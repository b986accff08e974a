import type { resourcesOptions } from '../../contract/resources/pod-resources-request.js';
import type { Request } from '../../contract/schema.js';
import { DEFAULT_KUBELET_CGROUP_OPTIONS, type KubeletCgroupOptions } from '../../core/resources/cgroup/pod-cgroup.js';

/**
 * Settings of a node and its kubelet that the API does not expose, as the caller states them; absent ones have their
 * defaults.
 */
export type GivenKubelet = Omit<Request<typeof resourcesOptions>, 'node'>;

export function kubeletOptions(given: GivenKubelet): KubeletCgroupOptions {
  const defaults = DEFAULT_KUBELET_CGROUP_OPTIONS;
  return {
    enforceCPULimits: given.cpuCFSQuota ?? defaults.enforceCPULimits,
    cpuPeriod: given.cpuCFSQuotaPeriod === undefined ? defaults.cpuPeriod : BigInt(given.cpuCFSQuotaPeriod),
    enforceMemoryQoS: given.memoryQoS ?? defaults.enforceMemoryQoS,
    memoryReservationPolicy: given.memoryReservationPolicy ?? defaults.memoryReservationPolicy,
  };
}
