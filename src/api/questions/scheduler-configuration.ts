import {
  DeclareSchedulerConfiguration,
  readableConfiguration,
} from '../../app/schedulers/declare-scheduler-configuration.js';
import { givenConfiguration } from '../../app/schedulers/given-configuration.js';
import { ReadSchedulerConfiguration } from '../../app/schedulers/read-scheduler-configuration.js';
import { ReviewSchedulerConfiguration } from '../../app/schedulers/review-scheduler-configuration.js';
import * as schedulers from '../../contract/scheduling/scheduler-configuration-questions.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { errorsOfDocument } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** Rejected requests share one share of the YAML parser. */
const REJECTED = 'rejected';

/** How a cluster's scheduler is configured. */
export const SCHEDULER_CONFIGURATION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(schedulers.readSchedulerConfiguration, ReadSchedulerConfiguration),
  answeredBy(schedulers.declareSchedulerConfiguration, DeclareSchedulerConfiguration, {
    documentErrors: errorsOfDocument((configuration: JsonValue) => readableConfiguration(configuration, '', REJECTED)),
  }),
  answeredBy(schedulers.resetSchedulerConfiguration, DeclareSchedulerConfiguration, {
    ask: (declare, request, context) => declare.reset(request, context),
  }),
  answeredBy(schedulers.reviewSchedulerConfiguration, ReviewSchedulerConfiguration, {
    // Errors in a configuration are its answer.
    documentErrors: errorsOfDocument((configuration: JsonValue) => givenConfiguration(configuration, '', REJECTED)),
  }),
];
