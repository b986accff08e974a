import { defined } from '../../core/collections/defined.js';
import type { ClusterHistory, HistoryPage } from '../../storage/cluster-history.js';
import { ServiceError } from '../errors/service-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import { BoundedQueue, type QueueLimits } from './bounded-queue.js';
import type { ClusterEventType, MaskableNews } from './cluster-events.js';
import { clusterIsGone, type ClusterTail, type Follower, PAGE_LIMITS } from './cluster-tail.js';
import { type EventPosition, writePosition } from './event-position.js';
import { HistoryFold } from './fold-history.js';
import { hasHad, type LiveEvent, liveEvent, moved } from './live-event.js';
import { resumeGone } from './resume-gone.js';
import type { ScheduleTail } from './schedule-tail.js';

/** An item of a stream: an event or a heartbeat, with the position of the reader after it. */
export type StreamItem = { readonly position: EventPosition } & (
  { readonly kind: 'event'; readonly event: MaskableNews } | { readonly kind: 'heartbeat' }
);

export interface StreamOptions {
  readonly after: EventPosition;
  readonly types: ReadonlySet<ClusterEventType>;
  /** False: the stream ends after all existing events. */
  readonly follow: boolean;
  readonly queue: QueueLimits;
  /** Absent if the reader did not request schedule events. */
  readonly schedule?: ScheduleTail;
  /** Called once when the stream has ended, for whatever reason. */
  readonly ended: () => void;
}

/** Delay before the next attempt if the database cannot be reached, in milliseconds. */
const RETRY_AFTER = 1_000;
/** How long a reader may take to receive the end of its stream, in milliseconds; and during shutdown. */
const CLOSE_TIMEOUT = 30_000;
const SHUTDOWN_CLOSE_TIMEOUT = 5_000;

/**
 * The events of a cluster for one reader, from a position on, pulled one by one.
 *
 * History is read from the database, one page whenever the reader has consumed the previous one. At its end, the stream
 * joins the tail, which sends it new events, and reads once more what happened before it joined; events received twice
 * are sent once. So no event is lost or repeated, whichever replica served the reader before.
 *
 * While the database is unavailable, a stream stays open, and continues when it is back.
 */
