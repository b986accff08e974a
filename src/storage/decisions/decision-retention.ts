import { Database } from '../database.js';
import { AT_ONCE, pruneByAge, RETENTION_SETTING, type ClusterRow, type KeptFor } from '../prune-by-age.js';

/** The decisions that were removed from one cluster. */
export interface RemovedDecisions {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly decisions: number;
}

/** Removes old decisions. */
export class DecisionRetention {
  constructor(private readonly database: Database) {}

  /**
   * Removes decisions that were asked for longer ago than their cluster keeps them; reports the clusters that lost any.
   * @param failed is told of each cluster or place that fails; the others lose theirs
   * @param keptFor see `pruneByAge`
   */
  async prune(
    now: Date,
    failed: (error: unknown) => void,
    keptFor: (setting: string | undefined) => KeptFor,
  ): Promise<readonly RemovedDecisions[]> {
    const clusters = await this.clusters(failed);
    const reports = await pruneByAge({ clusters, now, keptFor, failed }, (id, before) => this.removeSome(id, before));
    return reports.map(({ count, ...cluster }) => ({ ...cluster, decisions: count }));
  }

  /** Every cluster with decisions, existing or deleted, with its setting. */
  private async clusters(failed: (error: unknown) => void): Promise<readonly ClusterRow[]> {
    const clusters = await this.database.query<Omit<ClusterRow, 'content'>>(
      `with recursive ids as (
         (select cluster_id as id from decisions order by cluster_id limit 1)
         union all
         select (select cluster_id from decisions where cluster_id > i.id order by cluster_id limit 1)
         from ids i where i.id is not null)
       select i.id as "clusterId", n.name as "clusterName"
       from ids i
       cross join lateral (
         select cluster_name as name from decisions where cluster_id = i.id order by sequence desc limit 1) n
       where i.id is not null order by i.id`,
    );
    if (clusters.length === 0) return [];
    // Of these it is not known how long they keep theirs.
    const lost = new Set<string>();
    const settings = await this.database.places.ofAll(
      (ids) =>
        this.database.query<Pick<ClusterRow, 'clusterId' | 'content'>>(
          `select cluster_id as "clusterId", content from object_versions
           where cluster_id = any($1::bigint[]) and kind = $2 and namespace = '' and valid_to is null`,
          [ids, RETENTION_SETTING],
        ),
      (error, ids) => {
        for (const id of ids) lost.add(String(id));
        failed(error);
      },
      clusters.map(({ clusterId }) => Number(clusterId)),
    );
    const contents = new Map(settings.map(({ clusterId, content }) => [clusterId, content]));
    return clusters
      .filter(({ clusterId }) => !lost.has(clusterId))
      .map((cluster) => ({ ...cluster, content: contents.get(cluster.clusterId) ?? null }));
  }

  private async removeSome(clusterId: string, askedBefore: Date): Promise<number> {
    const rows = await this.database.query(
      `delete from decisions where cluster_id = $1 and sequence in (
         select sequence from decisions where cluster_id = $1 and asked_at < $2
         order by asked_at limit ${AT_ONCE})
       returning 1`,
      [clusterId, askedBefore],
    );
    return rows.length;
  }
}
