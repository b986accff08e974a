import type { Clock } from './clock.js';

/** Something that is kept for a limited time. */
export interface RetentionRule {
  /** What is removed, for messages: `revisions`. */
  readonly what: string;
  /**
   * Removes what is too old from every cluster; resolves to one report for each cluster that lost something.
   * @param failed is told of what fails for some clusters; the others lose theirs
   */
  prune(now: Date, failed: (error: unknown) => void): Promise<readonly object[]>;
}

export interface RetentionEvents {
  /** Called after a rule removed something, with one report for each affected cluster. */
  removed(what: string, reports: readonly object[]): void;
  failed(what: string, error: unknown): void;
}

/** Interval between rounds, in milliseconds. */
const INTERVAL = 10 * 60_000;

/** Periodically removes what is too old, rule by rule; a rule that fails does not keep the others from running. */
export class AutomaticRetention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly rules: readonly RetentionRule[],
    private readonly clock: Clock,
    private readonly events: RetentionEvents,
  ) {}

  start(): void {
    if (this.rules.length === 0) return;
    void this.round();
    this.timer = setInterval(() => void this.round(), INTERVAL).unref();
  }

  /** Resolves after the current round. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Applies each rule once; does not start while another round is in progress. */
  round(): Promise<void> {
    this.running ??= this.prune().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async prune(): Promise<void> {
    for (const rule of this.rules) {
      try {
        const reports = await rule.prune(this.clock.now(), (error) => this.events.failed(rule.what, error));
        if (reports.length > 0) this.events.removed(rule.what, reports);
      } catch (error) {
        this.events.failed(rule.what, error);
      }
    }
  }
}