export class EventStream implements AsyncIterableIterator<StreamItem>, Follower {
  /** Cuts the connection of a reader that does not even consume the end of the stream. */
  sever: () => void = () => undefined;
  private position: EventPosition;
  private readonly fold: HistoryFold;
  private readonly queue: BoundedQueue<LiveEvent>;
  /** History that was read and not yet consumed. */
  private page: LiveEvent[] = [];
  private mode: 'past' | 'joining' | 'live' | 'over' = 'past';
  private reading = false;
  private beatDue = false;
  private wake: (() => void) | undefined;
  private error: ServiceError | undefined;
  private closeTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly history: Pick<ClusterHistory, 'page'>,
    private readonly tail: ClusterTail,
    private readonly options: StreamOptions,
  ) {
    this.position = options.after;
    this.fold = new HistoryFold(options.after);
    this.queue = new BoundedQueue(options.queue);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isBusy(): boolean {
    return this.queue.isHalfFull;
  }

  /** @throws {ServiceError} once, if the stream ends for another reason than its reader's request */
  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    for (;;) {
      const item = this.take();
      if (item !== undefined) return { done: false, value: item };
      if (this.mode === 'over') return this.finalResult();
      if (this.mode !== 'live' && !this.reading) void this.readOn();
      // Heartbeats are also due while a page is being read.
      await this.woken();
    }
  }

  /** The reader has closed the stream. */
  return(): Promise<IteratorResult<StreamItem, undefined>> {
    this.page = [];
    this.queue.clear();
    this.finish();
    clearTimeout(this.closeTimer);
    this.error = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Receives an event from the tail, which the stream may already have read. */
  offer(event: LiveEvent): void {
    if (!this.options.types.has(event.news.type)) return;
    if (this.queue.add(event, event.bytes)) {
      this.wake?.();
    } else if (this.mode === 'joining') {
      // The database is slow, not the reader.
      this.backToThePast();
    } else {
      const error = new ServiceError(
        'slow-reader',
        'Events arrive faster than you read them. Reconnect and resume from the last id that you received.',
      );
      this.queue.clear();
      this.end(error);
    }
  }

  /** Schedules a heartbeat. */
  beat(): void {
    this.beatDue = true;
    this.wake?.();
  }

  /** Sends the queued events, then ends the stream with the error. */
  end(error: ServiceError): void {
    if (this.mode === 'over') return;
    this.error = error;
    // Events from the tail must not be sent before the rest of the history.
    if (this.mode !== 'live') this.queue.clear();
    const timeout = error.code === 'shutting-down' ? SHUTDOWN_CLOSE_TIMEOUT : CLOSE_TIMEOUT;
    this.closeTimer = setTimeout(() => {
      this.sever();
    }, timeout).unref();
    this.finish();
  }

  /** The id to resume from, for the problem document at the end of a stream. */
  get resumeAfter(): string {
    return writePosition(this.position);
  }

  private finish(): void {
    if (this.mode === 'over') return;
    this.mode = 'over';
    this.leave();
    this.options.ended();
    this.wake?.();
  }

  private finalResult(): IteratorReturnResult<undefined> {
    clearTimeout(this.closeTimer);
    const { error } = this;
    this.error = undefined;
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  private take(): StreamItem | undefined {
    for (let event = this.page.shift(); event !== undefined; event = this.page.shift()) return this.itemOf(event);
    if (this.mode === 'live' || this.mode === 'over') {
      for (let event = this.queue.take(); event !== undefined; event = this.queue.take()) {
        if (!hasHad(this.position, event.place)) return this.itemOf(event);
      }
    }
    if (!this.beatDue || this.mode === 'over') return undefined;
    this.beatDue = false;
    // This reader has received, or did not request, everything that was sent to all others.
    if (this.mode === 'live') {
      const evictions = this.options.schedule?.place;
      this.position = moved(this.position, { ...this.tail.sent, ...defined({ evictions }) });
    }
    return { kind: 'heartbeat', position: this.position };
  }

  private itemOf(event: LiveEvent): StreamItem {
    this.position = moved(this.position, event.reached);
    return { kind: 'event', position: this.position, event };
  }

  private async woken(): Promise<void> {
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
  }

  /** Reads the next page of the history; at its end, switches to live events. */
  private async readOn(): Promise<void> {
    const { mode } = this;
    this.reading = true;
    try {
      if (mode === 'joining') await this.tail.join(this);
      const page = await this.history.page(this.position.clusterId, this.fold.place, PAGE_LIMITS);
      // Meanwhile the reader may have gone, or a queue may have overflowed.
      if (this.mode !== mode) return;
      const more = this.readPage(page);
      this.wake?.();
      const isLast = mode === 'joining' || !this.options.follow;
      if (this.isOpen && !more && isLast) await this.readSchedule();
      if (this.mode === mode) this.goOn(more);
    } catch (thrown) {
      const error = serviceErrorOf(thrown);
      if (error.code === 'database-unavailable') await pause();
      else this.end(error);
    } finally {
      this.reading = false;
      this.wake?.();
    }
  }

  private get isOpen(): boolean {
    return this.mode !== 'over';
  }

  /** @returns whether there is more to read */
  private readPage(page: HistoryPage | undefined): boolean {
    if (page === undefined) {
      this.end(clusterIsGone());
      return false;
    }
    const { types } = this.options;
    const oldest = page.revisions[0]?.revision;
    if (oldest !== undefined && oldest > this.fold.place.revision + 1 && types.has('headChanged')) {
      this.end(resumeGone(oldest));
      return false;
    }
    const events = this.fold.feed(page);
    this.page.push(...events.filter(({ news }) => types.has(news.type)).map(liveEvent));
    this.passOver();
    return page.moreRecords || page.moreRevisions || page.moreTurns === true || page.moreDisagreements === true;
  }

  /** Reads the changes of the schedule since the position, as one change. */
  private async readSchedule(): Promise<void> {
    const { schedule } = this.options;
    if (schedule === undefined) return;
    schedule.wake(this.fold.yielded.revision);
    const had = this.position.evictions;
    const events = await schedule.join(this, had);
    if (!this.isOpen) {
      schedule.leave(this);
      return;
    }
    if (had === undefined && schedule.place !== undefined) {
      this.position = { ...this.position, evictions: schedule.place };
    }
    // After the heads that the tail has sent meanwhile, of which the schedule may be.
    for (const event of events) if (!hasHad(this.position, event.place)) this.offer(event);
  }

  /** Advances the reader's position past items that are not sent to anyone. */
  private passOver(): void {
    if (this.page.length === 0) this.position = moved(this.position, this.fold.yielded);
  }

  private goOn(more: boolean): void {
    if (more) {
      if (this.mode === 'joining') this.backToThePast();
    } else if (this.mode === 'joining') {
      this.mode = 'live';
    } else if (this.options.follow) {
      this.mode = 'joining';
    } else {
      this.finish();
    }
  }

  private leave(): void {
    this.tail.leave(this);
    this.options.schedule?.leave(this);
  }

  private backToThePast(): void {
    this.leave();
    this.queue.clear();
    this.mode = 'past';
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, RETRY_AFTER).unref();
  });
}
