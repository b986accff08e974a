import type { Clock } from '../clock.js';
import type { ExpiredChange, ExpireTaintChanges } from './expire-taint-changes.js';

export interface ExpiryEvents {
  expired(changes: readonly ExpiredChange[]): void;
  failed(error: unknown, change?: string): void;
}

/** Maximum delay before the next check, in milliseconds: another replica may store a change that expires sooner. */
const MAX_SLEEP = 1_000;
const MIN_SLEEP = 10;

/**
 * Reverts changes when they expire. The due changes are in the database, so they survive restarts, and any replica
 * handles them.
 */
export class AutomaticExpiry {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly expire: ExpireTaintChanges,
    private readonly clock: Clock,
    private readonly events: ExpiryEvents,
  ) {}

  start(): void {
    this.sleep(MIN_SLEEP);
  }

  /** Resolves after the current round. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private sleep(milliseconds: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.round();
    }, milliseconds).unref();
  }

  private async round(): Promise<void> {
    let pause = MAX_SLEEP;
    try {
      const done = await this.expire.run(this.clock.now(), (change, error) => this.events.failed(error, change));
      if (done.length > 0) this.events.expired(done);
      const next = await this.expire.next();
      // A due change that failed waits like the others.
      if (next !== undefined && next.getTime() > this.clock.now().getTime()) {
        pause = Math.min(pause, Math.max(next.getTime() - this.clock.now().getTime(), MIN_SLEEP));
      }
    } catch (error) {
      this.events.failed(error);
    }
    this.sleep(pause);
  }
}
