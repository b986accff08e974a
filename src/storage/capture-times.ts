import type { ClientBase } from 'pg';
import { Database } from './database.js';
import { notifyHead } from './head-notifications.js';
import { ClusterNotFound } from './storage-error.js';
import { keepTrail } from './taint-trail/trail-keeper.js';

/** Revisions that are named. */
const NAMED = 100;

export interface CaptureTimeCorrection {
  /** The clock's time: what lies after it cannot have been captured. */
  readonly now: Date;
  readonly author: string | null;
  /** Why, in the words of whoever asks for it. */
  readonly reason: string;
}

export interface CorrectedRevision {
  readonly revision: number;
  /** As it was before. */
  readonly capturedAt: Date;
}

export interface CorrectedCaptureTimes {
  /** The head now: the former one, captured now; the same as before where nothing had to be corrected. */
  readonly head: number;
  readonly count: number;
  /** The oldest of those that were corrected. */
  readonly first: readonly CorrectedRevision[];
}

/**
 * Brings revisions back that a clock which was ahead has put into the future, where they would keep every later snapshot out.
 *
 * Their states are true, and their order; only their times are wrong, and the right ones are not known. They get the latest that
 * is possible, now. The former head is restated as a new revision, which says who did it, why, and what the times were. The audit
 * trail is added to as always: what its records said of the wrong times is superseded by new ones.
 */
export class CaptureTimes {
  constructor(private readonly database: Database) {}

  /** @throws {ClusterNotFound} */
  async correct(clusterId: number, correction: CaptureTimeCorrection): Promise<CorrectedCaptureTimes> {
    const { now } = correction;
    return this.database.transaction(async (client) => {
      await client.query("set local statement_timeout = '10min'");
      const cluster = await client.query<{ name: string; head: number }>(
        'select name, head_revision as head from clusters where id = $1 for update',
        [clusterId],
      );
      const [found] = cluster.rows;
      if (found === undefined) throw new ClusterNotFound(clusterId);
      const { name, head } = found;
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

/** Of everything that was timed by the wrong clock. @returns the nodes whose evidence was */
async function bringBack(client: ClientBase, clusterId: number, now: Date): Promise<readonly string[]> {
  const values = [clusterId, now];
  const run = (sql: string) => client.query<{ node: string }>(sql, values);
  await run('update revisions set captured_at = $2 where cluster_id = $1 and captured_at > $2');
  await run('update revisions set received_at = $2 where cluster_id = $1 and received_at > $2');
  // A change keeps the time that its record has; that of its revision, which was brought back above, counts in its place.
  const made = await run('select node from node_intents where cluster_id = $1 and made_at > $2');
  await run('update node_sightings set captured_at = $2 where cluster_id = $1 and captured_at > $2');
  const seen = await run(
    'update node_observations set captured_at = $2 where cluster_id = $1 and captured_at > $2 returning node',
  );
  return [...new Set([...made.rows, ...seen.rows].map(({ node }) => node))].sort();
}

/** The former head as a new revision: all its own but the number, the author, and the words for where it comes from. */
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
                            loaded_kinds, kubernetes_version, stats, findings, unconfirmed_nodes, counts)
     select cluster_id, $2 + 1, 'restatement', $3, $3, false, $4, $5, scope,
            loaded_kinds, kubernetes_version, stats, findings, unconfirmed_nodes, coalesce(
              (select jsonb_object_agg(kind, jsonb_build_object('added', 0, 'changed', 0, 'removed', 0, 'unchanged', count))
               from (select kind, count(*) as count from object_versions
                     where cluster_id = $1 and valid_to is null group by kind) k), '{}')
     from revisions where cluster_id = $1 and number = $2`,
    [clusterId, head, now, source, author],
  );
}
