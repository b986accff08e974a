/**
 * The rate limiter of a zone's queue: a token bucket that holds one token, full at first.
 *
 * `swap` follows a quirk of upstream: a queue that is stopped says that its rate is 1, so a new rate of exactly 1 does not start it
 * again. Rates are kept in 32 bits: 0.01 a second is a token every 100.000002 seconds.
 *
 * Source: k8s.io/client-go v0.36.2, util/flowcontrol/throttle.go; golang.org/x/time/rate; and k8s.io/kubernetes v1.36.2,
 * pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go (`EvictionRateLimiterBurst`, `SwapLimiter`).
 */
export class EvictionLimiter {
  private rate: number;
  private stopped = false;
  private nextAt = Number.NEGATIVE_INFINITY;

  /** `rate` in tokens a second. */
  constructor(rate: number) {
    this.rate = Math.fround(rate);
  }

  /** The moment (ms) from which on a token is there; infinite where none will be. */
  get nextTokenAt(): number {
    return this.stopped ? Number.POSITIVE_INFINITY : this.nextAt;
  }

  /** Tokens a second; zero where the queue is stopped. */
  get ratePerSecond(): number {
    return this.stopped ? 0 : this.rate;
  }

  /** Takes the token if there is one at that moment (ms). */
  tryAccept(at: number): boolean {
    if (this.nextTokenAt > at) return false;
    this.nextAt = at + 1000 / this.rate;
    return true;
  }

  /** `SwapLimiter`: another rate, beginning without a token where the old one had none at that moment; zero stops. */
  swap(rate: number, at: number): void {
    const next = Math.fround(rate);
    if ((this.stopped ? 1 : this.rate) === next) return;
    const waiting = this.nextTokenAt > at;
    this.stopped = next <= 0;
    this.rate = next;
    this.nextAt = waiting ? at + 1000 / next : Number.NEGATIVE_INFINITY;
  }
}
