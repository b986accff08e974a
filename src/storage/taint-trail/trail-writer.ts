import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { CanonicalJsonError } from '../../core/audit/canonical-json.js';
import { cleanValue } from '../../core/audit/clean-text.js';
import { type ChainedRecord, GENESIS_HASH, recordText } from '../../core/audit/hash-chain.js';
import { type TrailCluster, type TrailDraft, type WrittenIndex, writtenIndex } from '../../core/audit/trail-record.js';
import { defined } from '../../core/collections/defined.js';

/** The number of records per statement. */
const BATCH = 250;

export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/**
 * Appends records to a cluster's chain. The caller's transaction must have locked the cluster's row, because two concurrent
 * writers would fork the chain.
 *
 * `content` is the canonical JSON that the record's hash covers, with `sequence` and `previousHash` as members, so that anyone
 * can verify it without this program. It also contains the values of the columns, under `index`.
 *
 * @returns the number of the first added record
 */
export async function appendToTrail(
  client: ClientBase,
  cluster: TrailCluster,
  drafts: readonly TrailDraft[],
  { recordedAt, revision }: { readonly recordedAt: Date; readonly revision?: number },
): Promise<number> {
  const head = await trailHead(client, cluster.id);
  let { sequence, hash: previousHash } = head;
  const envelope = { cluster, recordedAt: recordedAt.toISOString(), ...defined({ revision }) };
  for (let start = 0; start < drafts.length; start += BATCH) {
    const rows = drafts.slice(start, start + BATCH).map(({ kind, supersedes, body, index }) => {
      sequence += 1;
      const searched = cleanValue(writtenIndex(index)) as WrittenIndex;
      const record = { ...body, ...envelope, kind, index: searched, ...defined({ supersedes }) };
      const content = cleanRecordText({ sequence, previousHash, content: record });
      const own = sha256(content);
      const row = {
        sequence,
        kind,
        node: searched.node ?? null,
        changeId: searched.change ?? null,
        happenedFrom: searched.from ?? null,
        happenedAt: searched.at,
        author: searched.author ?? null,
        channel: searched.channel ?? null,
        keys: searched.keys,
        effects: searched.effects,
        hash: own,
        content,
      };
      previousHash = own;
      return row;
    });
    await client.query(
      `insert into taint_trail (cluster_id, cluster_name, recorded_at, revision, sequence, kind, node, change_id,
                                happened_from, happened_at, author, channel, taint_keys, effects, hash, content)
       select $1, $2, $3, $4, sequence, kind, node, "changeId", "happenedFrom", "happenedAt", author, channel, keys,
              effects, hash, content
       from json_to_recordset($5) as r (sequence bigint, kind text, node text, "changeId" uuid,
         "happenedFrom" timestamptz, "happenedAt" timestamptz, author text, channel text, keys text[], effects text[],
         hash text, content text)`,
      [cluster.id, cluster.name, recordedAt, revision ?? null, JSON.stringify(rows)],
    );
  }
  await noteSuperseded(client, cluster.id, head.sequence, drafts);
  return head.sequence + 1;
}

/** The record as text. Replaces foreign text that has no canonical form, which hardly any record contains. */
function cleanRecordText(record: Omit<ChainedRecord, 'hash'>): string {
  try {
    return recordText(record);
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error;
    return recordText({ ...record, content: cleanValue(record.content) as Record<string, unknown> });
  }
}

/** The last record of a cluster's chain; the genesis if there is none. */
export async function trailHead(
  client: ClientBase,
  clusterId: number,
): Promise<{ readonly sequence: number; readonly hash: string }> {
  const { rows } = await client.query<{ sequence: string; hash: string }>(
    'select sequence, hash from taint_trail where cluster_id = $1 order by sequence desc limit 1',
    [clusterId],
  );
  const [row] = rows;
  return row === undefined ? { sequence: 0, hash: GENESIS_HASH } : { sequence: Number(row.sequence), hash: row.hash };
}

async function noteSuperseded(
  client: ClientBase,
  clusterId: number,
  before: number,
  drafts: readonly TrailDraft[],
): Promise<void> {
  const pairs = drafts.flatMap(({ supersedes = [] }, index) =>
    supersedes.map((former) => ({ former, by: before + 1 + index })),
  );
  if (pairs.length === 0) return;
  await client.query(
    `insert into taint_trail_superseded (cluster_id, sequence, by_sequence)
     select $1, former, by from unnest($2::bigint[], $3::bigint[]) as p (former, by)
     on conflict do nothing`,
    [clusterId, pairs.map(({ former }) => former), pairs.map(({ by }) => by)],
  );
}
