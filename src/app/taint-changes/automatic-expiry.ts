import type { HeadEvent } from '../../storage/head-notifications.js';
import type { Clock } from '../clock.js';
import { TimedLooks } from '../timed-looks.js';
import type { ExpiredChange, ExpireTaintChanges } from './expire-taint-changes.js';

export interface ExpiryEvents {
  expired(changes: readonly ExpiredChange[]): void;
  failed(error: unknown, change?: string): void;
}

/**
 * Reverts changes when they expire. The due changes are in the database, so they survive restarts, and any replica
 * handles them.
 */
export class AutomaticExpiry {
  private readonly looks: TimedLooks;

  constructor(expire: ExpireTaintChanges, clock: Clock, events: ExpiryEvents) {
    this.looks = new TimedLooks({
      look: async (clusterIds, failed) => {
        const next = await expire.next(failed, clusterIds);
        if (next === undefined || next > clock.now()) return next;
        const done = await expire.run(
          clock.now(),
          { change: (change, error) => events.failed(error, change), place: failed },
          clusterIds,
        );
        if (done.length > 0) events.expired(done);
        return expire.next(failed, clusterIds);
      },
      clock,
      failed: (error) => events.failed(error),
    });
  }

  hear(event: HeadEvent): void {
    this.looks.hear(event);
  }

  lookAtAll(): void {
    this.looks.lookAtAll();
  }

  start(): void {
    this.looks.start();
  }

  /** Resolves after the current round. */
  stop(): Promise<void> {
    return this.looks.stop();
  }
}
