import type { Clock } from '../clock.js';
import type { ExpiredChange, ExpireTaintChanges } from './expire-taint-changes.js';

export interface ExpiryEvents {
  expired(changes: readonly ExpiredChange[]): void;
  failed(error: unknown, change?: string): void;
}

/** How long at most until the next look, in milliseconds: another replica may have taken in a change that expires sooner. */
const LONGEST_SLEEP = 1_000;
const SHORTEST_SLEEP = 10;

/** Undoes changes when their time is over. What is due is in the database, so it survives restarts, and any replica does it. */
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
    this.sleep(SHORTEST_SLEEP);
  }

  /** Ends after the round under way. */
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
    let pause = LONGEST_SLEEP;
    try {
      const done = await this.expire.run(this.clock.now(), (change, error) => this.events.failed(error, change));
      if (done.length > 0) this.events.expired(done);
      const next = await this.expire.next();
      // One that is due and failed waits its time like the others.
      if (next !== undefined && next.getTime() > this.clock.now().getTime()) {
        pause = Math.min(pause, Math.max(next.getTime() - this.clock.now().getTime(), SHORTEST_SLEEP));
      }
    } catch (error) {
      this.events.failed(error);
    }
    this.sleep(pause);
  }
}
