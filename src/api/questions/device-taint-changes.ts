import { ChangeDeviceTaints } from '../../app/device-taint-changes/change-device-taints.js';
import { ruleChangeErrors } from '../../app/device-taint-changes/read-rule-change.js';
import * as changes from '../../contract/device-taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { errorsInValid } from './check-errors.js';

export const DEVICE_TAINT_CHANGE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(changes.changeDeviceTaints, ChangeDeviceTaints, {
    status: ({ change, replayed }: AnswerTo<typeof changes.changeDeviceTaints>) =>
      change === null || replayed ? 200 : 201,
    location: ({ change }: AnswerTo<typeof changes.changeDeviceTaints>, { cluster }: { readonly cluster: string }) =>
      change === null ? undefined : `clusters/${cluster}/taint-changes/${change.id}`,
    crossFieldErrors: errorsInValid(ruleChangeErrors),
  }),
];
