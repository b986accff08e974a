/** How slowly a body may come. */
export interface PatienceLimits {
  /** How long its reader may wait for bytes, in milliseconds, before they must have come at `bytesPerSecond`. */
  readonly ms: number;
  readonly bytesPerSecond: number;
}

/**
 * How much longer a reader waits for a sender: waiting uses it up, and what comes gives it back, never more than it was at
 * first. So neither silence nor a byte now and then holds a reader; and whoever sends fast keeps it however long it takes.
 */
export class Patience {
  private left: number;

  constructor(private readonly limits: PatienceLimits) {
    this.left = limits.ms;
  }

  get leftMs(): number {
    return this.left;
  }

  waited(ms: number, bytes: number): void {
    const { ms: most, bytesPerSecond } = this.limits;
    this.left = Math.max(0, Math.min(most, this.left - ms + (bytes / bytesPerSecond) * 1000));
  }

  get words(): string {
    const { ms, bytesPerSecond } = this.limits;
    return `The body came at less than ${bytesPerSecond} bytes a second, for longer than ${ms / 1000} seconds.`;
  }
}
