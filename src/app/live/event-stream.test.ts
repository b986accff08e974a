import { afterEach, describe, expect, it } from '@jest/globals';
import type { ClusterHistory, HistoryEnd, HistoryPage, HistoryPlace } from '../../storage/cluster-history.js';
import { ServiceError } from '../errors/service-error.js';
import { ClusterTail } from './cluster-tail.js';
import { SystemClock } from '../clock.js';
import { EventStream, type StreamOptions } from './event-stream.js';
import { ScheduleTail } from './schedule-tail.js';
import type { ScheduleWatch } from './schedule-watch.js';
import { WatchedSchedule } from './watched-schedule.js';

const AT = '2026-05-04T12:00:00.000Z';

/** A history of revisions that can grow at any time. */
class GrowingHistory implements Pick<ClusterHistory, 'end' | 'page'> {
  head = 1;
  /** Runs when a tail is about to read the end of the history. */
  beforeEnd: () => void = () => undefined;
  private readonly meanwhile = new Map<number, () => Promise<void>>();
  private readonly afterwards = new Map<number, () => Promise<void>>();
  private reads = 0;

  /** @param read number of the read, from 1; the callback runs before its page is returned */
  duringRead(read: number, happens: () => Promise<void>): void {
    this.meanwhile.set(read, happens);
  }

  /** The same for a callback that runs when the page has been read. */
  afterRead(read: number, happens: () => Promise<void>): void {
    this.afterwards.set(read, happens);
  }

  end(): Promise<HistoryEnd> {
    this.beforeEnd();
    return Promise.resolve({ revision: this.head, sequence: 0, oldest: 1 });
  }

  async page(_: number, after: HistoryPlace): Promise<HistoryPage> {
    await this.meanwhile.get(++this.reads)?.();
    const numbers = Array.from({ length: this.head }, (__, index) => index + 1);
    await this.afterwards.get(this.reads)?.();
    const revisions = numbers.filter((number) => number > after.revision);
    return {
      revisions: revisions.map((revision) => ({
        revision,
        kind: 'snapshot' as const,
        capturedAt: AT,
        receivedAt: AT,
        unconfirmedNodes: 0,
        counts: {},
      })),
      records: [],
      moreRevisions: false,
      moreRecords: false,
    };
  }
}

const streams: EventStream[] = [];
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.return()));
});

const failed = (error: unknown): void => {
  throw error;
};

/** Of each revision, another pod leaves. */
const watch: ScheduleWatch = {
  of: (_, revision) =>
    Promise.resolve(new WatchedSchedule(revision, [{ namespace: 'd', name: `p${revision}`, node: 'a', at: 9e15 }], 0)),
};

function following(
  history: GrowingHistory,
  after: number,
  more: Pick<StreamOptions, 'schedule'> = {},
): { readonly stream: EventStream; readonly tail: ClusterTail } {
  const tail = new ClusterTail(7, history, failed, (head) => {
    more.schedule?.wake(head);
  });
  const evictions = more.schedule && { evictions: { schedule: after, dueBy: after, dueUntil: 0 } };
  const stream = new EventStream(history, tail, {
    after: { clusterId: 7, revision: after, sequence: 0, ...evictions },
    types: new Set(['headChanged', 'scheduleChanged']),
    follow: true,
    ...more,
    queue: { items: 10, bytes: 10_000 },
    ended: () => undefined,
  });
  streams.push(stream);
  return { stream, tail };
}

/** The next revision that the stream sends. */
async function next(stream: EventStream): Promise<number> {
  const { value } = await stream.next();
  if (value?.kind !== 'event' || value.event.news.type !== 'headChanged') throw new Error('no event about a head');
  return value.event.news.headChanged.revision;
}

/** Adds a revision and waits until all followers have received it. */
async function grow(history: GrowingHistory, tail: ClusterTail): Promise<void> {
  history.head++;
  tail.wake();
  while (tail.sent.revision !== history.head) await new Promise(setImmediate);
}

describe('a stream of events that switches from history to live events', () => {
  it('sends events that occurred after the history was read and before it joined the tail', async () => {
    const history = new GrowingHistory();
    const { stream } = following(history, 0);
    history.beforeEnd = () => history.head++;
    expect([await next(stream), await next(stream)]).toEqual([1, 2]);
  });

  it('sends an event once if it receives it from both the history and the tail', async () => {
    const history = new GrowingHistory();
    const { stream, tail } = following(history, 0);
    // The second read belongs to a stream that has joined the tail.
    history.duringRead(2, () => grow(history, tail));
    expect([await next(stream), await next(stream)]).toEqual([1, 2]);
    const third = next(stream);
    await grow(history, tail);
    expect(await third).toBe(3);
  });

  it('sends the change of the schedule after the head that brought it, if that came from the tail meanwhile', async () => {
    const history = new GrowingHistory();
    const schedule = new ScheduleTail(7, watch, new SystemClock(), failed);
    const { stream, tail } = following(history, 1, { schedule });
    history.afterRead(2, () => grow(history, tail));
    expect(await next(stream)).toBe(2);
    const { value } = await stream.next();
    expect(value).toMatchObject({
      event: {
        news: { type: 'scheduleChanged', scheduleChanged: { before: { revision: 1 }, after: { revision: 2 } } },
      },
    });
  });

  it('ends without events from the tail that follow a part of the history that it has not sent', async () => {
    const history = new GrowingHistory();
    const { stream, tail } = following(history, 0);
    history.duringRead(2, async () => {
      await grow(history, tail);
      stream.end(new ServiceError('shutting-down', 'This replica is stopping.'));
    });
    expect(await next(stream)).toBe(1);
    await expect(stream.next()).rejects.toThrow('This replica is stopping.');
    expect(stream.resumeAfter).toBe('7-1.0');
  });
});
