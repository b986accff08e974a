import { ReadState } from '../app/reads/read-state.js';
import { DeclareSchedulerConfiguration } from '../app/schedulers/declare-scheduler-configuration.js';
import { ReadSchedulerConfiguration } from '../app/schedulers/read-scheduler-configuration.js';
import { ReviewSchedulerConfiguration } from '../app/schedulers/review-scheduler-configuration.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { made } from './made.js';

export const SCHEDULERS = [
  made(ReadSchedulerConfiguration, ReadState),
  made(DeclareSchedulerConfiguration, ChangeSetting),
  made(ReviewSchedulerConfiguration, ReadState),
];
