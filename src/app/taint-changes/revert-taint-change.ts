import type { revertTaintChange } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { CheckApplicable } from '../applying/check-applicable.js';
import { TryApplication } from '../applying/try-application.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import type { OpenConnection } from '../connections/connections.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { authorizeOnBehalfOf } from './authorize-on-behalf-of.js';
import { isRepeated, type UndoToMake } from './change-to-make.js';
import { idempotencyKeyOf, IdempotentReplies } from './idempotent-replies.js';
import { MakeChange } from './make-change.js';
import { PresentTaintChange } from './present-taint-change.js';
import { readRevert } from './read-change.js';
import { storedChange, writeSubjectOf } from './stored-change.js';

/** Reverts a change and records the revert, or previews it. */
export class RevertTaintChange {
  constructor(
    private readonly replies: IdempotentReplies,
    private readonly makeChange: MakeChange,
    private readonly present: PresentTaintChange,
    private readonly applicable: CheckApplicable,
    private readonly tryApplication: TryApplication,
    private readonly clusters: GetCluster,
    private readonly changes: TaintChangeStore,
  ) {}

  /**
   * @throws {ServiceError} `change-not-found`; `already-reverted`; `revert-conflict`, with later changes of each node;
   *   and as `ChangeTaints`
   */
  async run(
    request: RequestOf<typeof revertTaintChange>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof revertTaintChange>> {
    checkClusterName(request.cluster);
    authorizeOnBehalfOf(request, context);
    const key = idempotencyKeyOf(request, context.caller);
    const read = (): UndoToMake => readRevert(request, key, context);
    const change = await this.replies.findOrRead(request.cluster, key, context, read);
    if (isRepeated(change)) return this.present.run(request, change, context);
    const connection = change.application && (await this.connection(request, context));
    const made = await this.makeChange.run(change, context, (noOp) => this.present.run(request, noOp, context));
    const tried = connection && (await this.tryApplication.ofPreview(connection, made, context));
    return this.present.run({ ...request, tried }, made, context);
  }

  private async connection(
    { cluster, id }: RequestOf<typeof revertTaintChange>,
    context: RequestContext,
  ): Promise<OpenConnection> {
    const undone = await storedChange(this.changes, await this.clusters.run(cluster), id);
    return this.applicable.run(cluster, context, writeSubjectOf(undone));
  }
}
