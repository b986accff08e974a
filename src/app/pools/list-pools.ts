import { poolsIn } from '../../core/pools/pools-in.js';

import { pageOf } from '../paging/page.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { listPools } from '../../contract/pools/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestOf } from '../request-of.js';
import { poolResponse } from './pool-response.js';

/** Lists the pools of a revision, sorted by name. */
export class ListPools {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState.runPage` */
  async run(
    { cluster, readAt, page }: RequestOf<typeof listPools>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listPools>> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['pools'], page, context);
    const cut = pageOf(poolsIn(state), ({ name }) => name, page, list, basis.revision);
    return {
      basis,
      page: { ...cut, items: cut.items.map(({ item, token }) => ({ item: poolResponse(state, item), token })) },
    };
  }
}
