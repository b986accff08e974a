import type { changeTaints } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { CheckApplicable } from '../applying/check-applicable.js';
import { TryApplication } from '../applying/try-application.js';
import { checkTogether } from '../errors/check-together.js';
import { checkClusterName, clusterNameErrors } from '../clusters/cluster-name.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { authorizeOnBehalfOf } from './authorize-on-behalf-of.js';
import { type EditToMake, isRepeated } from './change-to-make.js';
import { idempotencyKeyOf, IdempotentReplies } from './idempotent-replies.js';
import { MakeChange } from './make-change.js';
import { PresentTaintChange } from './present-taint-change.js';
import { readChange } from './read-change.js';

/** Changes taints, cordons and labels of nodes as kubectl would, and records the change; or previews it. */
export class ChangeTaints {
  constructor(
    private readonly replies: Pick<IdempotentReplies, 'findOrRead'>,
    private readonly makeChange: Pick<MakeChange, 'run'>,
    private readonly present: PresentTaintChange,
    private readonly applicable: Pick<CheckApplicable, 'run'>,
    private readonly tryApplication: Pick<TryApplication, 'ofPreview'>,
  ) {}

  /**
   * @throws {InvalidRequestError} with every error in the request
   * @throws {ServiceError} `taint-change-refused` with the errors of each node; `object-not-found` for missing nodes;
   *   `precondition-failed`; `idempotency-key-reused`; `apply-not-allowed`; `cluster-not-found`, `no-snapshot`; `forbidden`
   */
  async run(request: RequestOf<typeof changeTaints>, context: RequestContext): Promise<AnswerTo<typeof changeTaints>> {
    if (clusterNameErrors(request.cluster).length > 0) {
      checkTogether(
        () => checkClusterName(request.cluster),
        () => readChange(request, undefined, context),
      );
    }
    authorizeOnBehalfOf(request, context);
    const key = idempotencyKeyOf(request, context.caller);
    // Before validation: a retry gets the response to its first request even if the request would no longer be valid.
    const read = (): EditToMake => readChange(request, key, context);
    const change = await this.replies.findOrRead(request.cluster, key, context, read);
    if (isRepeated(change)) return this.present.run(request, change, context);
    const connection = change.application && (await this.applicable.run(request.cluster, context));
    const made = await this.makeChange.run(change, context, (noOp) => this.present.run(request, noOp, context));
    const tried = connection && (await this.tryApplication.ofPreview(connection, made, context));
    return this.present.run({ ...request, tried }, made, context);
  }
}
