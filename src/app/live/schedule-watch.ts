import type { WatchedSchedule } from './watched-schedule.js';

/** Where the schedules that are watched come from. */
export interface ScheduleWatch {
  /** The eviction schedule of a revision; undefined where that is not stored. */
  of(clusterId: number, revision: number): Promise<WatchedSchedule | undefined>;
}
