import type { Pod } from '../../kubernetes/objects/pod.js';
import { parseResourceList } from '../../kubernetes/pod-resources/resource-amounts.js';
import { milliCpuToShares, sharesToRuntimeWeight, sharesToWeight } from './cpu-shares.js';

/** The cpu shares that the kubelet sends to the container runtime. */
export interface ContainerCpu {
  readonly container: string;
  readonly cpuShares: bigint;
  /**
   * The `cpu.weight` of cgroup v2 with a runtime that converts like the kubelet does for pods: runc before 1.3.2, crun before
   * 1.23.
   */
  readonly weightBefore: bigint;
  /** The `cpu.weight` with runc 1.3.2, crun 1.23 and later. */
  readonly weightSince: bigint;
}

/**
 * The cpu shares of each container: from its request, otherwise from its limit, otherwise from the pod-level limit.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/kuberuntime/kuberuntime_container_linux.go, `calculateLinuxResources` and
 * `getCPULimit`.
 *
 * @throws QuantityError for an invalid quantity
 */
export function containerCpus({ spec }: Pick<Pod, 'spec'>): readonly ContainerCpu[] {
  const ofPod = parseResourceList(spec.resources?.limits).get('cpu');
  return [...spec.containers, ...(spec.initContainers ?? [])].map(({ name, resources = {} }) => {
    const request = parseResourceList(resources.requests).get('cpu');
    const limit = parseResourceList(resources.limits).get('cpu');
    const counted = request ?? (limit?.isZero() === false ? limit : ofPod);
    const cpuShares = milliCpuToShares(counted?.milliValue() ?? 0n);
    return {
      container: name,
      cpuShares,
      weightBefore: sharesToWeight(cpuShares),
      weightSince: sharesToRuntimeWeight(cpuShares),
    };
  });
}
