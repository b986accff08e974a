import { performance } from 'node:perf_hooks';

/** Active and idle time of an event loop since it began, in milliseconds. */
interface LoopTimes {
  readonly active: number;
  readonly idle: number;
}

/** Measurements of the last 100 ms count most. */
const WINDOW_MS = 100;

/** How much of its time the event loop works for others than one computation. */
export class OtherWork {
  /** From 0 to 1, over about the last 100 ms. */
  share = 0;
  private last: LoopTimes;

  /** @param times those of this thread by default */
  constructor(private readonly times: () => LoopTimes = performance.eventLoopUtilization) {
    this.last = times();
  }

  /** @param own for how many milliseconds the computation worked since the last time */
  measure(own: number): void {
    const { active, idle } = this.times();
    const total = active + idle - (this.last.active + this.last.idle);
    // Before its first turn, a loop has no times.
    if (total <= 0) return;
    const others = Math.min(1, Math.max(0, (active - this.last.active - own) / total));
    this.share += (others - this.share) * Math.min(1, total / WINDOW_MS);
    this.last = { active, idle };
  }
}
