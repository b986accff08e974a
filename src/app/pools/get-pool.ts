import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestEdge } from '../request-edge.js';
import { knownPool } from './known-pool.js';
import { poolView, type PoolView } from './pool-view.js';

export interface GetPoolRequest {
  readonly cluster: string;
  readonly name: string;
  readonly readAt: ReadAt;
}

/** One declared pool. */
export class GetPool {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found`, and as `ReadState.run` */
  async run(
    { cluster, name, readAt }: GetPoolRequest,
    edge: RequestEdge,
  ): Promise<{ readonly basis: Basis; readonly pool: PoolView }> {
    const { state, basis } = await this.readState.run(cluster, readAt, edge);
    return { basis, pool: poolView(state, knownPool(state, name, cluster)) };
  }
}
