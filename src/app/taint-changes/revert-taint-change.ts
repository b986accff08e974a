import { randomUUID } from 'node:crypto';
import {
  type IdempotencyKey,
  type StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { authorize } from '../authorize.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestEdge } from '../request-edge.js';
import { AnswerChange, changeNotFound, isUuid } from './answer-change.js';
import { authorOf, checkOnBehalfOf, idempotencyOf, recordOf } from './change-taints.js';
import { checkRecord, type GivenRecord } from './check-change-request.js';
import { MakeChange } from './make-change.js';
import { checkPrecondition, readPrecondition } from './precondition.js';
import { refuseRefused } from './refuse-refused.js';
import { commandsOfOutcomes } from './commands-of-outcomes.js';
import type { TaintChangeAnswer } from './taint-change-view.js';
import { undoTasks } from './undo-tasks.js';
import type { Working } from './working-head.js';

export interface RevertTaintChangeRequest extends GivenRecord {
  readonly cluster: string;
  readonly id: string;
  /** Whether what somebody changed since is overridden. */
  readonly force: boolean;
  /** Whether nodes that cannot be taken back are left out instead of refusing it for all. */
  readonly perNode: boolean;
  readonly dryRun: boolean;
  readonly ifMatch?: string;
  readonly root: '' | 'input';
}

/** Makes the inverse of a change, on the record; or says what that would do. */
export class RevertTaintChange {
  constructor(
    private readonly makeChange: MakeChange,
    private readonly store: TaintChangeStore,
    private readonly answer: AnswerChange,
    private readonly resolveRevision: ResolveRevision,
  ) {}

  /**
   * @throws {ServiceError} `change-not-found`; `already-reverted`; `revert-conflict`, naming what changed since node by node;
   *   and as `ChangeTaints`
   */
  async run(request: RevertTaintChangeRequest, edge: RequestEdge): Promise<TaintChangeAnswer> {
    const { cluster, dryRun } = request;
    checkClusterName(cluster);
    if (!dryRun) authorize(edge, 'change', cluster);
    const idempotency = dryRun ? undefined : idempotencyOf(request, edge.caller);
    return this.answer.once(cluster, idempotency, edge, () => this.make(request, idempotency, edge));
  }

  private async make(
    request: RevertTaintChangeRequest,
    idempotency: IdempotencyKey | undefined,
    edge: RequestEdge,
  ): Promise<TaintChangeAnswer> {
    const { cluster, id, force, perNode, dryRun } = request;
    checkRecord(request, { root: request.root, now: edge.now });
    const precondition = readPrecondition(request.ifMatch, undefined);
    checkOnBehalfOf(request, edge);
    const change = {
      id: randomUUID(),
      cluster,
      action: 'revert' as const,
      author: authorOf(edge.caller),
      ...recordOf(request),
      undoes: id,
      ...(idempotency !== undefined && { idempotency }),
      request: { taints: [], labels: [], unschedulable: null, overwrite: true, perNode, force },
      dryRun,
      tasks: async (head: Working) => {
        await this.answer.refuseRepetition(head, idempotency, edge);
        if (precondition !== undefined) await checkPrecondition(precondition, head, undefined, this.store);
        const undone = await this.changeToUndo(cluster, id, edge);
        const nodes = await this.store.nodesOf(undone.clusterId, id);
        return undoTasks(undone, nodes, head, { force, store: this.store });
      },
      accept: refuseRefused(perNode, 'revert-conflict'),
      kubectl: commandsOfOutcomes,
    };
    return this.answer.made(change, await this.makeChange.run(change, edge), edge);
  }

  private async changeToUndo(cluster: string, id: string, { now }: RequestEdge): Promise<StoredTaintChange> {
    const { cluster: known } = await this.resolveRevision.resolve(cluster, {}, now);
    const change = isUuid(id) ? await this.store.get(known.id, id) : undefined;
    if (change === undefined) throw changeNotFound(cluster, id);
    if (change.undoneBy !== null) {
      throw new ServiceError('already-reverted', `Change ${id} was taken back already, by change ${change.undoneBy}.`);
    }
    return change;
  }
}
