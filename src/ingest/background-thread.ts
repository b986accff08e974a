import { getPriority, setPriority } from 'node:os';

/** What the other threads are preferred by, in steps of nice(2). */
const STEPS = 10;
const LOWEST = 19;

/**
 * Makes the calling thread give way to the other threads of the process while they need the processor: those answer requests. Linux only:
 * elsewhere a process has one priority for all its threads.
 */
export function giveWayToOtherThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    // 0 is the calling thread: see NOTES in setpriority(2).
    setPriority(0, Math.min(getPriority(0) + STEPS, LOWEST));
  } catch {
    // A sandbox may forbid it. Only latencies under load differ.
  }
}
