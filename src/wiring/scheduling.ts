import { ReadState } from '../app/reads/read-state.js';
import { ComparePlacements } from '../app/scheduling/compare-placements.js';
import { FindCapacity } from '../app/scheduling/find-capacity.js';
import { RunQueue } from '../app/scheduling/run-queue.js';
import { made } from './made.js';

export const SCHEDULING = [
  made(RunQueue, ReadState),
  made(FindCapacity, ReadState),
  made(ComparePlacements, ReadState),
];
