import { canonicalJson } from '../../core/audit/canonical-json.js';
import { taintsTouched, type TrailDraft } from '../../core/audit/trail-record.js';
import { defined } from '../../core/collections/defined.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import {
  type CommittedTaintChange,
  HeadMoved,
  type IdempotencyKey,
  type TaintChangeAction,
  type TaintChangeToCommit,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import { ChangeQueue } from './change-queue.js';
import type { EditedNode } from './node-outcome.js';
import { type ChangePlan, type NodeTask, PlanChange } from './plan-change.js';
import type { AskedChange, ChangeAuthor, ChangeDetails } from './taint-change-view.js';
import { type Working, HeadForUpdate } from './head-for-update.js';

/** A change that is to be made, but for what depends on the state that it meets. */
export interface ChangeToMake {
  readonly id: string;
  readonly cluster: string;
  readonly action: TaintChangeAction;
  readonly author: ChangeAuthor;
  readonly onBehalfOf?: string;
  readonly reason: string;
  readonly link?: string;
  readonly expiresAt?: Date;
  readonly undoes?: string;
  readonly settlesExpiryOf?: string;
  readonly idempotency?: IdempotencyKey;
  readonly request: AskedChange;
  readonly dryRun: boolean;
  /** What to make of which node, on this head; may refuse the change by throwing. */
  readonly tasks: (head: Working) => Promise<readonly NodeTask[]> | readonly NodeTask[];
  /** May refuse the change by throwing, when it is known what would become of each node. */
  readonly accept: (plan: ChangePlan) => void;
  readonly kubectl: (plan: ChangePlan) => readonly string[];
}

/** What was made, or would be. */
export interface MadeChange {
  /** What the change met. */
  readonly head: Working;
  readonly plan: ChangePlan;
  readonly kubectl: readonly string[];
  /** Absent where nothing was stored: a dry run, or no node that changes. */
  readonly committed?: CommittedTaintChange & { readonly details: ChangeDetails };
}

/** A writer in another replica may come first, each time that a change was worked out anew. */
const MOST_ATTEMPTS = 20;

/** Makes changes: each on the head that the one before has left, stored with its records in one transaction. */
export class MakeChange {
  private readonly queue = new ChangeQueue();

  constructor(
    private readonly head: HeadForUpdate,
    private readonly plan: PlanChange,
    private readonly store: TaintChangeStore,
  ) {}

  /**
   * @throws {AlreadyDone} another request has used the key, or carried the expiry out
   * @throws {ServiceError} what `tasks` and `accept` throw; `too-many-changes`; `cancelled`
   */
  async run(change: ChangeToMake, edge: Pick<RequestContext, 'now' | 'signal'>): Promise<MadeChange> {
    if (change.dryRun) return this.workOut(await this.head.current(change.cluster, edge), change, edge);
    return this.queue.run(change.cluster, async () => {
      for (let attempt = 1; ; attempt++) {
        const head = await this.head.current(change.cluster, edge);
        try {
          const made = await this.workOut(head, change, edge);
          if (made.plan.edited.length > 0) return await this.commit(change, made, edge.now);
          if (await this.head.isNewest(head)) return made;
        } catch (error) {
          if (!(await this.isLate(error, head))) throw error;
        }
        this.head.moved(head);
        if (attempt === MOST_ATTEMPTS) {
          throw new ServiceError('too-many-changes', 'Other writers came first each time.', { retryAfterSeconds: 1 });
        }
      }
    });
  }

  private async workOut(
    head: Working,
    change: ChangeToMake,
    edge: Pick<RequestContext, 'now' | 'signal'>,
  ): Promise<MadeChange> {
    const tasks = await change.tasks(head);
    const plan = await this.plan.run(head.state, tasks, { ...edge, dryRun: change.dryRun });
    change.accept(plan);
    return { head, plan, kubectl: change.kubectl(plan) };
  }

  private async commit(change: ChangeToMake, made: MadeChange, now: Date): Promise<MadeChange> {
    const details = detailsOf(change, made);
    try {
      const committed = await this.store.commit(toCommit(change, made, details, now));
      this.head.advanced(made.head, { revision: committed.revision, state: made.plan.after });
      return { ...made, committed: { ...committed, details } };
    } catch (error) {
      // Where the database went away in the middle it may have been made.
      this.head.moved(made.head);
      throw error;
    }
  }

