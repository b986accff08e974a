import { Access } from '../../auth/access.js';
import type { Caller } from '../../auth/caller.js';
import type { approveTaintChange, rejectTaintChange } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { AskedChangeStore, type StoredAskedChange } from '../../storage/taint-trail/asked-change-store.js';
import { AskedMoved, type ExpectedAsked } from '../../storage/taint-trail/asked-step.js';
import { HeadMoved } from '../../storage/taint-trail/head-moved.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { CheckApplicable } from '../applying/check-applicable.js';
import type { Clock } from '../clock.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import { needsApproval, refuseByGuardrails } from '../guardrails/refuse-by-guardrails.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import type { ChangeAuthor } from '../taint-changes/change-details.js';
import { changesNothing } from '../taint-changes/change-to-make.js';
import { ChangeQueue } from '../taint-changes/change-queue.js';
import { CommitChange } from '../taint-changes/commit-change.js';
import { HeadForUpdate, type Working } from '../taint-changes/head-for-update.js';
import { PlanChange } from '../taint-changes/plan-change.js';
import { checkPrecondition, type Precondition, readPrecondition } from '../taint-changes/precondition.js';
import { PresentTaintChange } from '../taint-changes/present-taint-change.js';
import { authorOf } from '../taint-changes/read-change.js';
import { isUuid, writeSubjectOf } from '../taint-changes/stored-change.js';
import { approvalDraft } from './approval-draft.js';
import {
  approvalOf,
  askerOf,
  changeAgain,
  previewOf,
  previewToStore,
  requestOf,
  votesOf,
  worseThan,
} from './asked-change.js';
import { stateOf } from './asked-change-response.js';

type Approval = RequestOf<typeof approveTaintChange>;
type Answer = AnswerTo<typeof approveTaintChange>;

/** What a decision needs to know. */
interface Decision {
  readonly request: Approval;
  readonly wanted: Precondition | undefined;
  readonly context: RequestContext;
}

/** Maximum number of attempts, since others may change the cluster, or decide, at the same time. */
const MAX_ATTEMPTS = 20;
const LONGEST_REASON = 4096;

/** Approves and rejects changes that wait; makes a change that has enough approvals. */
export class DecideOnChange {
  private readonly queue = new ChangeQueue();

  constructor(
    private readonly head: HeadForUpdate,
    private readonly store: AskedChangeStore,
    private readonly changes: TaintChangeStore,
    private readonly plan: PlanChange,
    private readonly commit: CommitChange,
    private readonly present: PresentTaintChange,
    private readonly applicable: CheckApplicable,
    private readonly clock: Clock,
  ) {}

  /**
   * Approves a change. With enough approvals it is planned again on the newest head, and made; if it does worse there than its
   * approvers know, it waits again, and earlier approvals no longer count.
   *
   * @throws {InvalidRequestError}
   * @throws {ServiceError} `change-not-found`, `change-not-waiting`, `approval-not-allowed`, `guardrail-refused`,
   *   `apply-not-allowed`, `precondition-failed`, and as `PlanChange`: the change then goes on waiting
   */
  approve(request: Approval, context: RequestContext): Promise<Answer> {
    return this.decide(request, context, (head, asked, decision) => this.approveOn(head, asked, decision));
  }

  /**
   * Rejects a change, which is then never made.
   * @throws {InvalidRequestError}
   * @throws {ServiceError} `change-not-found`, `change-not-waiting`, `precondition-failed`
   */
  reject(request: RequestOf<typeof rejectTaintChange>, context: RequestContext): Promise<Answer> {
    return this.decide(request, context, (_head, asked, decision) => this.rejectOn(asked, decision));
  }

