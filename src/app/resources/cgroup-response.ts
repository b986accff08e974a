import type { cgroupUnknown, cpuWeight, podCgroup as cgroupOfPod } from '../../contract/resources/pod-resources.js';
import type { Response } from '../../contract/schema.js';
import { CGROUP_DRIVERS, CGROUP_VERSIONS } from '../../contract/limits.js';
import { int64 } from '../../core/cluster/resource-table.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { parseQuantity } from '../../core/kubernetes/quantity.js';
import { cgroupV1Files, cgroupV2Files } from '../../core/resources/cgroup/cgroup-files.js';
import { cgroupfsPath, podCgroupName, systemdPath } from '../../core/resources/cgroup/cgroup-name.js';
import { containerCpus } from '../../core/resources/cgroup/container-cpu.js';
import { declaredLimits } from '../../core/resources/cgroup/declared-limits.js';
import { podCgroup, type PodCgroup } from '../../core/resources/cgroup/pod-cgroup.js';
import { kubeletOptions, type GivenKubelet } from './resources-request.js';

type CgroupResponse = Response<typeof cgroupOfPod>;
type CpuWeightResponse = Response<typeof cpuWeight>;
type UnknownResponse = Response<typeof cgroupUnknown>;

/** Placeholder for the UID of a pod that does not exist yet. */
const NO_UID = '<uid>';

/** @throws {QuantityError} for a text that is not a quantity */
export function cgroupResponse(pod: Pod, given: GivenKubelet): CgroupResponse {
  const options = kubeletOptions(given);
  const cgroup = podCgroup(pod, options);
  const hasUid = (pod.metadata.uid ?? '') !== '';
  const name = podCgroupName(hasUid ? pod : { ...pod, metadata: { ...pod.metadata, uid: NO_UID } });
  const paths = { cgroupfs: cgroupfsPath(name), systemd: systemdPath(name) };
  const files = { v1: cgroupV1Files, v2: cgroupV2Files };
  return {
    qosClass: cgroup.qosClass,
    paths: chosen(CGROUP_DRIVERS, given.cgroupDriver).map((driver) => ({ driver, path: paths[driver] })),
    files: chosen(CGROUP_VERSIONS, given.cgroupVersion).map((version) => ({ version, files: files[version](cgroup) })),
    cpuShares: int64(cgroup.cpuShares),
    cpuWeight: int64(cgroup.cpuWeight),
    cpuQuota: optional(cgroup.cpuQuota),
    cpuPeriod: optional(cgroup.cpuPeriod),
    memory: optional(cgroup.memory),
    unlimited: unlimitedIn(pod, cgroup),
    weights: weightsOf(pod, cgroup),
    kubelet: {
      cpuCFSQuota: options.enforceCPULimits,
      cpuCFSQuotaPeriod: int64(options.cpuPeriod),
      memoryQoS: options.enforceMemoryQoS,
      memoryReservationPolicy: options.memoryReservationPolicy,
    },
    unknowns: unknownsOf(pod, given, { hasUid, guaranteed: cgroup.qosClass === 'Guaranteed' }),
  };
}

const optional = (value: bigint | undefined): Int64 | null => (value === undefined ? null : int64(value));

const chosen = <Value>(values: readonly Value[], choice: Value | undefined): readonly Value[] =>
  choice === undefined ? values : [choice];

function unlimitedIn(pod: Pod, { qosClass }: PodCgroup): CgroupResponse['unlimited'] {
  if (qosClass !== 'Burstable') return [];
  return declaredLimits(pod).missing.map(({ container, resource }) => ({
    container,
    resource,
    message: `container ${container} has no ${resource} limit, so the pod's cgroup has none`,
  }));
}

const BY_KUBELET = 'the kubelet, v1.36';
const BY_OLDER_RUNTIME = 'runc before 1.3.2, crun before 1.23';
const BY_NEWER_RUNTIME = 'runc 1.3.2 and later, crun 1.23 and later';

function weightsOf(pod: Pod, { cpuShares, cpuWeight }: PodCgroup): readonly CpuWeightResponse[] {
  return [
    {
      level: 'pod',
      container: null,
      cpuShares: int64(cpuShares),
      cpuWeight: int64(cpuWeight),
      conversion: 'linear',
      writtenBy: BY_KUBELET,
    },
    ...containerCpus(pod).flatMap(
      ({ container, cpuShares: shares, weightBefore, weightSince }): CpuWeightResponse[] => {
        const cpu = { level: 'container', container, cpuShares: int64(shares) } as const;
        return [
          { ...cpu, cpuWeight: int64(weightBefore), conversion: 'linear', writtenBy: BY_OLDER_RUNTIME },
          { ...cpu, cpuWeight: int64(weightSince), conversion: 'curve', writtenBy: BY_NEWER_RUNTIME },
        ];
      },
    ),
  ];
}

function unknownsOf(
  pod: Pod,
  given: GivenKubelet,
  { hasUid, guaranteed }: { readonly hasUid: boolean; readonly guaranteed: boolean },
): readonly UnknownResponse[] {
  const unknowns: readonly (UnknownResponse | false)[] = [
    !hasUid && {
      code: 'uid',
      message: `the API server generates the UID of a new pod; the paths contain ${NO_UID} instead`,
    },
    given.cgroupDriver === undefined && {
      code: 'cgroup-driver',
      message: "the kubelet's cgroupDriver is unknown: paths are given for both drivers",
    },
    given.cgroupVersion === undefined && {
      code: 'cgroup-version',
      message: "the node's cgroup version is unknown: files are given for both versions",
    },
    (given.cpuCFSQuota === undefined || given.cpuCFSQuotaPeriod === undefined) && {
      code: 'cfs-quota',
      message: "the kubelet's cpuCFSQuota or cpuCFSQuotaPeriod is unknown: defaults are used",
    },
    given.memoryQoS === undefined && {
      code: 'memory-qos',
      message:
        'the feature gate MemoryQoS and the memoryReservationPolicy are unknown: assumed to be off, which is the default',
    },
    guaranteed &&
      hasWholeCpus(pod) && {
        code: 'static-cpu-policy',
        message:
          "the kubelet's cpuManagerPolicy is unknown: with the static policy, containers that request whole CPUs get exclusive CPUs, and the pod gets no CFS quota",
      },
    {
      code: 'cgroup-root',
      message:
        "the kubelet's cgroupRoot and cgroupsPerQOS are unknown: paths assume the root / and cgroups per QoS class",
    },
    {
      code: 'container-runtime',
      message: 'the version of runc or crun is unknown: it determines the cpu.weight of the containers',
    },
    {
      code: 'huge-page-sizes',
      message: 'the huge page sizes of the node are unknown: each size that the pod does not request is limited to 0',
    },
  ];
  return unknowns.filter((unknown) => unknown !== false);
}

function hasWholeCpus({ spec }: Pod): boolean {
  return spec.containers.some(({ resources }) => {
    const cpu = resources?.requests?.['cpu'] ?? resources?.limits?.['cpu'];
    if (cpu === undefined) return false;
    const milli = parseQuantity(cpu).milliValue();
    return milli > 0n && milli % 1000n === 0n;
  });
}
