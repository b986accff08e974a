import {
  type IdempotencyKey,
  type StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import { AnswerChange, changeNotFound, isUuid } from './answer-change.js';
import { recordedRequest } from './recorded-request.js';
import { checkRecord, type GivenRecord } from './check-change-request.js';
import { MakeChange } from './make-change.js';
import { checkPrecondition, readPrecondition } from './precondition.js';
import { refuseRefused } from './refuse-refused.js';
import { commandsOfOutcomes } from './commands-of-outcomes.js';
import type { TaintChangeAnswer } from './taint-change-view.js';
import { undoTasks } from './undo-tasks.js';
import type { Working } from './head-for-update.js';

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
  async run(request: RevertTaintChangeRequest, edge: RequestContext): Promise<TaintChangeAnswer> {
    return this.answer.once(request, edge, (key) => this.make(request, key, edge));
  }

  private async make(
    request: RevertTaintChangeRequest,
    key: IdempotencyKey | undefined,
    edge: RequestContext,
  ): Promise<TaintChangeAnswer> {
    const { cluster, id, force, perNode } = request;
    checkRecord(request, { root: request.root, now: edge.now });
    const precondition = readPrecondition(request.ifMatch, undefined);
    const change = {
      ...recordedRequest(request, key, edge),
      action: 'revert' as const,
      undoes: id,
      request: { taints: [], labels: [], unschedulable: null, overwrite: true, perNode, force },
      tasks: async (head: Working) => {
        await this.answer.refuseRepetition(head, key, edge);
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

  private async changeToUndo(cluster: string, id: string, { now }: RequestContext): Promise<StoredTaintChange> {
    const { cluster: known } = await this.resolveRevision.resolve(cluster, {}, now);
    const change = isUuid(id) ? await this.store.get(known.id, id) : undefined;
    if (change === undefined) throw changeNotFound(cluster, id);
    if (change.undoneBy !== null) {
      throw new ServiceError('already-reverted', `Change ${id} was taken back already, by change ${change.undoneBy}.`);
    }
    return change;
  }
}
