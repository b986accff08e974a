import type { ClientBase } from 'pg';
import { Database } from './database.js';
import { notifyHead } from './head-notifications.js';
import { lockCluster } from './lock-cluster.js';
import { keepTrail } from './taint-trail/trail-keeper.js';

/** The maximum number of revisions to name. */
const NAMED = 100;

export interface CaptureTimeCorrection {
  /** The current time: later capture times are impossible. */
  readonly now: Date;
  readonly author: string | null;
  /** The reason that the requester gives. */
  readonly reason: string;
}

export interface CorrectedRevision {
  readonly revision: number;
  /** The capture time before the correction. */
  readonly capturedAt: Date;
}

export interface CorrectedCaptureTimes {
  /** The current head: the former one restated with the current time, or the same head if nothing had to be corrected. */
  readonly head: number;
  readonly count: number;
  /** The oldest corrected revisions. */
  readonly first: readonly CorrectedRevision[];
}

/**
 * Corrects revisions whose capture time is in the future because a clock was ahead. They would cause every later snapshot to
 * be rejected as older than the head.
 *
 * Their states and order are correct; only their times are wrong, and the right times are unknown. They get the latest
 * possible time, now. The former head is restated as a new revision, with the author, the reason and the former times. As
 * usual, the audit trail is only appended to: new records supersede those with wrong times.
 */
export class CaptureTimes {
  constructor(private readonly database: Database) {}

  /** @throws {ClusterNotFound} */
  async correct(clusterId: number, correction: CaptureTimeCorrection): Promise<CorrectedCaptureTimes> {
    const { now } = correction;
    return this.database.transaction(async (client) => {
      await client.query("set local statement_timeout = '10min'");
      const { name, head } = await lockCluster(client, clusterId);
      const { rows: ahead } = await client.query<CorrectedRevision>(
        `select number as revision, captured_at as "capturedAt" from revisions
         where cluster_id = $1 and captured_at > $2 order by number`,
        [clusterId, now],
      );
      if (ahead.length === 0) return { head, count: 0, first: [] };
      const nodes = await bringBack(client, clusterId, now);
      const revision = head + 1;
      await restate(client, clusterId, head, correction, ahead);
      await keepTrail(client, { id: clusterId, name }, nodes, { recordedAt: now, revision });
      await client.query('update clusters set head_revision = $2 where id = $1', [clusterId, revision]);
      await notifyHead(client, clusterId, revision);
      return { head: revision, count: ahead.length, first: ahead.slice(0, NAMED) };
    });
  }
}

/** Corrects everything with a time in the future. @returns the nodes whose evidence was corrected */
async function bringBack(client: ClientBase, clusterId: number, now: Date): Promise<readonly string[]> {
  const values = [clusterId, now];
  const run = (sql: string) => client.query<{ node: string }>(sql, values);
  await run('update revisions set captured_at = $2 where cluster_id = $1 and captured_at > $2');
  await run('update revisions set received_at = $2 where cluster_id = $1 and received_at > $2');
  // A change keeps the time in its record; the time of its revision, corrected above, takes precedence.
  const made = await run('select node from node_intents where cluster_id = $1 and made_at > $2');
  for (const table of ['node_sightings', 'device_taint_rule_sightings']) {
    await run(`update ${table} set captured_at = $2 where cluster_id = $1 and captured_at > $2`);
  }
  const seen = await run(
    'update node_observations set captured_at = $2 where cluster_id = $1 and captured_at > $2 returning node',
  );
  return [...new Set([...made.rows, ...seen.rows].map(({ node }) => node))].sort();
}

/** Restates the former head as a new revision, with the current time, the author, and the reason in its source text. */
async function restate(
  client: ClientBase,
  clusterId: number,
  head: number,
  { now, author, reason }: CaptureTimeCorrection,
  ahead: readonly CorrectedRevision[],
): Promise<void> {
  const times = ahead.slice(0, NAMED).map(({ revision, capturedAt }) => `${revision}: ${capturedAt.toISOString()}`);
  const more = ahead.length > times.length ? ` and ${ahead.length - times.length} more` : '';
  const source = `capture times in the future corrected (${reason}); they were ${times.join(', ')}${more}`;
  await client.query(
    `insert into revisions (cluster_id, number, kind, captured_at, received_at, backfill, source, author, scope,
                            loaded_kinds, resource_versions, kubernetes_version, stats, findings, unconfirmed_nodes, counts)
     select cluster_id, $2 + 1, 'restatement', $3, $3, false, $4, $5, scope,
            loaded_kinds, resource_versions, kubernetes_version, stats, findings, unconfirmed_nodes, coalesce(
              (select jsonb_object_agg(kind, jsonb_build_object('added', 0, 'changed', 0, 'removed', 0, 'unchanged', count))
               from (select kind, count(*) as count from object_versions
                     where cluster_id = $1 and valid_to is null group by kind) k), '{}')
     from revisions where cluster_id = $1 and number = $2`,
    [clusterId, head, now, source, author],
  );
}
