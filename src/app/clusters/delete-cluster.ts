import type { deleteCluster } from '../../contract/clusters/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { HeadCache } from '../reads/head-cache.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { checkClusterName } from './cluster-name.js';

/** Deletes a cluster with all its revisions and reports what was deleted. */
export class DeleteCluster {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly heads: HeadCache,
  ) {}

  /** @throws {ClusterNotFound} */
  async run(
    { cluster: name }: RequestOf<typeof deleteCluster>,
    { caller, now }: RequestContext,
  ): Promise<AnswerTo<typeof deleteCluster>> {
    checkClusterName(name);
    const deleted = await this.clusters.delete(name, { author: caller.name, at: now });
    if (deleted === undefined) throw new ClusterNotFound(name);
    const { cluster, revisions, objectVersions } = deleted;
    this.heads.changed(cluster.id);
    return { name: cluster.name, revisions, objectVersions };
  }
}
