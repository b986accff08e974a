import { randomInt } from 'node:crypto';
import type { ObjectRow } from '../core/cluster/object-row.js';
import type { JsonValue } from '../core/json/json-value.js';
import { Slices } from '../event-loop/slices.js';
import { IngestError } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS } from './ingest-limits.js';
import type { IngestReport } from './ingest-report.js';
import { checkRead } from './ingest-stream.js';
import { ItemReader } from './item-reader.js';
import { ReportBuilder } from './report-builder.js';

/** The most characters of one value and of all of them, about, that are read in this thread. */
const MOST_OF_ONE = 256 * 1024;
const MOST = 2 * 1024 * 1024;

/** Whether values are so short that reading them in this thread takes less time than sending them to another one. */
export function areShort(values: readonly JsonValue[]): boolean {
  let left = MOST;
  for (const value of values) {
    const rest = without(Math.min(left, MOST_OF_ONE), value);
    if (rest < 0) return false;
    left -= Math.min(left, MOST_OF_ONE) - rest;
  }
  return true;
}

/** A number of characters less those of a value; negative if there are more, or if a text can perhaps not be stored, which the reader of texts finds out. */
function without(characters: number, value: JsonValue): number {
  let left = characters - 1;
  if (typeof value === 'string') return isStorable(value) ? left - value.length : -1;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (const item of value) if ((left = without(left, item)) < 0) return left;
    return left;
  }
  for (const key of Object.keys(value)) {
    if (!isStorableKey(key)) return -1;
    left = without(left - key.length, value[key]!);
    if (left < 0) return left;
  }
  return left;
}

/** Characters of two units count as suspect, too: few texts have one. */
const SUSPECT = /[\u0000\ud800-\udfff]/;
const isStorable = (text: string): boolean => !SUSPECT.test(text);

/** Keys that can be stored: the same few come again and again, and looking one up takes a fraction of looking at its characters. */
const knownKeys = new Set<string>();
const MOST_KNOWN = 5_000;
const LONGEST_KNOWN = 64;

function isStorableKey(key: string): boolean {
  if (knownKeys.has(key)) return true;
  if (!isStorable(key)) return false;
  if (knownKeys.size < MOST_KNOWN && key.length <= LONGEST_KNOWN) knownKeys.add(key);
  return true;
}

/**
 * Reads values that are parsed already, as `readSnapshot` reads their text, but in this thread, in slices.
 * @throws {IngestError}
 */
export async function readValues(
  values: readonly JsonValue[],
  { invalid, signal }: { readonly invalid: 'refuse' | 'keep'; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly rows: readonly ObjectRow[]; readonly report: IngestReport }> {
  const report = new ReportBuilder(DEFAULT_INGEST_LIMITS, randomInt(2 ** 32));
  const reader = new ItemReader(report, DEFAULT_INGEST_LIMITS, invalid === 'keep');
  const slices = new Slices();
  const rows: ObjectRow[] = [];
  for (const value of values) {
    if (slices.due()) {
      await slices.pause();
      if (signal?.aborted === true)
        throw new IngestError('cancelled', 'the request was cancelled', {}, { cause: signal.reason });
    }
    for (const row of reader.readParsed(value)) rows.push(row);
  }
  checkRead(reader, report, invalid);
  return { rows, report: report.finish(0, 0) };
}
