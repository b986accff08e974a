import { cgroupfsPath, podCgroupName, systemdPath } from '../../../src/core/resources/cgroup/cgroup-name.js';
import { podCgroup, type KubeletCgroupOptions } from '../../../src/core/resources/cgroup/pod-cgroup.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';

export const cgroup: Op = {
  answer: (input) => {
    const pod = podInVector(input);
    const options = input['options'] as unknown as Omit<KubeletCgroupOptions, 'cpuPeriod'> & { cpuPeriod: number };
    const set = podCgroup(pod, { ...options, cpuPeriod: BigInt(options.cpuPeriod) });
    const name = podCgroupName(pod);
    return {
      qosClass: set.qosClass,
      cpuShares: set.cpuShares,
      cpuWeight: set.cpuWeight,
      cpuQuota: set.cpuQuota ?? null,
      cpuPeriod: set.cpuPeriod ?? null,
      memory: set.memory ?? null,
      hugePageLimit: Object.fromEntries([...set.hugePageLimit].map(([size, limit]) => [size.toString(), limit])),
      unified: Object.fromEntries(set.unified),
      cgroupName: name,
      cgroupfs: cgroupfsPath(name),
      systemd: systemdPath(name),
    };
  },
};
