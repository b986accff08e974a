import { defined } from '../../core/collections/defined.js';
import { AskedChangeStore, MAX_WAITING_CHANGES, TooManyAsked } from '../../storage/taint-trail/asked-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { MadeChange, Moment, PlannedChange } from '../taint-changes/change-to-make.js';
import { approvalDraft } from './approval-draft.js';
import { ApprovalLimit } from './approval-limit.js';
import { previewToStore, requestToStore } from './asked-change.js';

/** Stores a planned change that needs approval: it waits, and is no intent yet. */
export class AskForApproval {
  constructor(
    private readonly store: AskedChangeStore,
    private readonly limit: ApprovalLimit,
  ) {}

  /**
   * @throws {HeadMoved} plan it again
   * @throws {AlreadyDone} another request used the key
   * @throws {ServiceError} `too-many-changes`
   * @throws what `checkInTime` throws
   */
  async run(planned: PlannedChange, { now, checkInTime }: Moment): Promise<MadeChange> {
    const { change, head, plan } = planned;
    const { id, author, reason, idempotency } = change;
    const approveBy = this.limit.endOf(now, change.approveBy, change.expiresAt);
    const preview = previewToStore(planned);
    const asked = requestToStore(change);
    const { outcomes } = plan;
    const stored = {
      id,
      clusterId: head.cluster.id,
      askedAt: now,
      approveBy,
      author: author.name,
      asked,
      preview,
      outcomes,
    };
    try {
      const sequence = await this.store.ask(
        {
          ...stored,
          head: head.revision.number,
          ...defined({ idempotency }),
          draft: approvalDraft({
            step: 'asked',
            change: id,
            by: author,
            reason,
            at: now,
            preview: {
              details: preview.details,
              planned,
              approveBy,
              apply: change.application !== undefined,
            },
          }),
        },
        checkInTime,
      );
      const requestHash = idempotency?.requestHash ?? null;
      return {
        ...planned,
        asked: {
          ...stored,
          sequence,
          requestHash,
          state: 'waiting',
          round: 1,
          revision: head.revision.number,
          votes: [],
        },
      };
    } catch (error) {
      if (!(error instanceof TooManyAsked)) throw error;
      throw new ServiceError(
        'too-many-changes',
        `${MAX_WAITING_CHANGES} changes of cluster ${change.cluster} already wait for approval; approve or reject some first.`,
        { retryAfterSeconds: 60 },
      );
    }
  }
}
