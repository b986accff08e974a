import type { ClusterHistory } from '../../storage/cluster-history.js';
import type { HeadEvent } from '../../storage/head-listener.js';
import { ServiceError } from '../errors/service-error.js';
import type { Clock } from '../clock.js';
import { callerKey } from '../caller-key.js';
import type { SharedCounts } from '../shared-counts.js';
import type { RequestContext } from '../request-context.js';
import type { QueueLimits } from './bounded-queue.js';
import { clusterIsGone, ClusterTail } from './cluster-tail.js';
import { EventStream, type StreamOptions } from './event-stream.js';
import { ScheduleTail } from './schedule-tail.js';
import type { ScheduleWatch } from './schedule-watch.js';

export interface LiveSettings {
  /** Interval between heartbeats, in milliseconds. */
  readonly heartbeatMs: number;
  /** Maximum number of open streams, of one caller and in total. */
  readonly perCaller: number;
  readonly inTotal: number;
  /** Limits of a reader's queue. */
  readonly queue: QueueLimits;
}

/** The sources of the events. */
export interface LiveSources {
  readonly history: ClusterHistory;
  readonly watch: ScheduleWatch;
  readonly clock: Clock;
  /** Reports errors of following a cluster, except database outages. */
  readonly failed: (error: unknown) => void;
}

type Who = Pick<RequestContext, 'caller' | 'address' | 'again'>;

interface OpenStream {
  readonly stream: EventStream;
  readonly who: Who;
}

interface SharedTail {
  readonly tail: ClusterTail;
  readonly schedule: ScheduleTail;
  streams: number;
}

/** For a caller who has reached a limit. */
const RETRY_AFTER_SECONDS = 5;

/** The open streams of this process: counts them, keeps them alive, and ends them at shutdown. */
export class LiveStreams {
  private readonly open = new Set<OpenStream>();
  private readonly tails = new Map<number, SharedTail>();
  private heart: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly sources: LiveSources,
    private readonly settings: LiveSettings,
    private readonly counts: SharedCounts,
  ) {}

  get count(): number {
    return this.open.size;
  }

  /** @throws {ServiceError} `too-many-streams`, `shutting-down` */
  async follow(options: Pick<StreamOptions, 'after' | 'types' | 'follow'>, who: Who): Promise<EventStream> {
    const leave = await this.enter(who);
    const { clusterId } = options.after;
    const shared = this.sharedTail(clusterId);
    const { types } = options;
    const watches = types.has('scheduleChanged') || types.has('evictionDue');
    const stream = new EventStream(this.sources.history, shared.tail, {
      ...options,
      ...(watches && { schedule: shared.schedule }),
      queue: this.settings.queue,
      ended: () => {
        this.open.delete(entry);
        leave();
        this.leave(clusterId, shared);
      },
    });
    const entry = { stream, who };
    this.open.add(entry);
    shared.streams++;
    this.heart ??= setInterval(() => {
      this.beat();
    }, this.settings.heartbeatMs).unref();
    return stream;
  }

  /** Handles a notification about a cluster. */
  hear(event: HeadEvent): void {
    const tail = this.tails.get(event.clusterId)?.tail;
    if (event.type === 'deleted') tail?.close(clusterIsGone());
    else if (event.type === 'head' || event.type === 'trail') tail?.wake();
  }

  /** Ends every stream and rejects new ones. */
  close(): void {
    this.closed = true;
    clearInterval(this.heart);
    for (const { stream } of [...this.open]) stream.end(shuttingDown());
  }

  /** @returns ends the stream's place among those that the limits allow */
  private async enter(who: Who): Promise<() => void> {
    if (this.closed) throw shuttingDown();
    const entry = await this.counts.enter('streams', callerKey(who), this.settings);
    if (!('leave' in entry)) throw tooMany(entry.full, entry.taken);
    if (!this.closed) return entry.leave;
    entry.leave();
    throw shuttingDown();
  }

  private sharedTail(clusterId: number): SharedTail {
    let shared = this.tails.get(clusterId);
    if (shared === undefined) {
      const { history, watch, clock, failed } = this.sources;
      const schedule = new ScheduleTail(clusterId, watch, clock, failed);
      const tail = new ClusterTail(clusterId, history, failed, (head) => {
        schedule.wake(head);
      });
      shared = { tail, schedule, streams: 0 };
      this.tails.set(clusterId, shared);
    }
    return shared;
  }

  private leave(clusterId: number, shared: SharedTail): void {
    if (--shared.streams > 0) return;
    shared.tail.stop();
    if (this.tails.get(clusterId) === shared) this.tails.delete(clusterId);
    if (this.tails.size > 0) return;
    clearInterval(this.heart);
    this.heart = undefined;
  }

  private beat(): void {
    for (const { stream, who } of [...this.open]) {
      stream.beat();
      // A caller who has lost access receives no more events.
      who.again?.().catch((error: unknown) => {
        stream.end(error as ServiceError);
      });
    }
    // In case a notification was lost.
    for (const { tail } of this.tails.values()) tail.wake();
  }
}

function tooMany(full: 'perCaller' | 'inTotal', streams: number): ServiceError {
  return new ServiceError(
    'too-many-streams',
    full === 'perCaller'
      ? `You have ${streams} open event streams, which is the limit; close one first.`
      : `This replica has ${streams} open event streams, which is the limit; retry, or use another replica.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting-down', 'This replica is shutting down; reconnect.', { retryAfterSeconds: 1 });
}
