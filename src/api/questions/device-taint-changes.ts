import { ChangeDeviceTaints } from '../../app/device-taint-changes/change-device-taints.js';
import { ruleChangeErrors } from '../../app/device-taint-changes/read-rule-change.js';
import * as changes from '../../contract/device-taint-changes/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { errorsInValid } from './check-errors.js';
import { MADE } from './taint-changes.js';

export const DEVICE_TAINT_CHANGE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(changes.changeDeviceTaints, ChangeDeviceTaints, {
    ...MADE,
    crossFieldErrors: errorsInValid(ruleChangeErrors),
  }),
];
