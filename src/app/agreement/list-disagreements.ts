import type { listDisagreements } from '../../contract/agreement/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { defined } from '../../core/collections/defined.js';
import { AgreementStore } from '../../storage/agreement-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { caseResponse, valuesInCase } from './case-response.js';
import { dateOf } from './read-agreement.js';

/** Lists predictions that do not agree, newest first. */
export class ListDisagreements {
  constructor(
    private readonly store: AgreementStore,
    private readonly getCluster: GetCluster,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async run(
    { cluster, page, outcome = 'disagreed', rule, scheduler, since, until }: RequestOf<typeof listDisagreements>,
    { withheld }: Pick<RequestContext, 'withheld'>,
  ): Promise<AnswerTo<typeof listDisagreements>> {
    const { id } = await this.getCluster.run(cluster);
    const list = ['disagreements', id, outcome, rule, scheduler, since, until];
    const after = page.after === undefined ? undefined : readPageToken(list, page.after, page.afterName).after;
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of disagreements.');
    }
    const before = after === undefined ? undefined : Number(after);
    const given = defined({ rule, scheduler, since: dateOf(since), until: dateOf(until), before });
    const rows = await this.store.page(id, { ...given, outcome, limit: page.size + 1 });
    withheld.addSource(rows.map(valuesInCase));
    const items = rows
      .slice(0, page.size)
      .map((row) => ({ item: caseResponse(row), token: writePageToken(list, { after: String(row.number) }) }));
    return { page: { items, hasMore: rows.length > page.size } };
  }
}
