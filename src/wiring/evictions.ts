import { EvictionMemory } from '../app/evictions/eviction-memory.js';
import { ScheduleEvictions } from '../app/evictions/schedule-evictions.js';
import { ScheduleReader } from '../app/evictions/schedule-reader.js';
import { ReadState } from '../app/reads/read-state.js';
import { TrailReader } from '../storage/taint-trail/trail-reader.js';
import { TolerationHistory } from '../storage/toleration-history.js';
import { made } from './made.js';

export const EVICTIONS = [
  made(EvictionMemory, TrailReader, TolerationHistory),
  made(ScheduleReader, ReadState, EvictionMemory),
  made(ScheduleEvictions, ScheduleReader),
];
