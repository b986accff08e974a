import type { getTaintChange } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { AskedChangeStore } from '../../storage/taint-trail/asked-change-store.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { PresentTaintChange } from './present-taint-change.js';
import { isUuid, storedChange } from './stored-change.js';

/** Reads a change: the request, the outcome for each node, and its status since. */
export class GetTaintChange {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly store: TaintChangeStore,
    private readonly present: PresentTaintChange,
    private readonly asked: AskedChangeStore,
  ) {}

  /** The name of the cluster of a change; undefined if the change does not exist. */
  async clusterOf(id: string): Promise<string | undefined> {
    return (await this.store.clusterOf(id)) ?? this.asked.clusterOf(id);
  }

  /** @throws {ServiceError} `cluster-not-found`, `no-snapshot`, `change-not-found` */
  async run(
    { cluster, id, view }: RequestOf<typeof getTaintChange>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getTaintChange>> {
    const { cluster: known } = await this.resolveRevision.resolve(cluster, {}, context.now);
    const asked = isUuid(id) ? await this.asked.get(known.id, id) : undefined;
    if (asked !== undefined && asked.state !== 'made') return this.present.asked({ cluster, view }, asked, context);
    return this.present.stored({ cluster, view }, await storedChange(this.store, known, id), context);
  }
}
