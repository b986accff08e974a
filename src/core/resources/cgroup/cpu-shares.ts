/** The bounds of `cpu.shares` in the Linux kernel (kernel/sched/sched.h). */
export const MIN_SHARES = 2n;
const MAX_SHARES = 262_144n;
const SHARES_PER_CPU = 1024n;
const MILLI_PER_CPU = 1000n;
/** The smallest quota that the kernel accepts, in microseconds. */
const MIN_QUOTA = 1000n;

const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);

/**
 * Converts milliCPU to `cpu.shares` of cgroup v1, from 2 to 262144: 1000 becomes 1024. Overflows like Go's int64.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/helpers_linux.go, `MilliCPUToShares`.
 */
export function milliCpuToShares(milliCpu: bigint): bigint {
  const shares = int64(milliCpu * SHARES_PER_CPU) / MILLI_PER_CPU;
  if (shares < MIN_SHARES) return MIN_SHARES;
  return shares > MAX_SHARES ? MAX_SHARES : shares;
}

/**
 * Converts milliCPU to the CFS quota for a period, both in microseconds. The quota is at least 1000 whatever the period, but 0
 * for 0 milliCPU.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/helpers_linux.go, `MilliCPUToQuota`.
 */
export function milliCpuToQuota(milliCpu: bigint, period: bigint): bigint {
  if (milliCpu === 0n) return 0n;
  const quota = int64(milliCpu * period) / MILLI_PER_CPU;
  return quota < MIN_QUOTA ? MIN_QUOTA : quota;
}

/**
 * Converts `cpu.shares` to the `cpu.weight` of cgroup v2 that the kubelet writes for its own cgroups (pods and QoS classes).
 * The conversion is linear: 1024 shares become 39. Newer container runtimes use another curve for containers, on which 1024
 * shares become 100.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/cgroup_manager_linux.go, `getCPUWeight`.
 */
export function sharesToWeight(shares: bigint): bigint {
  return shares >= MAX_SHARES ? 10_000n : 1n + ((shares - MIN_SHARES) * 9999n) / 262_142n;
}

/**
 * Converts `cpu.shares` to the `cpu.weight` that newer container runtimes write for containers: a curve through (2, 1), (1024,
 * 100) and (262144, 10000); 2000 shares become 170.
 *
 * Source: github.com/opencontainers/cgroups, utils.go, `ConvertCPUSharesToCgroupV2Value`: runc 1.3.2 and 1.4.0, crun 1.23.
 */
export function sharesToRuntimeWeight(shares: bigint): bigint {
  if (shares <= MIN_SHARES) return 1n;
  if (shares >= MAX_SHARES) return 10_000n;
  const power = Math.log2(Number(shares));
  return BigInt(Math.ceil(10 ** ((power * power + 125 * power) / 612 - 7 / 34)));
}
