import { batched } from './batched.js';
import { Database } from './database.js';
import type { StoredIdentity } from './follow-leases.js';
import { notifyCurrent } from './head-notifications.js';

/** How far a kind of a cluster is stored. */
export interface KindPosition {
  readonly kind: string;
  /** That as of which all objects of the kind are stored; null if unknown. */
  readonly resourceVersion: string | null;
  /** The total of the stored objects; null until a delta needs it. */
  readonly count: number | null;
  readonly hash: string | null;
  readonly snapshotNeeded: boolean;
}

/** How far the deltas of a cluster have come. */
export interface DeltaState {
  /** null if there was no delta. */
  readonly stream: string | null;
  readonly sequence: number;
  readonly capturedAt: Date | null;
  readonly positions: readonly KindPosition[];
}

/** What is known of clusters that are followed: how far, and until when. */
export class FollowStore {
  private readonly currentAtOf = batched(async (clusterIds: readonly number[]) => {
    const rows = await this.database.query<{ id: string; at: Date }>(
      `select cluster_id as id, current_at as at from cluster_follows
       where cluster_id = any($1::bigint[]) and current_at is not null`,
      [clusterIds],
    );
    const found = new Map(rows.map(({ id, at }) => [Number(id), at]));
    return clusterIds.map((id) => found.get(id) ?? null);
  });

  constructor(private readonly database: Database) {}

  /** The time up to which the head is known to be the state of the cluster; null if nobody follows it. */
  async currentAt(clusterId: number): Promise<Date | null> {
    return this.currentAtOf(clusterId);
  }

  /** Notes that the head was the state of the cluster at a time; earlier times than the last one change nothing. */
  async noteCurrent(clusterId: number, at: Date): Promise<void> {
    await this.database.transaction(async (client) => {
      const { rowCount } = await client.query(noteCurrentAt('$1', '$2'), [clusterId, at]);
      if (rowCount !== 0) await notifyCurrent(client, clusterId, at);
    });
  }

  async deltaState(clusterId: number): Promise<DeltaState> {
    const [stream] = await this.database.query<{ stream: string; sequence: number; capturedAt: Date }>(
      `select stream, sequence::float8 as sequence, captured_at as "capturedAt" from delta_streams where cluster_id = $1`,
      [clusterId],
    );
    const positions = await this.database.query<KindPosition>(
      `select kind, resource_version as "resourceVersion", count, hash, snapshot_needed as "snapshotNeeded"
       from kind_positions where cluster_id = $1 order by kind`,
      [clusterId],
    );
    return { stream: null, sequence: 0, capturedAt: null, ...stream, positions };
  }

  /**
   * The objects of the head, by kind and name, without their content. They are read in portions as the reader takes them, not all of one
   * moment: whoever needs that compares their totals with those of the positions.
   */
  async *storedObjects(clusterId: number): AsyncGenerator<readonly StoredIdentity[], void> {
    for (let after: StoredIdentity | undefined; ;) {
      const { kind, namespace, name } = after ?? { kind: '', namespace: '', name: '' };
      const rows: readonly StoredIdentity[] = await this.database.query<StoredIdentity>(
        `select kind, namespace, name, uid, resource_version as "resourceVersion", encode(hash, 'hex') as hash
         from object_versions
         where cluster_id = $1 and valid_to is null and (kind, namespace, name) > ($2, $3, $4)
         order by kind, namespace, name limit ${BATCH}`,
        [clusterId, kind, namespace, name],
      );
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1);
    }
  }
}

/** Rows to fetch at once. */
const BATCH = 10_000;

/** Of a cluster that exists; both are parameters of the statement. */
export const noteCurrentAt = (clusterId: string, at: string): string => `
  insert into cluster_follows (cluster_id, current_at) select id, ${at} from clusters where id = ${clusterId}
  on conflict (cluster_id) do update set current_at = excluded.current_at
  where cluster_follows.current_at is null or cluster_follows.current_at < excluded.current_at`;