  /**
   * Whether a change failed because its head was not the newest any more. What another replica has made is heard of a moment
   * later: who is refused for a state that is gone would be told the untrue, such as that there is no taint which another
   * caller has just been told of.
   */
  private async isLate(error: unknown, head: Working): Promise<boolean> {
    if (error instanceof HeadMoved) return true;
    return error instanceof ServiceError && error.code !== 'cancelled' && !(await this.head.isNewest(head));
  }
}

function toCommit(
  change: ChangeToMake,
  { head, plan }: MadeChange,
  details: ChangeDetails,
  madeAt: Date,
): TaintChangeToCommit {
  const { id, action, author, undoes, expiresAt, idempotency, settlesExpiryOf } = change;
  return {
    id,
    clusterId: head.cluster.id,
    action,
    madeAt,
    author: author.name,
    head: head.revision.number,
    ...defined({ idempotency, undoes, expiresAt, settlesExpiryOf }),
    nodes: plan.edited.map((node) => ({
      after: node.after,
      difference: node.difference,
      ...defined({ labels: node.labels }),
      draft: draftOfNode(change, node, plan.effects, madeAt),
    })),
    request: draftOfRequest(change, details, plan, madeAt),
    details,
    outcomes: plan.outcomes,
  };
}

function detailsOf(change: ChangeToMake, { plan, kubectl }: MadeChange): ChangeDetails {
  const { author, onBehalfOf, reason, link, request } = change;
  const counts = { changed: 0, unchanged: 0, refused: 0 };
  for (const { outcome } of plan.outcomes) counts[outcome] += 1;
  return {
    by: author,
    onBehalfOf: onBehalfOf ?? null,
    reason,
    link: link ?? null,
    request,
    kubectl,
    counts,
    effects: plan.effects,
  };
}

function draftOfRequest(
  { id, action, author, undoes, expiresAt }: ChangeToMake,
  { onBehalfOf, reason, link, request, counts, effects }: ChangeDetails,
  { edited }: ChangePlan,
  at: Date,
): TrailDraft {
  const touched = new Map(
    edited.flatMap(({ difference }) => taintsTouched(difference).map((taint) => [canonicalJson(taint), taint])),
  );
  return {
    kind: 'request',
    body: {
      change: id,
      action,
      at: at.toISOString(),
      channel: 'api',
      by: authorOf(author),
      ...(onBehalfOf !== null && { onBehalfOf }),
      reason,
      ...(link !== null && { link }),
      ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
      ...defined({ undoes }),
      request,
      nodes: counts,
      effects,
    },
    index: {
      changeId: id,
      happenedAt: at.toISOString(),
      author: author.name,
      channel: 'api',
      taints: [...touched.values()],
    },
  };
}

function draftOfNode(
  { id, author, onBehalfOf, reason, link }: ChangeToMake,
  { before, difference, labels }: EditedNode,
  effects: TaintEffects,
  at: Date,
): TrailDraft {
  const { name, uid } = before.metadata;
  const when = { kind: 'point', at: at.toISOString() };
  return {
    kind: 'change',
    body: {
      change: id,
      node: name,
      ...defined({ uid }),
      difference,
      ...defined({ labels }),
      when,
      channel: 'api',
      by: authorOf(author),
      ...defined({ onBehalfOf }),
      reason,
      ...defined({ link }),
      status: 'recorded',
      effect: effectOn(name, effects),
    },
    index: {
      node: name,
      changeId: id,
      happenedAt: when.at,
      author: author.name,
      channel: 'api',
      taints: taintsTouched(difference),
    },
  };
}

const authorOf = ({ name, kind, groups, issuer }: ChangeAuthor) => ({
  username: name,
  kind,
  groups,
  ...(issuer !== null && { issuer }),
});

/** The pods of one node that leave it, or stay; absent where there are too many for the record of the request to list. */
function effectOn(node: string, { evictions: { pods } }: TaintEffects) {
  if (pods.items.length < pods.total) return { evictions: 'see the record of the request' };
  const own = pods.items.filter((pod) => pod.node === node);
  const counts = { now: 0, after: 0, never: 0, cancelled: 0 };
  for (const { when } of own) counts[when] += 1;
  return { evictions: counts, pods: own };
}