  private async decide(
    request: Approval,
    context: RequestContext,
    take: (head: Working, asked: StoredAskedChange, decision: Decision) => Promise<Answer>,
  ): Promise<Answer> {
    checkClusterName(request.cluster);
    const faults = reasonErrors(request);
    if (faults.length > 0) throw new InvalidRequestError(faults);
    const decision = { request, context, wanted: readPrecondition(request.ifMatch, undefined) };
    const leave = await this.queue.enter(request.cluster);
    try {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const head = await this.head.current(request.cluster, context);
        try {
          const asked = await this.waiting(head, request.id, context.now);
          if (decision.wanted) await checkPrecondition(decision.wanted, head, undefined, this.changes);
          return await take(head, asked, decision);
        } catch (error) {
          if (!(await this.isLate(error, head))) throw error;
        }
        this.head.moved(head);
      }
    } finally {
      leave();
    }
    throw new ServiceError('too-many-changes', 'Others changed the cluster first in every attempt; retry later.', {
      retryAfterSeconds: 1,
    });
  }

  /** Whether a decision failed because what it was based on is outdated. */
  private async isLate(error: unknown, head: Working): Promise<boolean> {
    if (error instanceof HeadMoved || error instanceof AskedMoved) return true;
    return error instanceof ServiceError && error.code !== 'cancelled' && !(await this.head.isNewest(head));
  }

  /** @throws {ServiceError} `change-not-found`, `change-not-waiting` */
  private async waiting({ cluster }: Working, id: string, now: Date): Promise<StoredAskedChange> {
    const asked = isUuid(id) ? await this.store.get(cluster.id, id) : undefined;
    const made = isUuid(id) && asked === undefined ? await this.changes.get(cluster.id, id) : undefined;
    if (asked === undefined && made === undefined) {
      const what = JSON.stringify(id.slice(0, 100));
      throw new ServiceError('change-not-found', `Cluster ${cluster.name} has no taint change with the id ${what}.`);
    }
    if (asked !== undefined && stateOf(asked, now) === 'waiting') return asked;
    throw notWaiting(id, asked === undefined ? 'needed no approval' : whyNotWaiting(asked, now));
  }

  /** @throws {ServiceError} `change-not-waiting`: `approveBy` passed before the decision could be stored */
  private checkInTime(asked: StoredAskedChange): void {
    const now = this.clock.now();
    if (stateOf(asked, now) !== 'waiting') throw notWaiting(asked.id, whyNotWaiting(asked, now));
  }

  private async approveOn(head: Working, asked: StoredAskedChange, { request, context }: Decision): Promise<Answer> {
    const { now, caller } = context;
    const given = votesOf(asked).filter(({ decision, counts }) => decision === 'approve' && counts);
    refuseApprover(
      asked,
      given.map(({ by }) => by),
      caller,
    );
    const by = authorOf(caller);
    const { reason } = request;
    const change = changeAgain(asked, [...given.map((vote) => vote.by), by]);
    const planned = await this.plan.run(head, change, context);
    if (changesNothing(planned)) {
      const what = planned.rule === undefined ? 'every node' : 'the DeviceTaintRule';
      throw new ServiceError(
        'taint-change-refused',
        `Nothing is left to change: ${what} is as the change would leave it. Reject the change.`,
      );
    }
    refuseByGuardrails(planned.guardrails);
    const vote = { decision: 'approve', details: { by, reason }, saidAt: now } as const;
    const worse = worseThan(asked, planned);
    if (worse !== undefined) {
      await this.askAgain(head, asked, worse, context);
      return this.answer(asked, request, context);
    }
    const step = {
      clusterId: asked.clusterId,
      expected: expectedOf(asked),
      vote,
      at: now,
      draft: approvalDraft({ step: 'approved', change: asked.id, by, reason, at: now }),
    };
    if (needsApproval(planned.guardrails)) {
      await this.store.step(step, () => this.checkInTime(asked));
      return this.answer(asked, request, context);
    }
    if (change.application !== undefined) await this.checkApplicable(change.cluster, asked, context);
    const votes = [
      ...votesOf(asked),
      { decision: 'approve' as const, by, reason, at: now.toISOString(), counts: true },
    ];
    const approval = { recorded: approvalOf(asked, votes), step: { ...step, state: 'made' as const } };
    const moment = { now, checkInTime: () => this.checkInTime(asked) };
    const made = await this.commit.run({ ...planned, change: { ...change, approval } }, moment);
    return this.present.run(request, made, context);
  }

  /** Begins a new round with what the change would do now, without approvals. */
  private async askAgain(
    head: Working,
    asked: StoredAskedChange,
    worse: string,
    context: RequestContext,
  ): Promise<void> {
    const { now, caller } = context;
    const note = `The cluster has changed since the change was asked, and it does more now. ${worse}`;
    const fresh = await this.plan.run(head, changeAgain(asked, []), context);
    const preview = previewToStore(fresh, note);
    const { approveBy } = asked;
    await this.store.step(
      {
        clusterId: asked.clusterId,
        expected: expectedOf(asked),
        again: { preview, outcomes: fresh.plan.outcomes, revision: head.revision.number },
        at: now,
        draft: approvalDraft({
          step: 'askedAgain',
          change: asked.id,
          by: authorOf(caller),
          reason: note,
          at: now,
          preview: {
            details: preview.details,
            planned: fresh,
            approveBy,
            apply: fresh.change.application !== undefined,
          },
        }),
      },
      () => this.checkInTime(asked),
    );
  }

  /** The connection may have changed since the author, who had the permission, asked. */
  private async checkApplicable(cluster: string, asked: StoredAskedChange, { signal }: RequestContext): Promise<void> {
    const { permissions } = requestOf(asked);
    const grant = { everyCluster: false, permissions: new Set(permissions), taintValues: false, onBehalfOf: false };
    const access = new Access([{ ...grant, covers: () => true }]);
    await this.applicable.run(cluster, { access, caller: askerOf(asked), signal }, writeSubjectOf(previewOf(asked)));
  }

  private async rejectOn(asked: StoredAskedChange, { request, context }: Decision): Promise<Answer> {
    const { now, caller } = context;
    const by = authorOf(caller);
    const { reason } = request;
    await this.store.step(
      {
        clusterId: asked.clusterId,
        expected: expectedOf(asked),
        vote: { decision: 'reject', details: { by, reason }, saidAt: now },
        state: 'rejected',
        at: now,
        draft: approvalDraft({ step: 'rejected', change: asked.id, by, reason, at: now }),
      },
      () => this.checkInTime(asked),
    );
    return this.answer(asked, request, context);
  }

  private async answer(
    { clusterId, id }: StoredAskedChange,
    request: Approval,
    context: RequestContext,
  ): Promise<Answer> {
    const asked = await this.store.get(clusterId, id);
    if (asked === undefined) throw new AskedMoved();
    return this.present.asked(request, asked, context);
  }
}

