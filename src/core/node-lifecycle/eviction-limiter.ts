/**
 * The rate limiter of a zone's queue: a token bucket with a capacity of one token, initially full.
 *
 * `swap` reproduces an upstream quirk: a stopped queue reports a rate of 1, so a new rate of exactly 1 does not restart
 * it. Rates are 32-bit floats: 0.01 per second is a token every 100.000002 seconds.
 *
 * Source: k8s.io/client-go v0.36.2, util/flowcontrol/throttle.go; golang.org/x/time/rate; and k8s.io/kubernetes
 * v1.36.2, pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go (`EvictionRateLimiterBurst`, `SwapLimiter`).
 */
export class EvictionLimiter {
  private rate: number;
  private stopped = false;
  private nextAt = Number.NEGATIVE_INFINITY;

  /** `rate` in tokens per second. */
  constructor(rate: number) {
    this.rate = Math.fround(rate);
  }

  /** When a token is available (ms); infinite if never. */
  get nextTokenAt(): number {
    return this.stopped ? Number.POSITIVE_INFINITY : this.nextAt;
  }

  /** Tokens per second; zero if the queue is stopped. */
  get ratePerSecond(): number {
    return this.stopped ? 0 : this.rate;
  }

  /** Takes the token if one is available at that time (ms). */
  tryAccept(at: number): boolean {
    if (this.nextTokenAt > at) return false;
    this.nextAt = at + 1000 / this.rate;
    return true;
  }

  /**
   * `SwapLimiter`: sets another rate, without a token if the old limiter had none at that time; zero stops the queue.
   */
  swap(rate: number, at: number): void {
    const next = Math.fround(rate);
    if ((this.stopped ? 1 : this.rate) === next) return;
    const waiting = this.nextTokenAt > at;
    this.stopped = next <= 0;
    this.rate = next;
    this.nextAt = waiting ? at + 1000 / next : Number.NEGATIVE_INFINITY;
  }
}
