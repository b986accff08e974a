import { DeclareSchedulerConfiguration } from '../../app/schedulers/declare-scheduler-configuration.js';
import { ReadSchedulerConfiguration } from '../../app/schedulers/read-scheduler-configuration.js';
import { ReviewSchedulerConfiguration } from '../../app/schedulers/review-scheduler-configuration.js';
import * as schedulers from '../../contract/scheduling/scheduler-configuration-questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** How a cluster's scheduler is configured. */
export const SCHEDULER_CONFIGURATION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(schedulers.readSchedulerConfiguration, ReadSchedulerConfiguration),
  answeredBy(schedulers.declareSchedulerConfiguration, DeclareSchedulerConfiguration),
  answeredBy(schedulers.resetSchedulerConfiguration, DeclareSchedulerConfiguration, {
    ask: (declare, request, context) => declare.reset(request, context),
  }),
  answeredBy(schedulers.reviewSchedulerConfiguration, ReviewSchedulerConfiguration),
];
