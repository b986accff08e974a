import { scheduledPod, evictionScheduleHead } from '../../contract/evictions/eviction-schedule.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const ScheduledPodShape = responseClass(scheduledPod);
export type ScheduledPodShape = Response<typeof scheduledPod>;

export const EvictionScheduleHeadShape = responseClass(evictionScheduleHead);
export type EvictionScheduleHeadShape = Response<typeof evictionScheduleHead>;
