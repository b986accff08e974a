import type { PlaceFailed } from './cluster-places.js';
import { Database } from './database.js';

/** A cluster of whose head not all is kept that questions about many clusters read. */
export interface DueCluster {
  readonly id: number;
  readonly name: string;
}

/** By what digests are made: those of others are not used. */
export interface DigestMaker {
  /** Of the service. */
  readonly version: string;
  /** Of images of states. */
  readonly form: number;
  /** A state with fewer objects has no image. */
  readonly fewestObjects: number;
}

/** A head that is younger is left alone, as the next may come at once, unless what is kept is much older. */
const SETTLED = "interval '1 minute'";
const MUCH_OLDER = "interval '10 minutes'";

/** Who takes a cluster has so long; who ends with it leaves it alone for so long. */
const TURN = "interval '10 minutes'";
const REST = "interval '5 minutes'";

/** Which process computes digests of which cluster. Times are those of the database, but for when revisions were received. */
export class DigestTurns {
  constructor(private readonly database: Database) {}

  /** Clusters that nobody has taken, in random order, those without any figures first; at most so many of each place. */
  async due(
    { version, form, fewestObjects }: DigestMaker,
    now: Date,
    most: number,
    failed: PlaceFailed,
  ): Promise<readonly DueCluster[]> {
    return this.database.places.ofAll(
      (ids) =>
        this.database.query<DueCluster>(
          `select c.id::float8 as id, c.name
       from clusters c
       join revisions r on r.cluster_id = c.id and r.cluster_id = any($6::bigint[]) and r.number = c.head_revision
       left join cluster_figures g on g.cluster_id = c.id and g.cluster_id = any($6::bigint[]) and g.version = $1
       left join revisions gr on gr.cluster_id = c.id and gr.cluster_id = any($6::bigint[]) and gr.number = g.revision
       left join state_images i on i.cluster_id = c.id and i.cluster_id = any($6::bigint[]) and i.form = $2 and i.part = 0
       left join digest_turns t on t.cluster_id = c.id and t.cluster_id = any($6::bigint[])
       where c.id = any($6::bigint[]) and (t.until is null or t.until <= statement_timestamp())
         and (g.cluster_id is null
           or g.revision < c.head_revision
             and (r.received_at < $4::timestamptz - ${SETTLED}
               or gr.received_at is null or gr.received_at < $4::timestamptz - ${MUCH_OLDER})
           or i.cluster_id is null and ${counted('nodes')} + ${counted('pods')} >= $3)
       order by g.cluster_id is not null, random() limit $5`,
          [version, form, fewestObjects, now, most, ids],
        ),
      failed,
    );
  }

  /** Takes a cluster; false if another process was faster, or the cluster is deleted. */
  async take(clusterId: number): Promise<boolean> {
    // A distributed database takes no time of its own in the condition of a conflict.
    const taken = await this.database.query(
      `with again as (
         update digest_turns set until = statement_timestamp() + ${TURN}
         where cluster_id = $1 and until <= statement_timestamp() returning cluster_id),
       first as (
         insert into digest_turns (cluster_id, until)
         select id, statement_timestamp() + ${TURN} from clusters where id = $1
         on conflict (cluster_id) do nothing returning cluster_id)
       select from again union all select from first`,
      [clusterId],
    );
    return taken.length > 0;
  }

  /** Gives a cluster back when its digests are kept. */
  async leave(clusterId: number): Promise<void> {
    await this.database.query(`update digest_turns set until = statement_timestamp() + ${REST} where cluster_id = $1`, [
      clusterId,
    ]);
  }
}

const counted = (what: string): string => `(g.figures::json -> '${what}' ->> 'total')::float8`;
