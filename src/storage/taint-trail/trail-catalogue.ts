import { batched } from '../batched.js';
import { Database } from '../database.js';

/** The chain of records of one cluster, which may no longer exist. */
export interface Trail {
  readonly clusterId: number;
  readonly cluster: string;
  /** The number of the last record, which is the number of records; 0 if there are none. */
  readonly recordCount: number;
  /** The time of the first record; null if there is none. */
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
  /** The hash of the last record; null if there is none. */
  readonly hash: string | null;
  /** The time at which the cluster was deleted from the service and its trail ended. */
  readonly closedAt: Date | null;
}

/**
 * The existing trails, one for each cluster that ever had a record. The cost depends on the number of trails, not of
 * records.
 */
export class TrailCatalogue {
  private readonly byName = batched(async (clusters: readonly string[]) => {
    const trails = await this.trails(
      `(select (select cluster_id from taint_trail where cluster_name = names.name order by cluster_id limit 1), names.name
        from (select distinct unnest($1::text[]) as name) names)
       union all
       select (select cluster_id from taint_trail where cluster_name = ids.name and cluster_id > ids.id
               order by cluster_id limit 1), ids.name
       from ids where ids.id is not null`,
      [clusters],
    );
    return clusters.map((name) => trails.filter(({ cluster }) => cluster === name));
  });

  constructor(private readonly database: Database) {}

  /** All trails by name, those with the same name from newest to oldest. */
  async list(): Promise<readonly Trail[]> {
    return this.trails(
      `(select cluster_id, null::text from taint_trail order by cluster_id limit 1)
       union all
       select (select cluster_id from taint_trail where cluster_id > ids.id order by cluster_id limit 1), null
       from ids where ids.id is not null`,
      [],
    );
  }

  /** The trails of all clusters that ever had this name, newest first. */
  async named(cluster: string): Promise<readonly Trail[]> {
    if (cluster.includes('\0')) return [];
    return this.byName(cluster);
  }

  /**
   * @param ids a recursive query that steps from one cluster id to the next, so that the records in between are skipped
   */
  private async trails(ids: string, values: readonly unknown[]): Promise<readonly Trail[]> {
    return this.database.query<Trail>(
      `with recursive ids (id, name) as (${ids})
       select ids.id::float8 as "clusterId", l.cluster_name as cluster, l.sequence::float8 as "recordCount",
              f.recorded_at as "firstAt", l.recorded_at as "lastAt", l.hash,
              case when l.kind = 'closed' then l.happened_at end as "closedAt"
       from ids
       cross join lateral (select recorded_at from taint_trail where cluster_id = ids.id order by sequence limit 1) f
       cross join lateral (
         select cluster_name, sequence, recorded_at, hash, kind, happened_at from taint_trail
         where cluster_id = ids.id order by sequence desc limit 1) l
       where ids.id is not null
       order by l.cluster_name, ids.id desc`,
      values,
    );
  }
}
