import { defined } from '../../core/collections/defined.js';
import { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import { AskedChangeStore } from '../../storage/taint-trail/asked-change-store.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { askedResponse } from '../approvals/asked-change-response.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ServiceError } from '../errors/service-error.js';
import type { listTaintChanges } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { ChangeDetails } from './change-details.js';
import { NO_STATUSES, taintChangeResponse } from './taint-change-response.js';

/** Lists the taint changes that this service made to a cluster, newest first. */
export class ListTaintChanges {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly store: TaintChangeStore,
    private readonly applications: ApplicationStore,
    private readonly asked: AskedChangeStore,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async run(
    { cluster, page, approval }: RequestOf<typeof listTaintChanges>,
    { now }: Pick<RequestContext, 'now'>,
  ): Promise<AnswerTo<typeof listTaintChanges>> {
    const { id } = await this.getCluster.run(cluster);
    const list = ['taint-changes', cluster, ...(approval === undefined ? [] : [approval])];
    const before =
      page.after === undefined ? undefined : positionIn(readPageToken(list, page.after, page.afterName).after);
    if (approval !== undefined) return this.ofApprovals(id, approval, { list, before, size: page.size, now });
    const rows = await this.store.list(id, { limit: page.size + 1, ...defined({ before }) });
    const shown = rows.slice(0, page.size);
    const ids = shown.map((change) => change.id);
    const [statuses, applications, total, left] = await Promise.all([
      this.store.statusCounts(id, ids),
      this.applications.ofChanges(id, ids),
      this.store.count(id),
      this.store.count(id, shown.at(-1)?.sequence ?? 0),
    ]);
    return {
      page: {
        items: shown.map((change) => ({
          item: taintChangeResponse(
            change,
            change.details as ChangeDetails,
            statuses.get(change.id) ?? NO_STATUSES,
            applications.get(change.id),
          ),
          token: writePageToken(list, { after: String(change.sequence) }),
        })),
        hasMore: rows.length > page.size,
        remaining: left,
        total,
      },
    };
  }

  /** Changes that wait for approval, or were never made. */
  private async ofApprovals(
    id: number,
    state: 'waiting' | 'rejected' | 'expired',
    { list, before, size, now }: Wanted,
  ): Promise<AnswerTo<typeof listTaintChanges>> {
    const rows = await this.asked.list(id, state, { now, limit: size + 1, ...defined({ before }) });
    const shown = rows.slice(0, size);
    const [total, left] = await Promise.all([
      this.asked.count(id, state, now),
      this.asked.count(id, state, now, shown.at(-1)?.sequence ?? 0),
    ]);
    return {
      page: {
        items: shown.map((change) => ({
          item: askedResponse(change, now),
          token: writePageToken(list, { after: String(change.sequence) }),
        })),
        hasMore: rows.length > size,
        remaining: left,
        total,
      },
    };
  }
}

interface Wanted {
  readonly list: readonly (string | number)[];
  readonly before: number | undefined;
  readonly size: number;
  readonly now: Date;
}

function positionIn(text: string): number {
  const sequence = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(sequence)) return sequence;
  throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of taint changes.');
}
