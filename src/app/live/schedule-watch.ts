import type { WatchedSchedule } from './watched-schedule.js';

/** The source of watched schedules. */
export interface ScheduleWatch {
  /** The eviction schedule of a revision; undefined if the revision is not stored. */
  of(clusterId: number, revision: number): Promise<WatchedSchedule | undefined>;
}
