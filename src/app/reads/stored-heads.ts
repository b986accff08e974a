import type { ClusterStore } from '../../storage/cluster-store.js';
import type { FollowStore } from '../../storage/follow-store.js';
import type { RevisionStore } from '../../storage/revision-store.js';
import type { Head, HeadSource } from './head-cache.js';

/** Reads heads from the database. */
export class StoredHeads implements HeadSource {
  constructor(
    private readonly clusters: Pick<ClusterStore, 'get'>,
    private readonly revisions: Pick<RevisionStore, 'head'>,
    private readonly follows: Pick<FollowStore, 'currentAt'>,
  ) {}

  async read(clusterName: string): Promise<Head | undefined> {
    const cluster = await this.clusters.get(clusterName);
    if (cluster === undefined) return undefined;
    // Read first: what is current now is so at a later head, too.
    const currentAt = await this.follows.currentAt(cluster.id);
    const revision = (await this.revisions.head(cluster.id)) ?? null;
    // The reads are separate, so the head may have moved in between; the revision is the newer information.
    return { cluster: { ...cluster, headRevision: revision?.number ?? 0 }, revision, currentAt };
  }
}
