import { ClusterNotFound } from '../../storage/storage-error.js';
import { ClusterStore, type Cluster } from '../../storage/cluster-store.js';
import { checkClusterName } from './cluster-name.js';

/** Reads a cluster by its name. */
export class GetCluster {
  constructor(private readonly clusters: ClusterStore) {}

  /** @throws {ClusterNotFound} */
  async run(name: string): Promise<Cluster> {
    checkClusterName(name);
    const cluster = await this.clusters.get(name);
    if (cluster === undefined) throw new ClusterNotFound(name);
    return cluster;
  }
}
