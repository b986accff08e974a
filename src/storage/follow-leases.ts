import type { ClientBase } from 'pg';
import { Database } from './database.js';

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
  constructor(private readonly database: Database) {}

  /**
   * Renews what a replica holds, releases what nobody wants followed or is more than its share, and takes up to its share of what
   * nobody holds.
   *
   * @returns the clusters that it follows now
   */
  async share(holder: string): Promise<readonly HeldCluster[]> {
    return this.database.transaction(async (client) => {
      await client.query(
        `insert into follow_replicas (holder, seen_until) values ($1, statement_timestamp() + ${LEASE})
         on conflict (holder) do update set seen_until = excluded.seen_until`,
        [holder],
      );
      await client.query(`delete from follow_replicas where seen_until < statement_timestamp() - ${LEASE}`);
      await client.query(
        `update cluster_follows f set holder = null, leased_until = null
         where holder = $1 and not exists (
           select 1 from cluster_connections c where c.cluster_id = f.cluster_id and ${WANTED})`,
        [holder],
      );
      // A lease that has ended is not renewed: somebody else may be about to take it.
      await client.query(
        `update cluster_follows set leased_until = statement_timestamp() + ${LEASE}
         where holder = $1 and leased_until > statement_timestamp()`,
        [holder],
      );
      const { rows } = await client.query<{ replicas: number; wanted: number; held: number }>(
        `select (select count(*)::integer from follow_replicas where seen_until > statement_timestamp()) as replicas,
                (select count(*)::integer from cluster_connections c where ${WANTED}) as wanted,
                (select count(*)::integer from cluster_follows
                 where holder = $1 and leased_until > statement_timestamp()) as held`,
        [holder],
      );
      const { replicas, wanted, held } = rows[0]!;
      const share = Math.ceil(wanted / Math.max(replicas, 1));
      if (held > share) await release(client, holder, held - share);
      else if (held < share) await take(client, holder, share - held);
      const holds = await client.query<{ id: string; name: string; connectedAt: Date }>(
        `select k.id, k.name, c.created_at as "connectedAt"
         from cluster_follows f join clusters k on k.id = f.cluster_id join cluster_connections c on c.cluster_id = k.id
         where f.holder = $1 and f.leased_until > statement_timestamp() order by k.id`,
        [holder],
      );
      return holds.rows.map((row) => ({ ...row, id: Number(row.id) }));
    });
  }

  /** Gives back everything, so that others need not wait. */
  async leave(holder: string): Promise<void> {
    await this.database.transaction(async (client) => {
      await client.query('update cluster_follows set holder = null, leased_until = null where holder = $1', [holder]);
      await client.query('delete from follow_replicas where holder = $1', [holder]);
    });
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
    const [row] = await this.database.query<LastSign>(
      `select greatest(c.created_at, f.current_at) as at, f.status, 'connection' as via
       from cluster_connections c left join cluster_follows f on f.cluster_id = c.cluster_id
       where c.cluster_id = $1 and ${WANTED}
       union all
       select greatest(s.captured_at, f.current_at), null, 'agent'
       from delta_streams s left join cluster_follows f on f.cluster_id = s.cluster_id
       where s.cluster_id = $1 and not s.own
         and not exists (select from cluster_connections c where c.cluster_id = $1 and ${WANTED})
         and exists (select from kind_positions p where p.cluster_id = $1 and p.stream = s.stream)`,
      [clusterId],
    );
    return row;
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

async function release(client: ClientBase, holder: string, count: number): Promise<void> {
  await client.query(
    `update cluster_follows set holder = null, leased_until = null where cluster_id in (
       select cluster_id from cluster_follows where holder = $1 order by cluster_id desc limit $2)`,
    [holder, count],
  );
}

/** Takes a lease under the lock of the cluster's row: what its former holder commits just now ends first. */
async function take(client: ClientBase, holder: string, count: number): Promise<void> {
  const { rows } = await client.query<{ id: string; now: Date; until: Date }>(
    `select c.cluster_id as id, statement_timestamp() as now, statement_timestamp() + ${LEASE} as until
     from cluster_connections c left join cluster_follows f on f.cluster_id = c.cluster_id
     where ${WANTED} and (f.leased_until is null or f.leased_until <= statement_timestamp()) order by c.cluster_id`,
  );
  let taken = 0;
  // One by one: rows on several nodes cannot be locked by one statement.
  for (const { id, now, until } of rows) {
    if (taken === count) return;
    const free = await client.query('select id from clusters where id = $1 for update skip locked', [id]);
    if (free.rowCount === 0) continue;
    const { rowCount } = await client.query(
      `insert into cluster_follows (cluster_id, holder, leased_until) values ($1, $2, $4::timestamptz)
       on conflict (cluster_id) do update set holder = excluded.holder, leased_until = excluded.leased_until, status = null
       where cluster_follows.leased_until is null or cluster_follows.leased_until <= $3::timestamptz`,
      [id, holder, now, until],
    );
    taken += rowCount ?? 0;
  }
}
