import type { resourcesOptions } from '../../contract/resources/pod-resources-request.js';
import type { Request } from '../../contract/schema.js';
import { DEFAULT_KUBELET_CGROUP_OPTIONS, type KubeletCgroupOptions } from '../../core/resources/cgroup/pod-cgroup.js';

/** What of a node and its kubelet the API does not tell, as the caller says it is; what is absent is as it is by default. */
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
