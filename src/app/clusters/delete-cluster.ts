import { ClusterStore, type DeletedCluster } from '../../storage/cluster-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { HeadCache } from '../reads/head-cache.js';
import type { RequestContext } from '../request-context.js';
import { checkClusterName } from './cluster-name.js';

/** Deletes a cluster with all its revisions, and says what went with it. */
export class DeleteCluster {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly heads: HeadCache,
  ) {}

  /** @throws {ClusterNotFound} */
  async run(name: string, { caller, now }: RequestContext): Promise<DeletedCluster> {
    checkClusterName(name);
    const deleted = await this.clusters.delete(name, { author: caller.name, at: now });
    if (deleted === undefined) throw new ClusterNotFound(name);
    this.heads.changed(deleted.cluster.id);
    return deleted;
  }
}
