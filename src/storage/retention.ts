import type { ClientBase } from 'pg';
import { Database } from './database.js';

/** The limits for keeping revisions. A revision is removed if either limit applies; the head always remains. */
export interface RetentionLimits {
  /** The maximum number of revisions to keep, newest first (at least 1). */
  readonly count?: number;
  /** Removes all revisions up to the newest one received before this time. */
  readonly receivedBefore?: Date;
}

/** The revisions that retention removed from one cluster, or would remove. */
export interface RetentionReport {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revisions: number;
  readonly objectVersions: number;
  /** The oldest remaining revision. */
  readonly oldestRevision: number;
}

/**
 * Removes old revisions, starting with the oldest, and the object versions that no remaining revision uses. The trail is not
 * affected. Age depends on the time of receipt, not on `capturedAt`, so a recent backfill is not old.
 */
export class Retention {
  constructor(private readonly database: Database) {}

  /**
   * Removes revisions of one cluster; returns undefined if it does not exist or has no revision.
   * @param dryRun only counts what would be removed
   */
  async prune(clusterId: number, limits: RetentionLimits, dryRun = false): Promise<RetentionReport | undefined> {
    return this.database.transaction(async (client) => {
      await client.query('set local statement_timeout = 0');
      // Commits take the same row lock, so the head cannot move, and a base in use cannot be removed, in between.
      const cluster = await client.query<{ name: string; head: number }>(
        'select name, head_revision as head from clusters where id = $1 for update',
        [clusterId],
      );
      const { name, head } = cluster.rows[0] ?? { name: '', head: 0 };
      if (head === 0) return undefined;
      const aged = await client.query<{ number: number | null }>(
        'select max(number) as number from revisions where cluster_id = $1 and received_at < $2',
        [clusterId, limits.receivedBefore ?? '-infinity'],
      );
      const oldest = Math.min(
        head,
        Math.max(
          (aged.rows[0]?.number ?? 0) + 1,
          limits.count === undefined ? 1 : head - Math.max(limits.count, 1) + 1,
        ),
      );
      const remove = dryRun ? countOf : deleteOf;
      const revisions = await remove(client, 'revisions where cluster_id = $1 and number < $2', [clusterId, oldest]);
      const objectVersions = await remove(client, 'object_versions where cluster_id = $1 and valid_to <= $2', [
        clusterId,
        oldest,
      ]);
      if (!dryRun) await deleteOf(client, 'state_images where cluster_id = $1 and revision < $2', [clusterId, oldest]);
      await remove(client, 'observed_nodes where cluster_id = $1 and valid_to <= $2', [clusterId, oldest]);
      const left = await client.query<{ oldest: number }>(
        'select min(number) as oldest from revisions where cluster_id = $1 and number >= $2',
        [clusterId, oldest],
      );
      return {
        clusterId,
        clusterName: name,
        revisions,
        objectVersions,
        oldestRevision: left.rows[0]!.oldest,
      };
    });
  }

  /**
   * Removes revisions of every cluster, each in its own transaction; reports the clusters that lost any.
   * @param failed is told of each cluster that fails
   */
  async pruneAll(limits: RetentionLimits, failed: (error: unknown) => void): Promise<readonly RetentionReport[]> {
    return this.database.places.workInAll(async (ids) => {
      const reports: RetentionReport[] = [];
      for (const id of await this.exceeding(ids, limits)) {
        try {
          const report = await this.prune(id, limits);
          if (report !== undefined && report.revisions > 0) reports.push(report);
        } catch (error) {
          failed(error);
        }
      }
      return reports;
    }, failed);
  }

  /** Those of the clusters that have something to remove. */
  private async exceeding(
    ids: readonly number[],
    { count, receivedBefore }: RetentionLimits,
  ): Promise<readonly number[]> {
    const rows = await this.database.query<{ readonly id: number }>(
      `select c.id::float8 as id from clusters c
       where c.id = any($1::bigint[]) and exists (
         select from revisions r
         where r.cluster_id = c.id and r.cluster_id = any($1::bigint[]) and r.number < c.head_revision
           and (r.received_at < $2 or r.number <= c.head_revision - $3::integer))`,
      [ids, receivedBefore ?? '-infinity', count === undefined ? null : Math.max(count, 1)],
    );
    return rows.map(({ id }) => id);
  }
}

type Remove = (client: ClientBase, rows: string, values: readonly number[]) => Promise<number>;

const deleteOf: Remove = async (client, rows, values) =>
  (await client.query(`delete from ${rows}`, [...values])).rowCount ?? 0;

const countOf: Remove = async (client, rows, values) => {
  const result = await client.query<{ count: number }>(`select count(*)::integer as count from ${rows}`, [...values]);
  return result.rows[0]!.count;
};
