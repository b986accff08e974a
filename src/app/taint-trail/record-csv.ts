import type { StoredRecord } from '../../storage/taint-trail/trail-reader.js';
import { csvLine as lineOf, type Cell } from '../csv-line.js';
import { recordResponse, type RecordResponse } from './record-response.js';

/** The columns in order; docs/audit-trail.md describes them. */
const COLUMNS: readonly (readonly [name: string, cell: (record: RecordResponse, row: StoredRecord) => Cell])[] = [
  ['cluster', ({ cluster }) => cluster],
  ['clusterId', ({ clusterId }) => clusterId],
  ['sequence', ({ sequence }) => sequence],
  ['recordedAt', ({ recordedAt }) => recordedAt],
  ['kind', ({ kind }) => kind],
  ['happenedFrom', ({ when }) => (when.kind === 'point' ? when.at : when.from)],
  ['happenedAt', ({ when }) => (when.kind === 'point' ? when.at : when.to)],
  ['node', ({ node }) => node],
  ['summary', ({ summary }) => summary],
  ['author', ({ by }) => by?.username],
  ['impersonatedBy', ({ by }) => by?.impersonatedBy],
  ['onBehalfOf', ({ onBehalfOf }) => onBehalfOf],
  ['actor', ({ actor }) => actor?.class],
  ['channel', ({ channel }) => channel],
  ['basis', ({ basis }) => basis],
  ['certainty', ({ certainty }) => certainty],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason],
  ['link', ({ link }) => link],
  ['change', ({ change }) => change],
  ['revision', ({ revision }) => revision],
  ['taintKeys', (_, { taintKeys }) => taintKeys.join(' ')],
  ['effects', (_, { effects }) => effects.join(' ')],
  ['supersedes', ({ supersedes }) => supersedes.join(' ')],
  ['supersededBy', ({ supersededBy }) => supersededBy],
  ['previousHash', ({ previousHash }) => previousHash],
  ['hash', ({ hash }) => hash],
  ['deviceTaintRule', ({ deviceTaintRule }) => deviceTaintRule],
];

export function csvHeader(): string {
  return lineOf(COLUMNS.map(([name]) => name));
}

/** A record as a line of CSV (RFC 4180). */
export function csvLine(row: StoredRecord): string {
  const record = recordResponse(row);
  return lineOf(COLUMNS.map(([, cell]) => cell(record, row)));
}
