import { defined } from '../../core/collections/defined.js';
import type { AnswerTo } from '../../contract/question.js';
import type { listSnapshots } from '../../contract/snapshots/questions.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestOf } from '../request-of.js';
import { snapshotResponse } from './snapshot-response.js';

/** Lists the revisions of a cluster, newest first, without their reports. */
export class ListRevisions {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly revisions: RevisionStore,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async run({
    cluster,
    page,
    before: below,
  }: RequestOf<typeof listSnapshots>): Promise<AnswerTo<typeof listSnapshots>> {
    const { id } = await this.getCluster.run(cluster);
    const list = ['snapshots', cluster];
    const reached =
      page.after === undefined ? undefined : numberOf(readPageToken(list, page.after, page.afterName).after);
    const before = below === undefined ? reached : Math.min(below, reached ?? below);
    const { items } = await this.revisions.list(id, { limit: page.size, ...defined({ before }) });
    const oldest = items.at(-1)?.number;
    const count = await this.revisions.count(id, oldest ?? 0);
    return {
      page: {
        items: items.map((item) => ({
          item: snapshotResponse(item),
          token: writePageToken(list, { after: String(item.number) }),
        })),
        hasMore: count.before > 0,
        remaining: count.before,
        total: below === undefined ? count.all : (await this.revisions.count(id, below)).before,
      },
    };
  }
}

function numberOf(after: string): number {
  if (/^\d{1,10}$/.test(after)) return Number(after);
  throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of snapshots.');
}
