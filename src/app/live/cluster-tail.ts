import type { ClusterHistory } from '../../storage/cluster-history.js';
import { ServiceError } from '../errors/service-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import { HistoryFold } from './fold-history.js';
import { type EventPlace, liveEvent, type LiveEvent } from './live-event.js';

/** A consumer of new events. */
export interface Follower {
  offer(event: LiveEvent): void;
  end(error: ServiceError): void;
  /** True if so many events are queued that the tail should wait. */
  readonly isBusy: boolean;
}

/** Maximum number of items of each kind in one read. */
export const PAGE_LIMITS = { revisions: 200, records: 500 } as const;

/** How long to wait for busy readers, in milliseconds, and how often to check. */
const MAX_WAIT = 500;
const LOOK_EVERY = 5;
/** Delay before the next attempt if the database cannot be reached, in milliseconds. */
const RETRY_AFTER = 1_000;

/**
 * Follows the end of a cluster's history on behalf of all its followers in this process: new data is read once,
 * whatever the number of followers. Reads when it is woken, and sends each event to each follower, in order.
 */
export class ClusterTail {
  private readonly followers = new Set<Follower>();
  /** Followers that were still busy after the maximum wait. */
  private readonly waitedFor = new WeakSet<Follower>();
  private starting: Promise<void> | undefined;
  private stopped = false;
  private fold: HistoryFold | undefined;
  private sentUpTo: EventPlace = {};
  private running = false;
  private again = false;
  private retry: NodeJS.Timeout | undefined;

  /** @param failed reports errors other than a database outage */
  constructor(
    readonly clusterId: number,
    private readonly history: Pick<ClusterHistory, 'end' | 'page'>,
    private readonly failed: (error: unknown) => void,
    /** Called when all followers have received a head. */
    private readonly headSent: (revision: number) => void,
  ) {}

  /** The place up to which all events have been sent. */
  get sent(): EventPlace {
    return this.sentUpTo;
  }

  /** The follower receives every event from the moment this resolves. @throws as `ClusterHistory.end` */
  async join(follower: Follower): Promise<void> {
    await this.started();
    this.followers.add(follower);
  }

  leave(follower: Follower): void {
    this.followers.delete(follower);
  }

  /** Checks for new data. */
  wake(): void {
    this.again = true;
    if (!this.running) void this.run();
  }

  /** Stops, since nobody follows the cluster. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
  }

  /** Ends all streams, for example because the cluster was deleted. */
  close(error: ServiceError): void {
    for (const follower of [...this.followers]) follower.end(error);
  }

  private started(): Promise<void> {
    if (this.starting === undefined) {
      const starting = this.start();
      this.starting = starting;
      // The next call tries again.
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
    for (const event of fold.feed(page)) await this.send(liveEvent(event));
    this.sentUpTo = fold.yielded;
    this.headSent(fold.yielded.revision);
    return page.moreRecords || page.moreRevisions || page.moreTurns === true || page.moreDisagreements === true;
  }

  private async send(event: LiveEvent): Promise<void> {
    const busy: Follower[] = [];
    this.sentUpTo = event.reached;
    for (const follower of [...this.followers]) {
      follower.offer(event);
      if (!follower.isBusy) this.waitedFor.delete(follower);
      else if (!this.waitedFor.has(follower)) busy.push(follower);
    }
    if (busy.length > 0) await this.waitFor(busy);
  }

  /**
   * Waits for busy readers, so that a burst longer than their queues does not count as slowness. Readers that stay busy
   * are not waited for again, so that they do not delay the others each time.
   */
  private async waitFor(busy: readonly Follower[]): Promise<void> {
    const end = performance.now() + MAX_WAIT;
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
