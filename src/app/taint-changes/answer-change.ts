import type { ClusterStore } from '../../storage/cluster-store.js';
import {
  AlreadyDone,
  type IdempotencyKey,
  type StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { authorize } from '../authorize.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import { basisOf } from '../reads/basis.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { ChangeToMake, MadeChange } from './make-change.js';
import type { NodeOutcome } from './node-outcome.js';
import { idempotencyOf, type RecordedRequest } from './recorded-request.js';
import type { Working } from './head-for-update.js';
import {
  type ChangeDetails,
  NO_STATUSES,
  type NodeChangeView,
  nodesShown,
  type TaintChangeAnswer,
  type TaintChangeView,
  taintChangeView,
} from './taint-change-view.js';

/** Tells what became of a change: one that was just made, or one that is stored. */
export class AnswerChange {
  constructor(
    private readonly store: TaintChangeStore,
    private readonly resolveRevision: ResolveRevision,
    private readonly clusters: Pick<ClusterStore, 'get'>,
  ) {}

  /** The cluster whose change it is; undefined where there is none. */
  async clusterOf(id: string): Promise<string | undefined> {
    return this.store.clusterOf(id);
  }

  /** A change that was just worked out, and made unless it is a dry run. */
  made(change: ChangeToMake, { head, plan, kubectl, committed }: MadeChange, edge: RequestContext): TaintChangeAnswer {
    const revision = {
      ...head.revision,
      ...(committed !== undefined && {
        number: committed.revision,
        unconfirmedNodes: committed.unconfirmedNodes,
      }),
    };
    const { shown, nodesOmitted } = nodesShown(plan.outcomes);
    return {
      basis: basisOf({ ...head, revision }, edge.now, edge.nextDecisionId()),
      dryRun: change.dryRun,
      change: committed === undefined ? null : changeMade(change, committed, plan.edited.length, edge.now),
      nodes: shown.map((outcome) => ({
        ...outcome,
        status: committed !== undefined && outcome.outcome === 'changed' ? 'recorded' : null,
        saidBy: null,
      })),
      nodesOmitted,
      kubectl,
      effects: plan.effects,
      replayed: false,
    };
  }

  /**
   * Lets who may do so make a change, unless the same was asked for before under its key: then it is answered as it was,
   * whether or not it could still be asked for.
   * @throws {ServiceError} `cluster-not-found`, `forbidden`, `idempotency-key-reused`
   */
  async once(
    request: RecordedRequest,
    edge: RequestContext,
    make: (key: IdempotencyKey | undefined) => Promise<TaintChangeAnswer>,
  ): Promise<TaintChangeAnswer> {
    const { cluster, dryRun } = request;
    checkClusterName(cluster);
    if (!dryRun) authorize(edge, 'change', cluster);
    const idempotency = idempotencyOf(request, edge.caller);
    const former = await this.replay(cluster, idempotency, edge);
    if (former !== undefined) return former;
    try {
      return await make(idempotency);
    } catch (error) {
      // It was asked for twice at once.
      const said = error instanceof AlreadyDone ? await this.replay(cluster, idempotency, edge) : undefined;
      if (said === undefined) throw error;
      return said;
    }
  }

  /** @throws {AlreadyDone} a request was made under this key; with the head at hand, so that what made it has been seen */
  async refuseRepetition(
    { cluster }: Working,
    idempotency: IdempotencyKey | undefined,
    { caller }: RequestContext,
  ): Promise<void> {
    if (idempotency === undefined) return;
    if ((await this.store.findByKey(cluster.id, caller.name, idempotency.key)) !== undefined) throw new AlreadyDone();
  }

  /**
   * The answer to a request that was made before under the same key; undefined when there was none.
   * @throws {ServiceError} `idempotency-key-reused` when it was another request
   */
  private async replay(
    cluster: string,
    idempotency: IdempotencyKey | undefined,
    edge: RequestContext,
  ): Promise<TaintChangeAnswer | undefined> {
    if (idempotency === undefined) return undefined;
    const known = await this.clusters.get(cluster);
    if (known === undefined) return undefined;
    const former = await this.store.findByKey(known.id, edge.caller.name, idempotency.key);
    if (former === undefined) return undefined;
    if (former.requestHash !== idempotency.requestHash) {
      throw new ServiceError(
        'idempotency-key-reused',
        `The idempotency key belongs to another request, which made change ${former.id}.`,
      );
    }
    return { ...(await this.told(cluster, former, edge)), replayed: true };
  }

  /** @throws {ServiceError} `change-not-found` */
  async stored(cluster: string, id: string, edge: RequestContext): Promise<TaintChangeAnswer> {
    const { cluster: known } = await this.resolveRevision.resolve(cluster, {}, edge.now);
    const change = isUuid(id) ? await this.store.get(known.id, id) : undefined;
    if (change === undefined) throw changeNotFound(cluster, id);
    return this.told(cluster, change, edge);
  }

  private async told(cluster: string, change: StoredTaintChange, edge: RequestContext): Promise<TaintChangeAnswer> {
    const { clusterId, id, revision } = change;
    const [outcomes, intents, statuses, resolved] = await Promise.all([
      this.store.outcomes(clusterId, id),
      this.store.nodesOf(clusterId, id),
      this.store.statusCounts(clusterId, [id]),
      // Retention may have removed the revision that the change made.
      this.resolveRevision
        .resolve(cluster, { revision }, edge.now)
        .catch(() => this.resolveRevision.resolve(cluster, {}, edge.now)),
    ]);
    const known = new Map(intents.map((intent) => [intent.node, intent]));
    const { kubectl, effects } = change.details as ChangeDetails;
    const { shown, nodesOmitted } = nodesShown(outcomes as readonly NodeOutcome[]);
    return {
      basis: basisOf(resolved, edge.now, edge.nextDecisionId()),
      dryRun: false,
      change: taintChangeView(change, statuses.get(id) ?? NO_STATUSES),
      nodes: shown.map((outcome): NodeChangeView => {
        const intent = known.get(outcome.node);
        return { ...outcome, status: intent?.status ?? null, saidBy: saidBy(intent?.saidBy) };
      }),
      nodesOmitted,
      kubectl,
      effects,
      replayed: false,
    };
  }
}

/** What a read of the change would give, at this moment. */
function changeMade(
  { id, action, undoes, expiresAt }: ChangeToMake,
  { revision, sequence, details }: NonNullable<MadeChange['committed']>,
  nodes: number,
  madeAt: Date,
): TaintChangeView {
  return {
    ...details,
    id,
    revision,
    sequence,
    madeAt,
    action,
    undoes: undoes ?? null,
    undoneBy: null,
    expiresAt: expiresAt ?? null,
    expiry: expiresAt === undefined ? null : 'pending',
    status: 'recorded',
    statuses: { ...NO_STATUSES, recorded: nodes },
  };
}

export function changeNotFound(cluster: string, id: string): ServiceError {
  return new ServiceError(
    'change-not-found',
    `Cluster ${cluster} has no taint change ${JSON.stringify(id.slice(0, 100))}.`,
  );
}

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

function saidBy(said: unknown): NodeChangeView['saidBy'] {
  if (said === null || said === undefined) return null;
  const { auditID, observation } = said as {
    readonly auditID?: string;
    readonly observation?: { readonly at: string; readonly revision?: number };
  };
  return { auditID: auditID ?? null, revision: observation?.revision ?? null, at: observation?.at ?? null };
}
