import { microsecondsOf } from './moment.js';
import type { TrailContent } from './trail-record.js';

/** What the database has beside the content of a record, to search by it. Times with microseconds, RFC 3339. */
export interface RecordColumns {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly sequence: number;
  readonly recordedAt: string;
  readonly revision: number | null;
  readonly kind: string;
  readonly node: string | null;
  readonly changeId: string | null;
  readonly happenedFrom: string | null;
  readonly happenedAt: string;
  readonly author: string | null;
  readonly channel: string | null;
  readonly taintKeys: readonly string[];
  readonly effects: readonly string[];
}

/** A column that does not say what the content says: whoever searches would be led astray. */
export interface WrongColumn {
  readonly column: keyof RecordColumns;
  readonly expected: string;
  readonly found: string;
}

/** The first column that does not repeat what the content says. */
export function wrongColumn(content: TrailContent, columns: RecordColumns): WrongColumn | undefined {
  // A record that somebody made up may lack either.
  const { cluster = NOTHING, index = NOTHING } = content as Partial<TrailContent>;
  const said: Readonly<Record<keyof RecordColumns, unknown>> = {
    clusterId: cluster.id,
    clusterName: cluster.name,
    sequence: content.sequence,
    recordedAt: content.recordedAt,
    revision: content.revision ?? null,
    kind: content.kind,
    node: index.node ?? null,
    changeId: index.change ?? null,
    happenedFrom: index.from ?? null,
    happenedAt: index.at,
    author: index.author ?? null,
    channel: index.channel ?? null,
    taintKeys: index.keys,
    effects: index.effects,
  };
  for (const column of Object.keys(said) as (keyof RecordColumns)[]) {
    const [expected, found] = [said[column], columns[column]];
    const same = TIMES.has(column) ? isSameTime(expected, found) : JSON.stringify(expected) === JSON.stringify(found);
    if (!same) return { column, expected: JSON.stringify(expected ?? null), found: JSON.stringify(found) };
  }
  return undefined;
}

const NOTHING: Partial<TrailContent['cluster'] & TrailContent['index']> = {};

const TIMES: ReadonlySet<keyof RecordColumns> = new Set(['recordedAt', 'happenedFrom', 'happenedAt']);

/** Postgres rounds to microseconds, where a text may say more. */
function isSameTime(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  const [one, other] = [microsecondsOf(a), microsecondsOf(b)];
  return one !== undefined && other !== undefined && Math.abs(one - other) <= 1;
}
