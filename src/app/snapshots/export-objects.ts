import { FollowStore } from '../../storage/follow-store.js';
import { GetCluster } from '../clusters/get-cluster.js';

/** Lists which objects are stored, in which versions, for a sender of deltas that begins again. */
export class ExportObjects {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly follows: FollowStore,
  ) {}

  /**
   * @returns lines of JSON, created on demand
   * @throws {ClusterNotFound}
   */
  async run(cluster: string): Promise<AsyncGenerator<string, void>> {
    const { id } = await this.getCluster.run(cluster);
    return linesOf(this.follows.storedObjects(id));
  }
}

async function* linesOf(portions: ReturnType<FollowStore['storedObjects']>): AsyncGenerator<string, void> {
  for await (const portion of portions) yield portion.map((object) => `${JSON.stringify(object)}\n`).join('');
}
