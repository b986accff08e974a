import type { StoredChange, StoredIntentRow } from '../../core/audit/stored-change.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { Database } from '../database.js';
import { isJsonObject } from '../../core/json/json-value.js';

/** The stored form of a change and the content of its record; null if there is no such record. */
interface Recorded<Stored> {
  readonly stored: Stored;
  readonly content: Readonly<Record<string, unknown>> | null;
}

/** The number of rows to read per statement: those of changes are large. */
const BATCH = 50;

const utc = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Pairs changes made through this service with their records in the trail, to compare them. */
export class RecordedChanges {
  constructor(private readonly database: Database) {}

  /** All stored changes, in the order of their records, in batches. */
  async *changes(clusterId: number): AsyncGenerator<readonly Recorded<StoredChange>[], void, undefined> {
    for (let after = 0; ;) {
      const rows = await this.database.query<
        Omit<StoredChange, 'details'> & { details: string; content: string | null }
      >(
        `select c.id, c.sequence::float8 as sequence, c.action, ${utc('c.made_at')} as "madeAt", c.author, c.undoes,
                c.undone_by as "undoneBy",
                (select u.id from taint_changes u where u.cluster_id = $1 and u.undoes = c.id
                 order by u.sequence limit 1) as undoing,
                ${utc('c.expires_at')} as "expiresAt", c.details, t.content
         from taint_changes c left join taint_trail t on t.cluster_id = c.cluster_id and t.sequence = c.sequence
         where c.cluster_id = $1 and c.sequence > $2 order by c.sequence limit ${BATCH}`,
        [clusterId, after],
      );
      yield rows.map(({ content, details, ...change }) => ({
        stored: { ...change, details: objectIn(details) ?? {} },
        content: objectIn(content),
      }));
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }

  /** The same for changes of single nodes. */
  async *intents(clusterId: number): AsyncGenerator<readonly Recorded<StoredIntentRow>[], void, undefined> {
    let after = { id: '00000000-0000-0000-0000-000000000000', node: '' };
    for (;;) {
      const rows = await this.database.query<
        Omit<StoredIntentRow, 'difference' | 'labels'> & {
          difference: string;
          labels: string | null;
          content: string | null;
        }
      >(
        `select i.change_id as id, i.node, i.sequence::float8 as sequence, ${utc('i.made_at')} as "madeAt", i.author,
                i.difference, i.labels, t.content
         from node_intents i left join taint_trail t on t.cluster_id = i.cluster_id and t.sequence = i.sequence
         where i.cluster_id = $1 and (i.change_id, i.node) > ($2::uuid, $3::text)
         order by i.change_id, i.node limit ${BATCH}`,
        [clusterId, after.id, after.node],
      );
      yield rows.map(({ content, difference, labels, ...intent }) => ({
        stored: { ...intent, difference: objectIn(difference), labels: objectIn(labels) },
        content: objectIn(content),
      }));
      if (rows.length < BATCH) return;
      after = rows.at(-1)!;
    }
  }

  /**
   * The first record of a change that is not stored, or not for this node. Only for existing clusters, because changes are
   * deleted with their cluster.
   */
  async missing(clusterId: number): Promise<{ readonly sequence: number; readonly id: string } | undefined> {
    const [row] = await this.database.query<{ sequence: number; id: string }>(
      `select t.sequence::float8 as sequence, t.change_id as id from taint_trail t
       where t.cluster_id = $1 and t.change_id is not null and t.kind in ('request', 'change')
         and exists (select from clusters where id = $1)
         and (not exists (select from taint_changes c where c.cluster_id = $1 and c.id = t.change_id)
              or t.kind = 'change' and not exists (
                select from node_intents i where i.cluster_id = $1 and i.node = t.node and i.change_id = t.change_id))
       order by t.sequence limit 1`,
      [clusterId],
    );
    return row;
  }
}

/** Parses a text; null if it is not the JSON of an object, because it was tampered with. */
function objectIn(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = text === null ? null : parseJson(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
