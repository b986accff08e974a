import type { cancelApplication } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { PresentTaintChange } from '../taint-changes/present-taint-change.js';
import { storedChange } from '../taint-changes/stored-change.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { endedDraft } from './application-drafts.js';
import { authorOf } from './apply-options.js';

/** Ends writing a change to its cluster. Whoever may make changes may do that: it needs no connection. */
export class CancelApplication {
  constructor(
    private readonly clusters: GetCluster,
    private readonly changes: TaintChangeStore,
    private readonly applications: ApplicationStore,
    private readonly present: PresentTaintChange,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `change-not-found` */
  async run(
    { cluster, id, view }: RequestOf<typeof cancelApplication>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof cancelApplication>> {
    const { now: at, caller } = context;
    const change = await storedChange(this.changes, await this.clusters.run(cluster), id);
    const by = authorOf(caller);
    const message = `cancelled by ${by.name}`;
    await this.applications.cancel(change.clusterId, id, {
      at,
      message,
      draft: (nodes) => endedDraft(id, by, at, { event: 'cancelled', nodes, message }),
    });
    return this.present.stored({ cluster, view }, change, context);
  }
}
