import { batched } from '../batched.js';
import { Database } from '../database.js';
import { ofClusters } from '../of-clusters.js';

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
    const trails = await this.trails(clusters);
    return clusters.map((name) => trails.filter(({ cluster }) => cluster === name));
  });

  constructor(private readonly database: Database) {}

  /** All trails by name, those with the same name from newest to oldest. */
  async list(): Promise<readonly Trail[]> {
    return this.trails();
  }

  /** The trails of all clusters that ever had this name, newest first. */
  async named(cluster: string): Promise<readonly Trail[]> {
    if (cluster.includes('\0')) return [];
    return this.byName(cluster);
  }

  private async trails(names?: readonly string[]): Promise<readonly Trail[]> {
    const ids = await this.database.directory.everNamed((text, given) => this.database.query(text, given), names);
    if (ids.length === 0) return [];
    const values: unknown[] = [];
    const wanted = ofClusters('f.cluster_id', ids, values);
    // Of one trail by its id, as the others: see `ofClusters`.
    const last = new Set(ids).size === 1 ? '$1' : 'f.cluster_id';
    return this.database.query<Trail>(
      `select f.cluster_id::float8 as "clusterId", l.cluster_name as cluster, l.sequence::float8 as "recordCount",
              f.recorded_at as "firstAt", l.recorded_at as "lastAt", l.hash,
              case when l.kind = 'closed' then l.happened_at end as "closedAt"
       from taint_trail f join taint_trail l on l.cluster_id = f.cluster_id
         and l.sequence = (select max(m.sequence) from taint_trail m where m.cluster_id = ${last})
       where ${wanted} and f.sequence = 1
       order by l.cluster_name, f.cluster_id desc`,
      values,
    );
  }
}
