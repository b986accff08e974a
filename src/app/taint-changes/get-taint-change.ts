import type { getTaintChange } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { PresentTaintChange } from './present-taint-change.js';
import { storedChange } from './stored-change.js';

/** One change: what was asked for, what became of each node, and what is known of it since. */
export class GetTaintChange {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly store: TaintChangeStore,
    private readonly present: PresentTaintChange,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `no-snapshot`, `change-not-found` */
  async run(
    { cluster, id }: RequestOf<typeof getTaintChange>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getTaintChange>> {
    const { cluster: known } = await this.resolveRevision.resolve(cluster, {}, context.now);
    return this.present.stored(cluster, await storedChange(this.store, known, id), context);
  }
}
