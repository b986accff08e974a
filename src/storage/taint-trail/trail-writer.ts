import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { CanonicalJsonError } from '../../core/audit/canonical-json.js';
import { cleanValue } from '../../core/audit/clean-text.js';
import { type ChainedRecord, GENESIS_HASH, recordText } from '../../core/audit/hash-chain.js';
import { type TrailCluster, type TrailDraft, type WrittenIndex, writtenIndex } from '../../core/audit/trail-record.js';
import { defined } from '../../core/collections/defined.js';
import { Slices } from '../../event-loop/slices.js';
import { textArray } from '../binary-array.js';
import { WriteStatement } from '../write-statement.js';

/** The number of records per statement. */
const BATCH = 250;

export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** The end of a cluster's chain. */
export interface TrailHead {
  readonly sequence: number;
  readonly hash: string;
}

interface RecordingTime {
  readonly recordedAt: Date;
  readonly revision?: number;
}

/**
 * Appends records to a cluster's chain. The caller's transaction must have locked the cluster's row, because two concurrent
 * writers would fork the chain.
 *
 * @returns the number of the first added record
 */
export async function appendToTrail(
  client: ClientBase,
  cluster: TrailCluster,
  drafts: readonly TrailDraft[],
  time: RecordingTime,
): Promise<number> {
  const head = await trailHead(client, cluster.id);
  const write = new WriteStatement();
  await addToTrail(client, write, { cluster, head, drafts, ...time });
  await write.run(client);
  return head.sequence + 1;
}

/**
 * Adds the same to other writes. If there are many records, most of them are sent at once.
 *
 * `content` is the canonical JSON that the record's hash covers, with `sequence` and `previousHash` as members, so that anyone
 * can verify it without this program. It also contains the values of the columns, under `index`.
 */
export async function addToTrail(
  client: ClientBase,
  write: WriteStatement,
  {
    cluster,
    head,
    drafts,
    recordedAt,
    revision,
  }: RecordingTime & {
    readonly cluster: TrailCluster;
    readonly head: TrailHead;
    readonly drafts: readonly TrailDraft[];
  },
): Promise<void> {
  let { sequence, hash: previousHash } = head;
  const envelope = { cluster, recordedAt: recordedAt.toISOString(), ...defined({ revision }) };
  // Postgres writes one batch while the next one is hashed.
  let sending: Promise<unknown> = Promise.resolve();
  const slices = new Slices();
  for (let start = 0; start < drafts.length; start += BATCH) {
    const contents: string[] = [];
    const rows = await slices.map(drafts.slice(start, start + BATCH), ({ kind, supersedes, body, index }) => {
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
      };
      contents.push(content);
      previousHash = own;
      return row;
    });
    if (start > 0) {
      await sending;
      sending = write.run(client);
      // Awaited above and below; until then it may fail while records are hashed.
      sending.catch(() => undefined);
    }
    write.add(
      'recorded',
      `insert into taint_trail (cluster_id, cluster_name, recorded_at, revision, sequence, kind, node, change_id,
                                happened_from, happened_at, author, channel, taint_keys, effects, hash, content)
       select c.id, ${write.value(cluster.name, 'text')},
              ${write.value(recordedAt, 'timestamptz')}, ${write.value(revision ?? null, 'integer')},
              sequence, kind, node, "changeId", "happenedFrom", "happenedAt", author, channel, keys, effects, hash, content
       from clusters c cross join rows from (
         json_to_recordset(${write.value(JSON.stringify(rows), 'json')}) as (sequence bigint, kind text, node text,
           "changeId" uuid, "happenedFrom" timestamptz, "happenedAt" timestamptz, author text, channel text, keys text[],
           effects text[], hash text),
         unnest(${write.value(textArray(contents), 'text[]')})
       ) as r (sequence, kind, node, "changeId", "happenedFrom", "happenedAt", author, channel, keys, effects, hash, content)
       where c.id = ${write.value(cluster.id, 'bigint')}`,
    );
  }
  await sending;
  addSuperseded(write, cluster.id, head.sequence, drafts);
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
export async function trailHead(client: ClientBase, clusterId: number): Promise<TrailHead> {
  const { rows } = await client.query<{ sequence: string; hash: string }>({
    name: 'trail-head',
    text: 'select sequence, hash from taint_trail where cluster_id = $1 order by sequence desc limit 1',
    values: [clusterId],
  });
  const [row] = rows;
  return row === undefined ? { sequence: 0, hash: GENESIS_HASH } : { sequence: Number(row.sequence), hash: row.hash };
}

function addSuperseded(write: WriteStatement, clusterId: number, before: number, drafts: readonly TrailDraft[]): void {
  const pairs = drafts.flatMap(({ supersedes = [] }, index) =>
    supersedes.map((former) => ({ former, by: before + 1 + index })),
  );
  if (pairs.length === 0) return;
  const columns = [pairs.map(({ former }) => former), pairs.map(({ by }) => by)];
  write.add(
    'superseded',
    `insert into taint_trail_superseded (cluster_id, sequence, by_sequence)
     select c.id, former, by
     from clusters c
     cross join unnest(${columns.map((column) => write.value(column, 'bigint[]')).join(', ')}) as p (former, by)
     where c.id = ${write.value(clusterId, 'bigint')}
     on conflict do nothing`,
  );
}
