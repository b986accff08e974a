import { applyOptionsErrors } from '../../app/applying/apply-options.js';
import { ApplyTaintChange } from '../../app/applying/apply-taint-change.js';
import { CancelApplication } from '../../app/applying/cancel-application.js';
import { ChangeTaints } from '../../app/taint-changes/change-taints.js';
import { GetTaintChange } from '../../app/taint-changes/get-taint-change.js';
import { ListTaintChanges } from '../../app/taint-changes/list-taint-changes.js';
import { RevertTaintChange } from '../../app/taint-changes/revert-taint-change.js';
import { DecideOnChange, reasonErrors } from '../../app/approvals/decide-on-change.js';
import type { AnswerTo } from '../../contract/question.js';
import * as changes from '../../contract/taint-changes/questions.js';
import { changeErrors, recordErrors } from '../../app/taint-changes/check-change-request.js';
import { errorsInValid } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** For a change that may have been made: its location, and whether this request made it. */
export const MADE = {
  status: ({ change, replayed }: MaybeMade) =>
    change === null || replayed ? 200 : change.status === 'awaitingApproval' ? 202 : 201,
  location: ({ change }: MaybeMade, { cluster }: { readonly cluster: string }) =>
    change === null ? undefined : `clusters/${cluster}/taint-changes/${change.id}`,
};

type MaybeMade = Pick<AnswerTo<typeof changes.changeTaints>, 'change' | 'replayed'>;

const REASON_ERRORS = { crossFieldErrors: errorsInValid((valid: object) => reasonErrors(valid)) };

export const TAINT_CHANGE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(changes.changeTaints, ChangeTaints, { ...MADE, crossFieldErrors: errorsInValid(changeErrors) }),
  answeredBy(changes.listTaintChanges, ListTaintChanges),
  answeredBy(changes.getTaintChange, GetTaintChange),
  answeredBy(changes.revertTaintChange, RevertTaintChange, { ...MADE, crossFieldErrors: errorsInValid(recordErrors) }),
  answeredBy(changes.applyTaintChange, ApplyTaintChange, {
    status: ({ dryRun, replayed }) => (dryRun || replayed ? 200 : 202),
    crossFieldErrors: errorsInValid((valid: object) => applyOptionsErrors(valid)),
  }),
  answeredBy(changes.cancelApplication, CancelApplication),
  answeredBy(changes.approveTaintChange, DecideOnChange, {
    ...MADE,
    ask: (decide, request, context) => decide.approve(request, context),
    ...REASON_ERRORS,
  }),
  answeredBy(changes.rejectTaintChange, DecideOnChange, {
    ask: (decide, request, context) => decide.reject(request, context),
    ...REASON_ERRORS,
  }),
];
