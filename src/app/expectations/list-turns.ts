import type { listTurns } from '../../contract/expectations/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { defined } from '../../core/collections/defined.js';
import { ExpectationStore } from '../../storage/expectation-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { turnResponse } from './expectation-response.js';
import { valuesInTurn } from './values-in-turn.js';

/** Lists the turns of a cluster's expectations, newest first. */
export class ListTurns {
  constructor(
    private readonly store: ExpectationStore,
    private readonly getCluster: GetCluster,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async run(
    { cluster, page, name }: RequestOf<typeof listTurns>,
    { withheld }: Pick<RequestContext, 'withheld'>,
  ): Promise<AnswerTo<typeof listTurns>> {
    const { id } = await this.getCluster.run(cluster);
    const list = ['expectation-turns', id, name];
    const after = page.after === undefined ? undefined : readPageToken(list, page.after, page.afterName).after;
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of turns.');
    }
    const before = after === undefined ? undefined : Number(after);
    const rows = await this.store.page(id, { ...defined({ name, before }), limit: page.size + 1 });
    withheld.addSource(rows.map(valuesInTurn));
    const items = rows
      .slice(0, page.size)
      .map((turn) => ({ item: turnResponse(turn), token: writePageToken(list, { after: String(turn.turn) }) }));
    return { page: { items, hasMore: rows.length > page.size } };
  }
}
