import type { Clock } from '../clock.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import type { ToldNews } from './cluster-events.js';
import type { Follower } from './cluster-tail.js';
import type { EvictionsPlace } from './event-position.js';
import { type LiveEvent, liveEvent } from './live-event.js';
import type { ScheduleWatch } from './schedule-watch.js';
import { evictionDue, type WatchedSchedule } from './watched-schedule.js';

/** How long at most until the next look at the clock, in milliseconds: it may be moved. */
const LONGEST_SLEEP = 1_000;
const SHORTEST_SLEEP = 10;
/** After the work for one head, so many times as long is rested before that for the next. */
const REST = 4;

/** What everybody who follows has been told. */
interface Told {
  readonly schedule: WatchedSchedule;
  /** Up to which moment evictions were told as due. */
  readonly dueUntil: number;
}

/**
 * Follows the eviction schedule of one cluster's head for everybody who asked for it in this process: works it out once for
 * a head, and only while somebody asks. Where heads come faster than that, those in between are passed over.
 */
export class ScheduleTail {
  private readonly followers = new Set<Follower>();
  private told: Told | undefined;
  /** The head that is known. */
  private head = 0;
  private working: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clusterId: number,
    private readonly watch: ScheduleWatch,
    private readonly clock: Clock,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The head is this revision now. */
  wake(head: number): void {
    if (head <= this.head) return;
    this.head = head;
    if (this.followers.size > 0) void this.work().catch(() => undefined);
  }

  /**
   * From the moment in which this resolves the follower is told what comes; what it is told first is what it has not had.
   * @param had up to where it was told; undefined where it asks from now on
   * @throws as `ScheduleWatch.of`
   */
  async join(follower: Follower, had: EvictionsPlace | undefined): Promise<readonly LiveEvent[]> {
    this.followers.add(follower);
    // Work that was under way may have been for somebody who has left.
    for (let tries = 0; this.told === undefined && tries < 2; tries++) await this.work();
    const { told } = this;
    if (told === undefined || had === undefined) return [];
    const of = async (revision: number): Promise<WatchedSchedule | undefined> =>
      revision === told.schedule.revision ? told.schedule : this.watch.of(this.clusterId, revision);
    const [before, former] = [await of(had.schedule), await of(had.dueBy)];
    return this.news(told.schedule, before, told.schedule.due(told.dueUntil, { former, until: had.dueUntil }), told);
  }

  leave(follower: Follower): void {
    this.followers.delete(follower);
    if (this.followers.size > 0) return;
    clearTimeout(this.timer);
    // Who comes next begins anew.
    this.told = undefined;
  }

  /** Where everybody who follows is. */
  get place(): EvictionsPlace | undefined {
    return this.told === undefined ? undefined : placeOf(this.told);
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
        if (schedule !== undefined && this.followers.size > 0) this.tell(schedule);
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
    return this.told !== undefined && this.told.schedule.revision >= this.head;
  }

  /** Tells what is new by a schedule: that of another head, or the one that was told when time has passed. */
  private tell(schedule: WatchedSchedule): void {
    const now = this.clock.now().getTime();
    const { told } = this;
    if (told === undefined) {
      this.told = { schedule, dueUntil: now };
      return;
    }
    const due = schedule.due(now, { former: told.schedule, until: told.dueUntil });
    if (due.length === 0 && schedule === told.schedule) return;
    this.told = { schedule, dueUntil: now };
    for (const event of this.news(schedule, told.schedule, due, this.told)) {
      for (const follower of [...this.followers]) follower.offer(event);
    }
  }

  private news(
    schedule: WatchedSchedule,
    before: WatchedSchedule | undefined,
    due: ReturnType<WatchedSchedule['due']>,
    told: Told,
  ): readonly LiveEvent[] {
    const { schedule: revision, dueBy, dueUntil } = placeOf(told);
    const events: LiveEvent[] = [];
    const changed = before === undefined ? !schedule.isEmpty : before.digest !== schedule.digest;
    if (changed) {
      const [now, place] = [told.dueUntil, { evictions: { schedule: revision } }];
      const scheduleChanged = { before: before?.inShort(now) ?? null, after: schedule.inShort(now) };
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
    const next = this.told?.schedule.nextAfter(this.told.dueUntil) ?? Infinity;
    const pause = Math.min(LONGEST_SLEEP, Math.max(next - now, SHORTEST_SLEEP));
    this.timer = setTimeout(() => {
      if (!this.isUpToDate) void this.work().catch(() => undefined);
      else if (this.told !== undefined) this.tell(this.told.schedule);
      this.sleep();
    }, pause).unref();
  }
}

const placeOf = ({ schedule: { revision }, dueUntil }: Told): EvictionsPlace => ({
  schedule: revision,
  dueBy: revision,
  dueUntil,
});

/** Neither schedules nor pods name values of taints. */
const plain = (news: ToldNews['news']): ToldNews => ({ news, values: new Map() });

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
