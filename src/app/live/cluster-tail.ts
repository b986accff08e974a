import type { ClusterHistory } from '../../storage/cluster-history.js';
import { ServiceError } from '../errors/service-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import { HistoryFold } from './fold-history.js';
import { type EventPlace, liveEvent, type LiveEvent } from './live-event.js';

/** Somebody whom a tail tells what is new. */
export interface Follower {
  offer(event: LiveEvent): void;
  end(error: ServiceError): void;
  /** Whether so much waits for it that it does well to be waited for. */
  readonly isBusy: boolean;
}

/** The most of each that is read at once. */
export const PAGE_LIMITS = { revisions: 200, records: 500 } as const;

/** How long readers that are busy are waited for, in milliseconds, and how long between two looks. */
const MOST_PATIENCE = 500;
const LOOK_EVERY = 5;
/** Until the next attempt after the database could not be reached. */
const RETRY_AFTER = 1_000;

/**
 * Follows the end of one cluster's history for everybody who follows it in this process: what is new is read once, however
 * many they are. It reads when it is woken, and tells each of them each event, in order.
 */
export class ClusterTail {
  private readonly followers = new Set<Follower>();
  /** Those who were busy for longer than anybody waits, and are since. */
  private readonly waitedFor = new WeakSet<Follower>();
  private starting: Promise<void> | undefined;
  private stopped = false;
  private fold: HistoryFold | undefined;
  private toldUpTo: EventPlace = {};
  private running = false;
  private again = false;
  private retry: NodeJS.Timeout | undefined;

  /** @param failed is told what went wrong besides an outage of the database */
  constructor(
    readonly clusterId: number,
    private readonly history: Pick<ClusterHistory, 'end' | 'page'>,
    private readonly failed: (error: unknown) => void,
    /** Called when everybody has been told of a head. */
    private readonly headTold: (revision: number) => void,
  ) {}

  /** Up to where everything was told. */
  get told(): EventPlace {
    return this.toldUpTo;
  }

  /** From the moment in which this resolves the follower is told of everything that comes. @throws as `ClusterHistory.end` */
  async join(follower: Follower): Promise<void> {
    await this.started();
    this.followers.add(follower);
  }

  leave(follower: Follower): void {
    this.followers.delete(follower);
  }

  /** There may be something new. */
  wake(): void {
    this.again = true;
    if (!this.running) void this.run();
  }

  /** Nobody follows the cluster any more. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
  }

  /** The cluster is gone. */
  close(error: ServiceError): void {
    for (const follower of [...this.followers]) follower.end(error);
  }

  private started(): Promise<void> {
    if (this.starting === undefined) {
      const starting = this.start();
      this.starting = starting;
      // The next one tries again.
      starting.catch(() => (this.starting = undefined));
    }
    return this.starting;
  }

  private async start(): Promise<void> {
    const end = await this.history.end(this.clusterId);
    if (end === undefined) throw clusterIsGone();
    this.fold = new HistoryFold(end);
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      await this.started();
      while (this.again && !this.stopped) {
        this.again = false;
        if (await this.readPage()) this.again = true;
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.running = false;
    }
  }

  /** @returns whether there is more to read */
  private async readPage(): Promise<boolean> {
    const fold = this.fold!;
    const page = await this.history.page(this.clusterId, fold.place, PAGE_LIMITS);
    if (page === undefined) {
      this.close(clusterIsGone());
      return false;
    }
    for (const event of fold.feed(page)) await this.tell(liveEvent(event));
    this.toldUpTo = fold.told;
    this.headTold(fold.told.revision);
    return page.moreRecords || page.moreRevisions;
  }

  private async tell(event: LiveEvent): Promise<void> {
    const busy: Follower[] = [];
    this.toldUpTo = event.reached;
    for (const follower of [...this.followers]) {
      follower.offer(event);
      if (!follower.isBusy) this.waitedFor.delete(follower);
      else if (!this.waitedFor.has(follower)) busy.push(follower);
    }
    if (busy.length > 0) await this.waitFor(busy);
  }

  /**
   * A burst longer than their queues is no reason to call readers slow who would take it in a moment. Who does not is waited
   * for no more, so that the others do not wait for it each time.
   */
  private async waitFor(busy: readonly Follower[]): Promise<void> {
    const end = performance.now() + MOST_PATIENCE;
    const isBusy = (follower: Follower): boolean => this.followers.has(follower) && follower.isBusy;
    while (busy.some(isBusy)) {
      if (performance.now() > end) {
        for (const follower of busy.filter(isBusy)) this.waitedFor.add(follower);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    }
  }

  private fail(thrown: unknown): void {
    const error = serviceErrorOf(thrown);
    if (error.code !== 'database-unavailable') this.failed(thrown);
    clearTimeout(this.retry);
    if (this.stopped) return;
    this.retry = setTimeout(() => {
      this.wake();
    }, RETRY_AFTER).unref();
  }
}

export function clusterIsGone(): ServiceError {
  return new ServiceError('cluster-not-found', 'The cluster was deleted.');
}
