import type { PodCgroup } from './pod-cgroup.js';

/** One file of a cgroup and what is written into it. */
export interface CgroupFile {
  readonly file: string;
  readonly text: string;
}

/**
 * The files of the pod's own cgroup that get a value, as a node with cgroup v1 has them. What is zero is not written, and
 * the kernel's default stays.
 *
 * The kubelet writes a limit of 0 for every other size of huge pages that the node has, which the API does not tell.
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
 * As {@link cgroupV1Files}, for a node with cgroup v2: quota and period share one file, in which no quota is `max`.
 *
 * Source: as there; fs2/cpu.go, fs2/memory.go, fs2/hugetlb.go.
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

/** 2097152 is `2MB`; a size that needs more than 1024 of its largest unit is none (`HugePageUnitSizeFromByteSize`). */
function unitSize(bytes: bigint): string | undefined {
  let size = bytes;
  let unit = 0;
  while (size % 1024n === 0n && unit < UNITS.length - 1) {
    size /= 1024n;
    unit += 1;
  }
  return size > 1024n && unit < UNITS.length - 1 ? undefined : `${size}${UNITS[unit]!}`;
}
