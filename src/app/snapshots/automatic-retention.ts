import type { Retention, RetentionReport } from '../../storage/retention.js';
import type { Clock } from '../clock.js';
import { retentionLimits } from './apply-retention.js';

export interface RetentionSettings {
  readonly keepRevisions?: number;
  readonly maxAgeSeconds?: number;
}

export interface RetentionEvents {
  /** Called after a round that removed revisions, with one report for each affected cluster. */
  removed(reports: readonly RetentionReport[]): void;
  failed(error: unknown): void;
}

/** Interval between rounds, in milliseconds. */
const INTERVAL = 10 * 60_000;

/** Periodically removes old revisions of every cluster; does nothing if the settings have no limit. */
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

  /** Resolves after the current round. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Checks every cluster once; does not start while another round is in progress. */
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
