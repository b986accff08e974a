/** How often the controller processes its queues (`NodeEvictionPeriod`), in ms. */
export const TICK_MS = 100;

/**
 * The times (ms) at which the controller acts: its passes over all nodes, and the ticks in between at which it
 * processes queues. The first pass is `phaseMs` after the beginning.
 *
 * Both are simulated on a fixed grid. The real ones start a period after the previous one has ended, so they drift by a
 * few ms each time.
 */
export class PassClock {
  private readonly firstPassAt: number;

  constructor(
    fromAt: number,
    phaseMs: number,
    private readonly periodMs: number,
  ) {
    this.firstPassAt = fromAt + phaseMs;
  }

  /** The first pass at or after a time; also before the beginning, as if the controller had always run. */
  passAtOrAfter(at: number): number {
    return this.onGrid(at, this.periodMs);
  }

  tickAtOrAfter(at: number): number {
    return this.onGrid(at, TICK_MS);
  }

  private onGrid(at: number, step: number): number {
    if (!Number.isFinite(at)) return at;
    const moment = this.firstPassAt + Math.ceil((at - this.firstPassAt) / step) * step;
    return moment < at ? moment + step : moment;
  }
}
