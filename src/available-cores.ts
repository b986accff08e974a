import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** CPU limit of the control group: quota and period, in microseconds, or `max`. */
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max';

/** The cores that this process may use: those of the machine, or fewer if its container has a CPU limit. At least 1. */
export function availableCores(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.ceil(quota())));
}

/** Node 20 does not read it. */
function quota(): number {
  try {
    const [quota, period] = readFileSync(QUOTA_FILE, 'utf8').trim().split(' ');
    return quota === 'max' ? Infinity : Number(quota) / Number(period);
  } catch {
    return Infinity;
  }
}
