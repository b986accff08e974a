import { ExplainPreemption } from '../../app/preemption/explain-preemption.js';
import { ComparePlacements } from '../../app/scheduling/compare-placements.js';
import { FindCapacity } from '../../app/scheduling/find-capacity.js';
import { givenWorkErrors } from '../../app/scheduling/given-work.js';
import { RunQueue } from '../../app/scheduling/run-queue.js';
import * as scheduling from '../../contract/scheduling/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { QUEUE_PROGRESS } from '../rest/queue-progress.js';
import { questionErrors } from '../../app/placements/placement-request.js';
import { errorsInValid } from './check-errors.js';

/** How the scheduler handles many pods, or a pod that fits on no node. */
export const SCHEDULING_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(scheduling.explainPreemption, ExplainPreemption, { crossFieldErrors: errorsInValid(questionErrors) }),
  answeredBy(scheduling.runQueue, RunQueue, {
    crossFieldErrors: errorsInValid(givenWorkErrors),
    formats: { ndjson: QUEUE_PROGRESS },
  }),
  answeredBy(scheduling.findCapacity, FindCapacity, { crossFieldErrors: errorsInValid(questionErrors) }),
  answeredBy(scheduling.comparePlacements, ComparePlacements),
];
