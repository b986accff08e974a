import type { PodCgroup } from './pod-cgroup.js';

/** A file of a cgroup, and its content. */
export interface CgroupFile {
  readonly file: string;
  readonly text: string;
}

/**
 * The files of the pod's own cgroup that the kubelet writes on a node with cgroup v1. Values of zero are not written, so the
 * kernel's default applies.
 *
 * The kubelet also writes a limit of 0 for each other size of huge pages that the node has, which the API does not show.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/cgroup_manager_linux.go, `toResources`; github.com/opencontainers/cgroups,
 * fs/cpu.go, fs/memory.go, fs/hugetlb.go.
 */
export function cgroupV1Files({ cpuShares, cpuPeriod, cpuQuota, memory, hugePageLimit }: PodCgroup): CgroupFile[] {
  return [
    { file: 'cpu.shares', text: cpuShares.toString() },
    ...written('cpu.cfs_period_us', cpuPeriod),
    ...written('cpu.cfs_quota_us', cpuQuota),
    ...written('memory.limit_in_bytes', memory),
    ...hugePages(hugePageLimit, 'limit_in_bytes'),
  ];
}

/**
 * The same as {@link cgroupV1Files} for a node with cgroup v2: quota and period are in one file, with `max` for no quota.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/cgroup_manager_linux.go, `toResources`; github.com/opencontainers/cgroups,
 * fs2/cpu.go, fs2/memory.go, fs2/hugetlb.go.
 */
export function cgroupV2Files(cgroup: PodCgroup): CgroupFile[] {
  const { cpuWeight, cpuPeriod, cpuQuota = 0n, memory, hugePageLimit, unified } = cgroup;
  return [
    { file: 'cpu.weight', text: cpuWeight.toString() },
    ...(cpuPeriod === undefined ? [] : [{ file: 'cpu.max', text: `${cpuQuota > 0n ? cpuQuota : 'max'} ${cpuPeriod}` }]),
    ...written('memory.max', memory),
    ...hugePages(hugePageLimit, 'max'),
    ...[...unified].map(([file, text]) => ({ file, text })),
  ];
}

const written = (file: string, value: bigint | undefined): CgroupFile[] =>
  value === undefined || value === 0n ? [] : [{ file, text: value.toString() }];

function hugePages(limits: PodCgroup['hugePageLimit'], suffix: string): CgroupFile[] {
  return [...limits].flatMap(([size, limit]) => {
    const unit = unitSize(size);
    return unit === undefined ? [] : [{ file: `hugetlb.${unit}.${suffix}`, text: limit.toString() }];
  });
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/**
 * The size of huge pages in the kernel's notation: `2MB` for 2097152; undefined above 1024 of the largest unit
 * (`HugePageUnitSizeFromByteSize`).
 */
function unitSize(bytes: bigint): string | undefined {
  let size = bytes;
  let unit = 0;
  while (size % 1024n === 0n && unit < UNITS.length - 1) {
    size /= 1024n;
    unit += 1;
  }
  return size > 1024n && unit < UNITS.length - 1 ? undefined : `${size}${UNITS[unit]!}`;
}
