import type { ClientBase } from 'pg';
import { batchedOfClusters } from './batched.js';
import { Database } from './database.js';
import { ofClusters } from './of-clusters.js';

/** Another replica follows the cluster, or none may. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(clusterId: number) {
    super(`this replica does not follow cluster ${clusterId} any longer`);
  }
}

/** A cluster that a replica follows. */
export interface HeldCluster {
  readonly id: number;
  readonly name: string;
  /** When its connection was put: another time means another connection. */
  readonly connectedAt: Date;
}

/** What a replica follows. */
export interface SharedClusters {
  readonly clusters: readonly HeldCluster[];
  /** Whether any cluster is to be followed, by whichever replica. */
  readonly isAnyWanted: boolean;
}

/** A cluster that is to be followed. */
interface FollowRow extends HeldCluster {
  /** `taken`: by another replica. */
  readonly state: 'held' | 'free' | 'taken';
}

/** Where an object is stored, as which version. */
export interface StoredIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** The last sign of life of a cluster. */
export interface LastSign {
  readonly at: Date;
  readonly status: unknown;
  /** Who follows the cluster: this service over a connection, or an agent in it. */
  readonly via: 'connection' | 'agent';
}

/** A holder that does not renew a lease loses it after so long. With a round of each replica each 3 s, another one has it 13 s after at most. */
const LEASE = "interval '10 seconds'";
const WANTED = `(c.details::jsonb ->> 'follow') = 'true'`;
/** Rows to fetch at once. */
const BATCH = 10_000;

/** Which replica follows which cluster. Times are those of the database, so that the clocks of the replicas do not matter. */
export class FollowLeases {
  private readonly lastSignOf = batchedOfClusters(
    () => this.database.places,
    (ids) => {
      const values: unknown[] = [];
      const of = (column: string): string => ofClusters(column, ids, values);
      return this.database.query<LastSign & { readonly id: number }>(
        `select c.cluster_id::float8 as id, greatest(c.created_at, f.current_at) as at, f.status, 'connection' as via
         from cluster_connections c left join cluster_follows f on f.cluster_id = c.cluster_id and ${of('f.cluster_id')}
         where ${of('c.cluster_id')} and ${WANTED}
         union all
         select s.cluster_id::float8, greatest(s.captured_at, f.current_at), null, 'agent'
         from delta_streams s left join cluster_follows f on f.cluster_id = s.cluster_id and ${of('f.cluster_id')}
         where ${of('s.cluster_id')} and not s.own
           and not exists (
             select from cluster_connections c where c.cluster_id = s.cluster_id and ${of('c.cluster_id')} and ${WANTED})
           and exists (
             select from kind_positions p
             where p.cluster_id = s.cluster_id and ${of('p.cluster_id')} and p.stream = s.stream)`,
        values,
      );
    },
  );

  constructor(private readonly database: Database) {}

  /**
   * Renews what a replica holds, releases what nobody wants followed or is more than its share, and takes up to its share of what
   * nobody holds.
   *
   * @param failed is told of each cluster or place that fails, of which the replica follows nothing any longer
   * @returns the clusters that it follows now
   */
  async share(holder: string, failed: (error: unknown) => void): Promise<SharedClusters> {
    const replicas = await this.register(holder);
    const wanted = await this.database.places.ofAll((ids) => this.renew(holder, ids), failed);
    const held = wanted.filter(({ state }) => state === 'held');
    const free = wanted.filter(({ state }) => state === 'free');
    const byId = (a: FollowRow, b: FollowRow): number => a.id - b.id;
    held.sort(byId);
    free.sort(byId);
    const share = Math.ceil(wanted.length / replicas);
    for (const { id } of held.splice(share)) await this.tried(() => this.release(holder, [id]), failed);
    for (const cluster of free) {
      if (held.length >= share) break;
      if (await this.tried(() => this.take(holder, cluster.id), failed)) held.push(cluster);
    }
    const clusters = held.sort(byId).map(({ id, name, connectedAt }) => ({ id, name, connectedAt }));
    return { clusters, isAnyWanted: wanted.length > 0 };
  }

  /** Notes that a replica is there. @returns how many there are */
  private async register(holder: string): Promise<number> {
    const [row] = await this.database.query<{ others: number }>(
      `with seen as (
         insert into follow_replicas (holder, seen_until) values ($1, statement_timestamp() + ${LEASE})
         on conflict (holder) do update set seen_until = excluded.seen_until),
       gone as (
         delete from follow_replicas where holder <> $1 and seen_until < statement_timestamp() - ${LEASE})
       select count(*)::integer as others from follow_replicas where holder <> $1 and seen_until > statement_timestamp()`,
      [holder],
    );
    return row!.others + 1;
  }

