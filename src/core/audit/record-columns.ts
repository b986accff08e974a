import type { ChangeChannel } from './attributed-change.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type { TrailContent } from './trail-record.js';

/** The database columns of a record, used for searching. Times are RFC 3339 in UTC, with microseconds. */
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
  readonly channel: ChangeChannel | null;
  readonly taintKeys: readonly string[];
  readonly effects: readonly string[];
}

/** A column that differs from the content, so that searches would be wrong. */
export interface WrongColumn {
  readonly column: keyof RecordColumns;
  readonly expected: string;
  readonly found: string;
}

/** The first column that differs from the content. */
export function wrongColumn(content: TrailContent, columns: RecordColumns): WrongColumn | undefined {
  for (const [column, said] of SAID) {
    const [expected, found] = [said(content) ?? null, columns[column]];
    if (!(TIMES.has(column) ? isSameTime(expected, found) : isSame(expected, found))) {
      return { column, expected: JSON.stringify(expected), found: JSON.stringify(found) };
    }
  }
  return undefined;
}

/** The column values of a content. A forged record may lack any of them. */
const SAID: readonly (readonly [column: keyof RecordColumns, said: (content: Partial<TrailContent>) => unknown])[] = [
  ['clusterId', ({ cluster }) => cluster?.id],
  ['clusterName', ({ cluster }) => cluster?.name],
  ['sequence', ({ sequence }) => sequence],
  ['recordedAt', ({ recordedAt }) => recordedAt],
  ['revision', ({ revision }) => revision],
  ['kind', ({ kind }) => kind],
  ['node', ({ index }) => index?.node],
  ['changeId', ({ index }) => index?.change],
  ['happenedFrom', ({ index }) => index?.from],
  ['happenedAt', ({ index }) => index?.at],
  ['author', ({ index }) => index?.author],
  ['channel', ({ index }) => index?.channel],
  ['taintKeys', ({ index }) => index?.keys],
  ['effects', ({ index }) => index?.effects],
];

function isSame(expected: unknown, found: unknown): boolean {
  if (!Array.isArray(expected) || !Array.isArray(found)) return expected === found;
  return expected.length === found.length && expected.every((item, place) => item === found[place]);
}

const TIMES: ReadonlySet<keyof RecordColumns> = new Set(['recordedAt', 'happenedFrom', 'happenedAt']);

/** Times have several notations, and Postgres rounds to microseconds. */
function isSameTime(expected: unknown, found: unknown): boolean {
  if (typeof expected !== 'string' || typeof found !== 'string') return expected === found;
  // The service's own notation, with milliseconds.
  if (expected.length === 24 && found === `${expected.slice(0, 23)}000Z`) return true;
  const [one, other] = [microsecondsOf(expected), microsecondsOf(found)];
  return one !== undefined && other !== undefined && Math.abs(one - other) <= 1;
}
