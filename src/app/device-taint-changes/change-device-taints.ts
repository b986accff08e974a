import type { changeDeviceTaints } from '../../contract/device-taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { CheckApplicable } from '../applying/check-applicable.js';
import { TryApplication } from '../applying/try-application.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { landingsResponse } from '../evictions/landing-response.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { TimeSlices } from '../states/time-slices.js';
import { authorizeOnBehalfOf } from '../taint-changes/authorize-on-behalf-of.js';
import { type EditToMake, isRepeated, type MadeChange, type RepeatedChange } from '../taint-changes/change-to-make.js';
import { idempotencyKeyOf, IdempotentReplies } from '../taint-changes/idempotent-replies.js';
import { MakeChange } from '../taint-changes/make-change.js';
import { PresentTaintChange, type WantedChange } from '../taint-changes/present-taint-change.js';
import type { PlannedRule } from './plan-rule.js';
import { readRuleChange } from './read-rule-change.js';

/** Records a change of a DeviceTaintRule as one of taints of nodes is recorded; or previews it. */
export class ChangeDeviceTaints {
  constructor(
    private readonly replies: Pick<IdempotentReplies, 'findOrRead'>,
    private readonly makeChange: Pick<MakeChange, 'run'>,
    private readonly present: PresentTaintChange,
    private readonly applicable: Pick<CheckApplicable, 'run'>,
    private readonly tryApplication: Pick<TryApplication, 'ofPreview'>,
  ) {}

  /**
   * @throws {InvalidRequestError} with every error in the request
   * @throws {ServiceError} `object-not-found`, `precondition-failed`, `idempotency-key-reused`, `cluster-not-found`, `no-snapshot`,
   *   `apply-not-allowed`, `forbidden`, `guardrail-refused`, `budget-exceeded`
   */
  async run(
    request: RequestOf<typeof changeDeviceTaints>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof changeDeviceTaints>> {
    const { cluster } = request;
    checkClusterName(cluster);
    authorizeOnBehalfOf(request, context);
    const key = idempotencyKeyOf(request, context.caller);
    const read = (): EditToMake => readRuleChange(request, key, context);
    const change = await this.replies.findOrRead(cluster, key, context, read);
    if (isRepeated(change)) return this.answer({ cluster }, change, context);
    const connection = change.application && (await this.applicable.run(cluster, context, 'deviceTaintRules'));
    const made = await this.makeChange.run(change, context, (noOp) => this.present.run({ cluster }, noOp, context));
    const tried = connection && (await this.tryApplication.ofPreview(connection, made, context));
    return this.answer({ cluster, tried }, made, context);
  }

  private async answer(
    wanted: WantedChange,
    made: MadeChange | RepeatedChange,
    context: RequestContext,
  ): Promise<AnswerTo<typeof changeDeviceTaints>> {
    const { basis, dryRun, replayed, change, deviceTaintRule, kubectl, guardrails } = await this.present.run(
      wanted,
      made,
      context,
    );
    return {
      basis,
      dryRun,
      replayed,
      change,
      // A key has one request.
      ...deviceTaintRule!,
      landing: isRepeated(made) ? null : await landingOf(made.rule!, context.signal),
      kubectl,
      guardrails,
    };
  }
}

const landingOf = ({ landing: { state, rescheduling } }: PlannedRule, signal: AbortSignal) =>
  landingsResponse(state, rescheduling, new TimeSlices({ signal }));
