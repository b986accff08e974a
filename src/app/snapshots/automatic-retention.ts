import type { Retention, RetentionReport } from '../../storage/retention.js';
import type { Clock } from '../clock.js';
import { retentionLimits } from './apply-retention.js';

export interface RetentionSettings {
  readonly keepRevisions?: number;
  readonly maxAgeSeconds?: number;
}

export interface RetentionEvents {
  /** After a round that removed something: one report for each cluster that lost some. */
  removed(reports: readonly RetentionReport[]): void;
  failed(error: unknown): void;
}

/** How often every cluster is looked at, in milliseconds. */
const INTERVAL = 10 * 60_000;

/** Removes old revisions of every cluster from time to time; does nothing where the settings name no limit. */
export class AutomaticRetention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly retention: Pick<Retention, 'pruneAll'>,
    private readonly settings: RetentionSettings,
    private readonly clock: Clock,
    private readonly events: RetentionEvents,
  ) {}

  start(): void {
    const { keepRevisions, maxAgeSeconds } = this.settings;
    if (keepRevisions === undefined && maxAgeSeconds === undefined) return;
    void this.round();
    this.timer = setInterval(() => void this.round(), INTERVAL).unref();
  }

  /** Ends after the round under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** One look at every cluster; a round that is still under way is not joined by another. */
  round(): Promise<void> {
    this.running ??= this.prune().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async prune(): Promise<void> {
    const { keepRevisions, maxAgeSeconds } = this.settings;
    try {
      const limits = retentionLimits(this.clock.now(), keepRevisions, maxAgeSeconds);
      const reports = await this.retention.pruneAll(limits);
      if (reports.length > 0) this.events.removed(reports);
    } catch (error) {
      this.events.failed(error);
    }
  }
}
