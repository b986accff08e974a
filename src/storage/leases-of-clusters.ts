import { batchedOfClusters, FOR_EACH_HEAD } from './batched.js';
import type { Database } from './database.js';
import { ofClusters } from './of-clusters.js';

/** The leases of one replica: which clusters it alone does a work for, and until when. */
export interface LeasesOfClusters {
  /**
   * Leases the work for a cluster, or extends its lease.
   * @returns undefined if the replica has the lease; otherwise when that of another replica ends, or now if the cluster is gone
   */
  readonly lease: (clusterId: number) => Promise<Date | undefined>;
  /** Ends all leases of the replica. */
  readonly release: () => Promise<void>;
  /** For how long, in milliseconds. */
  readonly leaseMs: number;
}

/** A table with the progress of a work for each cluster: its columns besides the lease, and what they are in the beginning. */
export interface ProgressTable {
  readonly name: 'agreement_progress' | 'expectation_progress';
  readonly beginning: Readonly<Record<string, string>>;
}

/** For how long a replica alone does the work for a cluster unless it extends its lease, in milliseconds. */
const LEASE_MS = 30_000;

/** The leases of a replica in such a table. Those of many clusters that are asked for at the same time go together. */
export function leasesIn(
  table: ProgressTable,
  database: Database,
  holder: string,
  clock: { now(): Date },
): LeasesOfClusters {
  const leaseOf = batchedOfClusters(
    () => database.places,
    (ids) => leaseAll(table, database, ids, { holder, now: clock.now() }),
    FOR_EACH_HEAD,
  );
  return {
    leaseMs: LEASE_MS,
    lease: async (clusterId) => {
      const answer = await leaseOf(clusterId);
      return answer === undefined ? clock.now() : (answer.heldUntil ?? undefined);
    },
    release: async () => {
      await database.query(`update ${table.name} set holder = null, leased_until = null where holder = $1`, [holder]);
    },
  };
}

/** @returns the clusters that exist, with when the leases of other replicas end */
async function leaseAll(
  { name, beginning }: ProgressTable,
  database: Database,
  ids: readonly number[],
  { holder, now }: { readonly holder: string; readonly now: Date },
): Promise<readonly { readonly id: number; readonly heldUntil: Date | null }[]> {
  const values: unknown[] = [holder, new Date(now.getTime() + LEASE_MS), now];
  const leased = await database.query<{ readonly id: number; readonly heldUntil: null }>(
    `insert into ${name} as p (cluster_id, ${Object.keys(beginning).join(', ')}, holder, leased_until)
     select id, ${Object.values(beginning).join(', ')}, $1, $2 from clusters where ${ofClusters('id', ids, values)}
     on conflict (cluster_id) do update set holder = excluded.holder, leased_until = excluded.leased_until
       where p.holder is null or p.holder = $1 or p.leased_until <= $3
     returning cluster_id::float8 as id, null as "heldUntil"`,
    values,
  );
  const got = new Set(leased.map(({ id }) => id));
  const others = ids.filter((id) => !got.has(id));
  if (others.length === 0) return leased;
  const named: unknown[] = [now];
  const held = await database.query<{ readonly id: number; readonly heldUntil: Date }>(
    `select cluster_id::float8 as id, coalesce(leased_until, $1) as "heldUntil" from ${name}
     where ${ofClusters('cluster_id', others, named)}`,
    named,
  );
  return [...leased, ...held];
}
