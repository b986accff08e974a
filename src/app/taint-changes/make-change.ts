import { canonicalJson } from '../../core/audit/canonical-json.js';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import { taintsTouched } from '../../core/audit/trail-record.js';
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
import type { RequestEdge } from '../request-edge.js';
import { ChangeQueue } from './change-queue.js';
import type { EditedNode } from './node-outcome.js';
import { type ChangePlan, type NodeTask, PlanChange } from './plan-change.js';
import type { AskedChange, ChangeAuthor, ChangeDetails } from './taint-change-view.js';
import { type Working, WorkingHead } from './working-head.js';

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
    private readonly head: WorkingHead,
    private readonly plan: PlanChange,
    private readonly store: TaintChangeStore,
  ) {}

  /**
   * @throws {AlreadyDone} another request has used the key, or carried the expiry out
   * @throws {ServiceError} what `tasks` and `accept` throw; `too-many-changes`; `cancelled`
   */
  async run(change: ChangeToMake, edge: Pick<RequestEdge, 'now' | 'signal'>): Promise<MadeChange> {
    if (change.dryRun) return this.workOut(change, edge);
    return this.queue.run(change.cluster, async () => {
      for (let attempt = 1; ; attempt++) {
        const made = await this.workOut(change, edge);
        if (made.plan.edited.length === 0) return made;
        try {
          const details = detailsOf(change, made);
          const committed = await this.store.commit(toCommit(change, made, details, edge.now));
          this.head.advanced(made.head, { revision: committed.revision, state: made.plan.after });
          return { ...made, committed: { ...committed, details } };
        } catch (error) {
          if (!(error instanceof HeadMoved)) throw error;
          this.head.moved(made.head);
          if (attempt === MOST_ATTEMPTS) {
            throw new ServiceError('too-many-changes', 'Other writers came first each time.', { retryAfterSeconds: 1 });
          }
        }
      }
    });
  }

  private async workOut(change: ChangeToMake, edge: Pick<RequestEdge, 'now' | 'signal'>): Promise<MadeChange> {
    const head = await this.head.current(change.cluster, edge);
    const tasks = await change.tasks(head);
    const plan = await this.plan.run(head.state, tasks, { ...edge, dryRun: change.dryRun });
    change.accept(plan);
    return { head, plan, kubectl: change.kubectl(plan) };
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
    ...(idempotency !== undefined && { idempotency }),
    ...(undoes !== undefined && { undoes }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(settlesExpiryOf !== undefined && { settlesExpiryOf }),
    nodes: plan.edited.map((node) => ({
      after: node.after,
      difference: node.difference,
      ...(node.labels !== undefined && { labels: node.labels }),
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
      ...(undoes !== undefined && { undoes }),
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
  { id, author, onBehalfOf, reason }: ChangeToMake,
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
      ...(uid !== undefined && { uid }),
      difference,
      ...(labels !== undefined && { labels }),
      when,
      channel: 'api',
      by: authorOf(author),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
      reason,
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

const authorOf = ({ name, kind, groups }: ChangeAuthor) => ({ username: name, kind, groups });

/** The pods of one node that leave it, or stay; absent where there are too many for the record of the request to list. */
function effectOn(node: string, { evictions: { pods } }: TaintEffects) {
  if (pods.items.length < pods.total) return { evictions: 'see the record of the request' };
  const own = pods.items.filter((pod) => pod.node === node);
  const counts = { now: 0, after: 0, never: 0, cancelled: 0 };
  for (const { when } of own) counts[when] += 1;
  return { evictions: counts, pods: own };
}
