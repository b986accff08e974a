import type { HeadEvent } from '../storage/head-notifications.js';
import type { Clock } from './clock.js';

/** How often all clusters are looked at although nobody tells of one, and after a failure, in milliseconds. */
const LOOK_EVERY = 30_000;
const RETRY_AFTER = 5_000;
/** How soon clusters are looked at that are told of, and how far apart such looks are at least, in milliseconds. */
const AFTER_A_CHANGE = 100;
const APART = 1_000;
/** The shortest pause, in milliseconds. */
const LEAST_PAUSE = 10;

export interface LooksOptions {
  /**
   * Does what is due.
   * @param clusterIds the clusters to look at; all, if undefined
   * @param failed is to be told of what cannot be looked at: all is looked at again soon
   * @returns when something is due next; in the past, if what is due could not be done; undefined if nothing is
   */
  readonly look: (
    clusterIds: readonly number[] | undefined,
    failed: (error: unknown) => void,
  ) => Promise<Date | undefined>;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/**
 * Does what is due in clusters at a time that is stored. What is due next is remembered, and a cluster is looked at again when its record has
 * grown, in whichever replica; as a notification may be lost with the connection that it comes over, all are looked at now and then.
 */
export class TimedLooks {
  private readonly heard = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private stopped = false;
  /** Of `performance.now()`: when to look at all clusters, and when there was the last look. */
  private allAt = 0;
  private lookedAt = -Infinity;

  constructor(private readonly options: LooksOptions) {}

  start(): void {
    this.allAt = performance.now();
    this.arm();
  }

  /** Resolves after the look that is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** A change on the record, or a record without a new head, may be due at a time. */
  hear(event: HeadEvent): void {
    if (event.type === 'trail' || (event.type === 'head' && event.isMadeHere === true)) this.lookAt(event.clusterId);
  }

  /** Looks at a cluster soon. */
  lookAt(clusterId: number): void {
    this.heard.add(clusterId);
    this.arm();
  }

  /** Looks at all clusters soon. */
  lookAtAll(): void {
    this.allAt = Math.min(this.allAt, performance.now());
    this.arm();
  }

  private arm(): void {
    if (this.stopped || this.looking !== undefined) return;
    const now = performance.now();
    const heardAt = this.heard.size === 0 ? Infinity : Math.max(now + AFTER_A_CHANGE, this.lookedAt + APART);
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        this.looking = this.run().finally(() => {
          this.looking = undefined;
          this.arm();
        });
      },
      Math.max(Math.min(this.allAt, heardAt) - now, LEAST_PAUSE),
    ).unref();
  }

  private async run(): Promise<void> {
    const { look, clock, failed } = this.options;
    const now = performance.now();
    const isOfAll = this.allAt <= now;
    const clusterIds = isOfAll ? undefined : [...this.heard];
    this.heard.clear();
    this.lookedAt = now;
    let pause = LOOK_EVERY;
    const told = new Set<string>();
    const failedOnce = (error: unknown): void => {
      pause = RETRY_AFTER;
      const message = String(error);
      if (!told.has(message)) failed(error);
      told.add(message);
    };
    try {
      const next = await look(clusterIds, failedOnce);
      if (next !== undefined) {
        const left = next.getTime() - clock.now().getTime();
        // What is due and failed waits like what others may have stored.
        pause = Math.min(pause, left > 0 ? Math.max(left, LEAST_PAUSE) : APART);
      }
    } catch (error) {
      failedOnce(error);
    }
    const nextAt = performance.now() + pause;
    this.allAt = isOfAll ? nextAt : Math.min(this.allAt, nextAt);
  }
}
