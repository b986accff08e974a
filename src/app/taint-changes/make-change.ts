import { HeadMoved } from '../../storage/taint-trail/head-moved.js';
import { AlreadyDone } from '../../storage/taint-trail/taint-change-store.js';
import { AskForApproval } from '../approvals/ask-for-approval.js';
import type { Clock } from '../clock.js';
import { ServiceError } from '../errors/service-error.js';
import { needsApproval, refuseByGuardrails } from '../guardrails/refuse-by-guardrails.js';
import { ChangeQueue } from './change-queue.js';
import {
  type ChangeAnswer,
  changesNothing,
  type ChangeToMake,
  type MadeChange,
  type RepeatedChange,
} from './change-to-make.js';
import { checkDeadlines } from './check-change-request.js';
import { CommitChange } from './commit-change.js';
import { type ChangeContext, type Working, HeadForUpdate } from './head-for-update.js';
import { IdempotentReplies } from './idempotent-replies.js';
import { PlanChange } from './plan-change.js';

/** Maximum number of attempts, since writers in other replicas may change the head after each planning. */
const MAX_ATTEMPTS = 20;

/** Makes changes, each on the newest head; plans a change again if another writer was first. */
export class MakeChange {
  private readonly queue = new ChangeQueue();

  constructor(
    private readonly head: HeadForUpdate,
    private readonly replies: IdempotentReplies,
    private readonly plan: PlanChange,
    private readonly commit: CommitChange,
    private readonly ask: AskForApproval,
    private readonly clock: Clock,
  ) {}

  /**
   * @param answer renders the response to a change that changes nothing; it is stored for retries
   * @throws {AlreadyDone} another replica handled the expiry
   * @throws {InvalidRequestError} a deadline passed before the change could be stored
   * @throws {ServiceError} as `PlanChange`; `guardrail-refused`, `idempotency-key-reused`, `too-many-changes`
   */
  async run(
    change: ChangeToMake,
    context: ChangeContext,
    answer?: (noOp: MadeChange) => Promise<ChangeAnswer>,
  ): Promise<MadeChange | RepeatedChange> {
    if (change.dryRun) return this.plan.run(await this.head.current(change.cluster, context), change, context);
    const leave = await this.queue.enter(change.cluster);
    try {
      return await this.makeOnNewest(change, context, answer);
    } finally {
      leave();
    }
  }

  private async makeOnNewest(
    change: ChangeToMake,
    context: ChangeContext,
    answer: ((noOp: MadeChange) => Promise<ChangeAnswer>) | undefined,
  ): Promise<MadeChange | RepeatedChange> {
    const { now } = context;
    const { idempotency } = change;
    const moment = { now, checkInTime: () => checkDeadlines(change.given ?? {}, this.clock.now()) };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const head = await this.head.current(change.cluster, context);
      try {
        // Checked with the current head, so that a change made under the same key meanwhile is found.
        const repeated = await this.replies.findIn(head.cluster.id, change.author.name, idempotency, now);
        if (repeated !== undefined) return repeated;
        const planned = await this.plan.run(head, change, context);
        if (!changesNothing(planned)) {
          refuseByGuardrails(planned.guardrails);
          const store = needsApproval(planned.guardrails) ? this.ask : this.commit;
          return await store.run(planned, moment);
        }
        if (idempotency !== undefined && answer !== undefined) {
          const kept = await answer(planned);
          await this.replies.keep(planned, idempotency, kept, moment);
          return { ...planned, kept };
        }
        if (await this.head.isNewest(head)) return planned;
      } catch (error) {
        if (!(await this.isLate(error, head, change))) throw error;
      }
      this.head.moved(head);
    }
    throw new ServiceError(
      'too-many-changes',
      'Other writers changed the cluster first in every attempt; retry later.',
      { retryAfterSeconds: 1 },
    );
  }

  /**
   * Whether a change failed because its head is outdated. Changes of other replicas arrive with a delay: an error based
   * on an outdated state could deny a taint that another caller has just set.
   */
  private async isLate(error: unknown, head: Working, { idempotency }: ChangeToMake): Promise<boolean> {
    if (error instanceof HeadMoved) return true;
    // Two requests with the same key arrived concurrently; the next attempt finds the other one.
    if (error instanceof AlreadyDone) return idempotency !== undefined;
    return error instanceof ServiceError && error.code !== 'cancelled' && !(await this.head.isNewest(head));
  }
}
