import type { Clock } from '../clock.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import type { MaskableNews } from './cluster-events.js';
import type { Follower } from './cluster-tail.js';
import type { EvictionsPlace } from './event-position.js';
import { type LiveEvent, liveEvent } from './live-event.js';
import type { ScheduleWatch } from './schedule-watch.js';
import { evictionDue, type WatchedSchedule } from './watched-schedule.js';

/** Maximum delay before the clock is read again, in milliseconds, since the clock may be adjusted. */
const MAX_SLEEP = 1_000;
const MIN_SLEEP = 10;
/** After computing a schedule, the tail pauses for this multiple of the time that it took. */
const REST = 4;

/** What has been sent to all followers. */
interface SentSchedule {
  readonly schedule: WatchedSchedule;
  /** The time up to which evictions were sent as due. */
  readonly dueUntil: number;
}

/**
 * Follows the eviction schedule of a cluster's head on behalf of all its followers in this process: computes it once
 * for each head, and only while there are followers. Skips heads that arrive faster than it can compute.
 */
export class ScheduleTail {
  private readonly followers = new Set<Follower>();
  private sent: SentSchedule | undefined;
  /** The newest known head. */
  private head = 0;
  private working: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clusterId: number,
    private readonly watch: ScheduleWatch,
    private readonly clock: Clock,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Reports a new head. */
  wake(head: number): void {
    if (head <= this.head) return;
    this.head = head;
    if (this.followers.size > 0) void this.work().catch(() => undefined);
  }

  /**
   * The follower receives every event from the moment this resolves.
   * @param had the position up to which it has received events; undefined to start now
   * @returns the events that it has missed
   * @throws as `ScheduleWatch.of`
   */
  async join(follower: Follower, had: EvictionsPlace | undefined): Promise<readonly LiveEvent[]> {
    this.followers.add(follower);
    // Work in progress may have been started for a follower that has left.
    for (let tries = 0; this.sent === undefined && tries < 2; tries++) await this.work();
    const { sent } = this;
    if (sent === undefined || had === undefined) return [];
    const of = async (revision: number): Promise<WatchedSchedule | undefined> =>
      revision === sent.schedule.revision ? sent.schedule : this.watch.of(this.clusterId, revision);
    const [before, former] = [await of(had.schedule), await of(had.dueBy)];
    return this.news(sent.schedule, before, sent.schedule.due(sent.dueUntil, { former, until: had.dueUntil }), sent);
  }

  leave(follower: Follower): void {
    this.followers.delete(follower);
    if (this.followers.size > 0) return;
    clearTimeout(this.timer);
    // The next follower starts from the current schedule.
    this.sent = undefined;
  }

  /** The position of all followers. */
  get place(): EvictionsPlace | undefined {
    return this.sent === undefined ? undefined : placeOf(this.sent);
  }

  private work(): Promise<void> {
    this.working ??= this.workOn().finally(() => {
      this.working = undefined;
    });
    return this.working;
  }

  private async workOn(): Promise<void> {
    try {
      do {
        const started = performance.now();
        const schedule = await this.watch.of(this.clusterId, this.head);
        if (schedule !== undefined && this.followers.size > 0) this.send(schedule);
        if (this.isUpToDate) break;
        await pause((performance.now() - started) * REST);
      } while (this.followers.size > 0);
    } catch (thrown) {
      if (serviceErrorOf(thrown).code !== 'database-unavailable') this.failed(thrown);
      throw thrown;
    } finally {
      this.sleep();
    }
  }

  private get isUpToDate(): boolean {
    return this.sent !== undefined && this.sent.schedule.revision >= this.head;
  }

  /** Sends the changes that a schedule brings: that of a new head, or the current one after some time has passed. */
  private send(schedule: WatchedSchedule): void {
    const now = this.clock.now().getTime();
    const { sent } = this;
    if (sent === undefined) {
      this.sent = { schedule, dueUntil: now };
      return;
    }
    const due = schedule.due(now, { former: sent.schedule, until: sent.dueUntil });
    if (due.length === 0 && schedule === sent.schedule) return;
    this.sent = { schedule, dueUntil: now };
    for (const event of this.news(schedule, sent.schedule, due, this.sent)) {
      for (const follower of [...this.followers]) follower.offer(event);
    }
  }

  private news(
    schedule: WatchedSchedule,
    before: WatchedSchedule | undefined,
    due: ReturnType<WatchedSchedule['due']>,
    sent: SentSchedule,
  ): readonly LiveEvent[] {
    const { schedule: revision, dueBy, dueUntil } = placeOf(sent);
    const events: LiveEvent[] = [];
    const changed = before === undefined ? !schedule.isEmpty : before.digest !== schedule.digest;
    if (changed) {
      const [now, place] = [sent.dueUntil, { evictions: { schedule: revision } }];
      const scheduleChanged = { before: before?.summary(now) ?? null, after: schedule.summary(now) };
      events.push(liveEvent({ ...plain({ type: 'scheduleChanged', scheduleChanged }), place, reached: place }));
    }
    if (due.length > 0) {
      const place = { evictions: { dueBy, dueUntil } };
      const news = { type: 'evictionDue', evictionDue: evictionDue(revision, due) } as const;
      events.push(liveEvent({ ...plain(news), place, reached: place }));
    }
    return events;
  }

  private sleep(): void {
    clearTimeout(this.timer);
    if (this.followers.size === 0) return;
    const now = this.clock.now().getTime();
    const next = this.sent?.schedule.nextAfter(this.sent.dueUntil) ?? Infinity;
    const pause = Math.min(MAX_SLEEP, Math.max(next - now, MIN_SLEEP));
    this.timer = setTimeout(() => {
      if (!this.isUpToDate) void this.work().catch(() => undefined);
      else if (this.sent !== undefined) this.send(this.sent.schedule);
      this.sleep();
    }, pause).unref();
  }
}

const placeOf = ({ schedule: { revision }, dueUntil }: SentSchedule): EvictionsPlace => ({
  schedule: revision,
  dueBy: revision,
  dueUntil,
});

/** Neither schedules nor pods contain taint values. */
const plain = (news: MaskableNews['news']): MaskableNews => ({ news, values: new Map() });

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