  /** The clusters of a place that are to be followed, after what a replica holds of them was renewed. */
  private async renew(holder: string, ids: readonly number[]): Promise<readonly FollowRow[]> {
    const rows = await this.database.query<FollowRow & { readonly isWanted: boolean }>(
      `select k.id::float8 as id, k.name, c.created_at as "connectedAt", coalesce(${WANTED}, false) as "isWanted",
         case when f.leased_until is null or f.leased_until <= statement_timestamp() then 'free'
              when f.holder = $1 then 'held' else 'taken' end as state
       from clusters k 
       left join cluster_connections c on c.cluster_id = k.id and c.cluster_id = any($2::bigint[])
       left join cluster_follows f on f.cluster_id = k.id and f.cluster_id = any($2::bigint[])
       where k.id = any($2::bigint[]) and (${WANTED} or f.holder = $1)`,
      [holder, ids],
    );
    const unwanted = rows.filter(({ isWanted }) => !isWanted).map(({ id }) => id);
    if (unwanted.length > 0) await this.release(holder, unwanted);
    const wanted = rows.filter(({ isWanted }) => isWanted);
    const held = wanted.filter(({ state }) => state === 'held').map(({ id }) => id);
    if (held.length === 0) return wanted;
    // A lease that has ended is not renewed: somebody else may be about to take it.
    const renewed = await this.database.query<{ readonly id: number }>(
      `update cluster_follows set leased_until = statement_timestamp() + ${LEASE}
       where cluster_id = any($2::bigint[]) and holder = $1 and leased_until > statement_timestamp()
       returning cluster_id::float8 as id`,
      [holder, held],
    );
    const kept = new Set(renewed.map(({ id }) => id));
    return wanted.map((row) => (row.state === 'held' && !kept.has(row.id) ? { ...row, state: 'taken' } : row));
  }

  private async release(holder: string, ids: readonly number[]): Promise<readonly never[]> {
    await this.database.query(
      'update cluster_follows set holder = null, leased_until = null where holder = $1 and cluster_id = any($2::bigint[])',
      [holder, ids],
    );
    return [];
  }

  /** Takes a lease under the lock of the cluster's row: what its former holder commits just now ends first. */
  private async take(holder: string, id: number): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const locked = await client.query<{ now: Date; until: Date }>(
        `select statement_timestamp() as now, statement_timestamp() + ${LEASE} as until
         from clusters where id = $1 for update skip locked`,
        [id],
      );
      const [times] = locked.rows;
      if (times === undefined) return false;
      const { rowCount } = await client.query(
        `insert into cluster_follows (cluster_id, holder, leased_until) values ($1, $2, $4::timestamptz)
         on conflict (cluster_id) do update set holder = excluded.holder, leased_until = excluded.leased_until, status = null
         where cluster_follows.leased_until is null or cluster_follows.leased_until <= $3::timestamptz`,
        [id, holder, times.now, times.until],
      );
      return rowCount === 1;
    });
  }

  private async tried<Result>(
    work: () => Promise<Result>,
    failed: (error: unknown) => void,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** Gives back everything, so that others need not wait. */
  async leave(holder: string, failed: (error: unknown) => void): Promise<void> {
    await this.database.places.ofAll((ids) => this.release(holder, ids), failed);
    await this.database.query('delete from follow_replicas where holder = $1', [holder]);
  }

  async saveStatus(clusterId: number, holder: string, status: object): Promise<void> {
    await this.database.query('update cluster_follows set status = $3 where cluster_id = $1 and holder = $2', [
      clusterId,
      holder,
      JSON.stringify(status),
    ]);
  }

  /**
   * Since when nothing is known of a cluster that is to be followed, and what is said of it; undefined if it is not to be followed. An agent
   * follows it until somebody else stores all kinds that it sent.
   */
  async lastSign(clusterId: number): Promise<LastSign | undefined> {
    return this.lastSignOf(clusterId);
  }

  /** What the replica that follows a cluster last said; undefined if none does. */
  async status(clusterId: number): Promise<unknown> {
    const [row] = await this.database.query<{ status: unknown }>(
      'select status from cluster_follows where cluster_id = $1 and leased_until > statement_timestamp()',
      [clusterId],
    );
    return row?.status ?? undefined;
  }

  /** Whether the head of a cluster has objects of unknown resourceVersion does not matter: they are taken as they are. */
  async storedObjects(
    clusterId: number,
    kinds: readonly string[],
    take: (object: StoredIdentity) => void,
  ): Promise<void> {
    await this.database.transaction(async (client) => {
      await client.query(
        `declare stored cursor for
           select kind, namespace, name, uid, resource_version as "resourceVersion", encode(hash, 'hex') as hash
           from object_versions where cluster_id = ${clusterId} and valid_to is null
           and kind in (${kinds.map((kind) => `'${kind.replace(/\W/g, '')}'`).join(',')})`,
      );
      for (;;) {
        const { rows } = await client.query<StoredIdentity>(`fetch ${BATCH} from stored`);
        rows.forEach(take);
        if (rows.length < BATCH) return;
      }
    }, 'read only');
  }
}

/** The condition that a holder has the lease of a cluster, for a statement that begins after the cluster's row was locked. */
export const holdsLease = (clusterId: string, holder: string): string => `exists (
  select from cluster_follows f
  where f.cluster_id = ${clusterId} and f.holder = ${holder} and f.leased_until > statement_timestamp())`;

/** In the transaction of a commit, after the cluster's row was locked. @throws {LeaseLost} */
export async function checkLease(client: ClientBase, clusterId: number, holder: string): Promise<void> {
  const { rowCount } = await client.query(`select where ${holdsLease('$1', '$2')}`, [clusterId, holder]);
  if (rowCount === 0) throw new LeaseLost(clusterId);
}
