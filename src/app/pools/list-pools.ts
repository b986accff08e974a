import { poolsIn } from '../../core/pools/pools-in.js';
import { pageOf, type Page } from '../paging/page.js';
import type { Basis } from '../reads/basis.js';
import type { ListRequest } from '../reads/list-request.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestEdge } from '../request-edge.js';
import { poolView, type PoolView } from './pool-view.js';

/** The declared pools of a revision, by name. */
export class ListPools {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState.runPage` */
  async run(
    { cluster, readAt, page }: ListRequest,
    edge: RequestEdge,
  ): Promise<{ readonly basis: Basis; readonly page: Page<PoolView> }> {
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, ['pools'], page, edge);
    const cut = pageOf(poolsIn(state), ({ name }) => name, page, list, basis.revision);
    return {
      basis,
      page: { ...cut, items: cut.items.map(({ item, token }) => ({ item: poolView(state, item), token })) },
    };
  }
}