const whyNotWaiting = (asked: StoredAskedChange, now: Date): string =>
  ({
    made: 'was approved and made before',
    rejected: 'was rejected',
    expired: `could be approved until ${asked.approveBy.toISOString()}`,
    waiting: '',
  })[stateOf(asked, now)];

const notWaiting = (id: string, why: string): ServiceError =>
  new ServiceError('change-not-waiting', `Change ${id} ${why}.`);

const expectedOf = ({ id, round, votes }: StoredAskedChange): ExpectedAsked => ({ id, round, votes: votes.length });

/** What is wrong with the reason of a decision, if one is given. */
export function reasonErrors({
  reason,
  root = '',
}: Partial<Pick<Approval, 'reason' | 'root'>>): readonly ErrorDetail[] {
  if (reason === undefined) return [];
  const faults: ErrorDetail[] = [];
  const complain = (code: string, message: string): void =>
    void faults.push({
      field: root === '' ? 'reason' : `${root}.reason`,
      pointer: `${root === '' ? '' : `/${root}`}/reason`,
      code,
      message,
    });
  if (reason.trim() === '') complain('required', 'is required: every decision has a reason');
  if (reason.length > LONGEST_REASON) complain('too-long', `must have at most ${LONGEST_REASON} characters`);
  if (reason.includes('\0')) complain('invalid', 'must not contain the character U+0000');
  return faults;
}

/**
 * Refuses whoever asked for the change, and who has approved it before. A name counts as the same person whatever vouches for it: a
 * token and a user of the identity provider with one name may be one.
 * @throws {ServiceError} `approval-not-allowed`
 */
function refuseApprover(asked: StoredAskedChange, approvers: readonly ChangeAuthor[], { name, kind }: Caller): void {
  const { by } = requestOf(asked);
  const { onBehalfOf } = previewOf(asked).details;
  const refuse = (why: string): never => {
    throw new ServiceError('approval-not-allowed', why);
  };
  if (kind === 'anonymous') refuse('Only authenticated callers can approve changes, and authentication is off.');
  if (isSame(by.name, name)) refuse(`${name} asked for the change; somebody else must approve it.`);
  if (onBehalfOf !== null && isSame(onBehalfOf, name)) {
    refuse(`The change is made on behalf of ${onBehalfOf}; somebody else must approve it.`);
  }
  if (approvers.some((approver) => isSame(approver.name, name))) refuse(`${name} has approved the change before.`);
}

const isSame = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();
