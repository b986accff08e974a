/** In milliseconds. */
export interface BackoffNumbers {
  readonly first: number;
  readonly most: number;
  readonly factor: number;
  /** The share of a delay by which it is lengthened at most, at random. */
  readonly jitter: number;
  /** After so long without a failure it begins anew. */
  readonly reset: number;
}

/** Source: k8s.io/client-go v0.36.2, tools/cache/reflector.go, `NewReflectorWithOptions`. */
export const REFLECTOR_BACKOFF: BackoffNumbers = {
  first: 800,
  most: 30_000,
  factor: 2,
  jitter: 1,
  reset: 120_000,
};

/** How long to wait after each failure. */
export class Backoff {
  private delay: number;
  private last = -Infinity;

  constructor(
    /** From 0 up to 1. */
    private readonly random: () => number,
    private readonly numbers: BackoffNumbers = REFLECTOR_BACKOFF,
  ) {
    this.delay = numbers.first;
  }

  /**
   * @param now in milliseconds
   * @param atLeast what the server asked for; it is lengthened at random, too, so that not all come at once
   */
  next(now: number, atLeast = 0): number {
    const { first, most, factor, jitter, reset } = this.numbers;
    if (now - this.last > reset) this.delay = first;
    const delay = Math.max(this.delay, atLeast);
    const wait = delay * (1 + jitter * this.random());
    this.delay = Math.min(this.delay * factor, most);
    // What was waited for is no time without a failure.
    this.last = now + wait;
    return wait;
  }
}
