import { readFile } from 'node:fs/promises';

/** What a process and its descendants use. */
export interface TreeUsage {
  /** Processor time so far, with that of descendants that have ended. */
  readonly cpuSeconds: number;
  /** Memory that is not shared with others, in MB. */
  readonly residentMb: number;
}

/** Clock ticks of a second, see proc_pid_stat(5). */
const TICKS = 100;

/** Linux only. */
export async function treeUsage(pid: number): Promise<TreeUsage> {
  const [stat, rollup, children] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => ''),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
  ]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime and cstime.
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  const kilobytes = Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0);
  const own = { cpuSeconds: ticks / TICKS, residentMb: kilobytes / 1024 };
  const ofChildren = await Promise.all(
    children
      .trim()
      .split(' ')
      .filter((child) => child !== '')
      // One that ends meanwhile is among those that have ended, the next time.
      .map((child) => treeUsage(Number(child)).catch(() => ({ cpuSeconds: 0, residentMb: 0 }))),
  );
  return ofChildren.reduce(
    (sum, one) => ({ cpuSeconds: sum.cpuSeconds + one.cpuSeconds, residentMb: sum.residentMb + one.residentMb }),
    own,
  );
}
