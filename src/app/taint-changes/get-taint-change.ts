import type { getTaintChange } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { PresentTaintChange } from './present-taint-change.js';
import { storedChange } from './stored-change.js';

/** Reads a change: the request, the outcome for each node, and its status since. */
export class GetTaintChange {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly store: TaintChangeStore,
    private readonly present: PresentTaintChange,
  ) {}

  /** The name of the cluster of a change; undefined if the change does not exist. */
  async clusterOf(id: string): Promise<string | undefined> {
    return this.store.clusterOf(id);
  }

  /** @throws {ServiceError} `cluster-not-found`, `no-snapshot`, `change-not-found` */
  async run(
    { cluster, id, view }: RequestOf<typeof getTaintChange>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getTaintChange>> {
    const { cluster: known } = await this.resolveRevision.resolve(cluster, {}, context.now);
    return this.present.stored({ cluster, view }, await storedChange(this.store, known, id), context);
  }
}
