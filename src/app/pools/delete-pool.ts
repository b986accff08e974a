import type { Basis } from '../reads/basis.js';
import type { RequestEdge } from '../request-edge.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { knownPool } from './known-pool.js';
import { poolView, type PoolView } from './pool-view.js';

export interface DeletePoolRequest {
  readonly cluster: string;
  readonly name: string;
  readonly dryRun: boolean;
  readonly ifMatch?: string | undefined;
}

export interface DeletePoolAnswer {
  readonly basis: Basis;
  readonly dryRun: boolean;
  /** As it was. */
  readonly pool: PoolView;
}

/** Takes the declaration of a pool back; its nodes keep their taints and labels. */
export class DeletePool {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /** @throws {ServiceError} `object-not-found`, and as `ChangeSetting.run` */
  async run(request: DeletePoolRequest, edge: RequestEdge): Promise<DeletePoolAnswer> {
    const { cluster, name, dryRun } = request;
    const { basis, head } = await this.changeSetting.run(
      {
        ...request,
        kind: 'Pool',
        content: ({ state }) => {
          knownPool(state, name, cluster);
          return null;
        },
      },
      edge,
    );
    return { basis, dryRun, pool: poolView(head.state, knownPool(head.state, name, cluster)) };
  }
}
