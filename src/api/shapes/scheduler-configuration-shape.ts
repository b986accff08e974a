import {
  schedulerConfiguration,
  declaredSchedulerConfiguration,
  schedulerConfigurationReview,
} from '../../contract/scheduling/scheduler-configuration.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const SchedulerConfigurationShape = responseClass(schedulerConfiguration);
export type SchedulerConfigurationShape = Response<typeof schedulerConfiguration>;

export const DeclaredSchedulerConfigurationShape = responseClass(declaredSchedulerConfiguration);
export type DeclaredSchedulerConfigurationShape = Response<typeof declaredSchedulerConfiguration>;

export const SchedulerConfigurationReviewShape = responseClass(schedulerConfigurationReview);
export type SchedulerConfigurationReviewShape = Response<typeof schedulerConfigurationReview>;
