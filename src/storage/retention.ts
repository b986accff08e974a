import type { ClientBase } from 'pg';
import { Database } from './database.js';

/** Which revisions stay. A revision goes when either limit says so; the head always stays. */
export interface RetentionLimits {
  /** Keep at most so many, the newest (at least 1). */
  readonly count?: number;
  /** Remove those up to the newest that was received before this moment. */
  readonly receivedBefore?: Date;
}

/** What retention removed from one cluster, or would have. */
export interface RetentionReport {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revisions: number;
  readonly objectVersions: number;
  /** The oldest revision that is left. */
  readonly oldestRevision: number;
}

/**
 * Removes old revisions, always from the oldest up, and the object versions that no revision left shows. The trail stays whole. Age goes by
 * receipt, not by `capturedAt`: what was backfilled today is not old.
 */
export class Retention {
  constructor(private readonly database: Database) {}

  /**
   * One cluster; undefined when it is gone or has no revision.
   * @param dryRun counts what would go, and leaves it
   */
  async prune(clusterId: number, limits: RetentionLimits, dryRun = false): Promise<RetentionReport | undefined> {
    return this.database.transaction(async (client) => {
      await client.query('set local statement_timeout = 0');
      // The row lock that commits take too: a head that moves meanwhile, or a base in use, is never pulled away.
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

  /** Every cluster, each in a transaction of its own; reports those that lost something. */
  async pruneAll(limits: RetentionLimits): Promise<readonly RetentionReport[]> {
    const clusters = await this.database.query<{ id: string }>('select id from clusters order by id');
    const reports: RetentionReport[] = [];
    for (const { id } of clusters) {
      const report = await this.prune(Number(id), limits);
      if (report !== undefined && report.revisions > 0) reports.push(report);
    }
    return reports;
  }
}

type Remove = (client: ClientBase, rows: string, values: readonly number[]) => Promise<number>;

const deleteOf: Remove = async (client, rows, values) =>
  (await client.query(`delete from ${rows}`, [...values])).rowCount ?? 0;

const countOf: Remove = async (client, rows, values) => {
  const result = await client.query<{ count: number }>(`select count(*)::integer as count from ${rows}`, [...values]);
  return result.rows[0]!.count;
};
