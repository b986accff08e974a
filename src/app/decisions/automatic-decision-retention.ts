import type { DecisionRetention, RemovedDecisions } from '../../storage/decisions/decision-retention.js';
import type { Clock } from '../clock.js';
import { keptFor, type DecisionRetentionLimit } from './decision-retention-setting.js';

export interface DecisionRetentionEvents {
  /** Called after a round that removed decisions, with one report for each affected cluster. */
  removed(reports: readonly RemovedDecisions[]): void;
  failed(error: unknown): void;
}

/** Interval between rounds, in milliseconds. */
const INTERVAL = 10 * 60_000;

/** Periodically removes old decisions, by the limit of their cluster or that of the service. */
export class AutomaticDecisionRetention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly retention: Pick<DecisionRetention, 'prune'>,
    private readonly limit: DecisionRetentionLimit,
    private readonly clock: Clock,
    private readonly events: DecisionRetentionEvents,
  ) {}

  start(): void {
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
    try {
      const reports = await this.retention.prune(this.clock.now(), (setting) => keptFor(setting, this.limit));
      if (reports.length > 0) this.events.removed(reports);
    } catch (error) {
      this.events.failed(error);
    }
  }
}
