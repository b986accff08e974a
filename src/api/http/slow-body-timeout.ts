/** The minimum rate of a request body. */
export interface SlowBodyLimits {
  /** Milliseconds that the reader may wait in total before the body must arrive at `bytesPerSecond`. */
  readonly ms: number;
  readonly bytesPerSecond: number;
}

/**
 * The remaining time that a reader waits for a sender: waiting uses it up, and received bytes restore it, up to its
 * initial value. A silent or very slow sender times out, and a fast one never does, however large its body is.
 */
export class SlowBodyTimeout {
  private left: number;

  constructor(private readonly limits: SlowBodyLimits) {
    this.left = limits.ms;
  }

  get remainingMs(): number {
    return this.left;
  }

  waited(ms: number, bytes: number): void {
    const { ms: most, bytesPerSecond } = this.limits;
    this.left = Math.max(0, Math.min(most, this.left - ms + (bytes / bytesPerSecond) * 1000));
  }

  get message(): string {
    const { ms, bytesPerSecond } = this.limits;
    return `The body arrived at less than ${bytesPerSecond} bytes per second for more than ${ms / 1000} seconds.`;
  }
}
