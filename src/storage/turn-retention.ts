import { Database } from './database.js';
import { AT_ONCE, pruneByAge, RETENTION_SETTING, type ClusterRow, type KeptFor } from './prune-by-age.js';

/** The turns of expectations that were removed from one cluster. */
export interface RemovedTurns {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly turns: number;
}

/** Removes old turns of expectations. */
export class TurnRetention {
  constructor(private readonly database: Database) {}

  /**
   * Removes turns whose revision was captured longer ago than their cluster keeps them; reports the clusters that lost any. The last
   * turn of each stored expectation remains, because it says since when its verdict holds.
   * @param failed is told of each cluster or place that fails; the others lose theirs
   * @param keptFor see `pruneByAge`
   */
  async prune(
    now: Date,
    failed: (error: unknown) => void,
    keptFor: (setting: string | undefined) => KeptFor,
  ): Promise<readonly RemovedTurns[]> {
    const clusters = await this.clusters(failed);
    const reports = await pruneByAge({ clusters, now, keptFor, failed }, (id, before) => this.removeSome(id, before));
    return reports.map(({ count, ...cluster }) => ({ ...cluster, turns: count }));
  }

  private async clusters(failed: (error: unknown) => void): Promise<readonly ClusterRow[]> {
    return this.database.places.ofAll(
      (ids) =>
        this.database.query<ClusterRow>(
          `select c.id as "clusterId", c.name as "clusterName", v.content
       from expectation_progress p join clusters c on c.id = p.cluster_id
       left join object_versions v
         on v.cluster_id = c.id and v.cluster_id = any($2::bigint[]) and v.kind = $1 and v.namespace = '' and v.valid_to is null
       where c.id = any($2::bigint[]) and p.cluster_id = any($2::bigint[]) and p.turns > 0 order by c.id`,
          [RETENTION_SETTING, ids],
        ),
      failed,
    );
  }

  private async removeSome(clusterId: string, capturedBefore: Date): Promise<number> {
    const rows = await this.database.query(
      `delete from expectation_turns where cluster_id = $1 and turn in (
         select t.turn from expectation_turns t
         join expectation_progress p on p.cluster_id = $1
         where t.cluster_id = $1 and t.captured_at < $2
           and (not jsonb_exists(p.verdicts::jsonb, t.name) or exists (
             select 1 from expectation_turns later
             where later.cluster_id = $1 and later.name = t.name and later.turn > t.turn))
         order by t.turn limit ${AT_ONCE})
       returning 1`,
      [clusterId, capturedBefore],
    );
    return rows.length;
  }
}
