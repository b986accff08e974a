import type { ClusterStore } from '../../storage/cluster-store.js';
import type { RevisionStore } from '../../storage/revision-store.js';
import type { Head, HeadSource } from './head-cache.js';

/** Heads as the database has them. */
export class StoredHeads implements HeadSource {
  constructor(
    private readonly clusters: Pick<ClusterStore, 'get'>,
    private readonly revisions: Pick<RevisionStore, 'head'>,
  ) {}

  async read(clusterName: string): Promise<Head | undefined> {
    const cluster = await this.clusters.get(clusterName);
    if (cluster === undefined) return undefined;
    const revision = (await this.revisions.head(cluster.id)) ?? null;
    // The two are read one after the other, and the head may have moved in between: the revision is the later word.
    return { cluster: { ...cluster, headRevision: revision?.number ?? 0 }, revision };
  }
}
