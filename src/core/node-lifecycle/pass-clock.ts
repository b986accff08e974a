/** How often the controller looks at its queues (`NodeEvictionPeriod`), in ms. */
export const TICK_MS = 100;

/**
 * The moments (ms) at which the controller acts: its passes over all nodes, and in between the ticks at which queues are tried. The first pass
 * is `phaseMs` after the beginning.
 *
 * Both run on a grid here. The real ones begin a period after the one before has ended, so they are a few ms further apart each time.
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

  /** The first pass at that moment or after it; before the beginning too, as if the controller had always run. */
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
