import { AGAINST, DIFFERENCES_FILTER, SELECTION } from '../placements/placement-comparison.js';
import { object } from '../schema.js';
import { CONFIGURATION, SCHEDULER_NAME, TIME_BUDGET } from './queue-run.js';

/** The other side, and the pods that are placed on both. */
export const comparisonRequest = object(
  'Comparison',
  '',
  {
    against: AGAINST,
    selection: SELECTION,
    differences: DIFFERENCES_FILTER,
    schedulerName: SCHEDULER_NAME,
    configuration: CONFIGURATION,
    timeBudgetMs: TIME_BUDGET,
  },
  { restOnly: true },
);
