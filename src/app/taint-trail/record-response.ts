import type { ChangeChannel } from '../../core/audit/attributed-change.js';
import type { Actor } from '../../core/audit/actor.js';
import type { Author, When } from '../../core/audit/attributed-change.js';
import { summarizeRecord } from '../../core/audit/summarize-record.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { bodyOf, type TrailContent, type TrailRecordKind } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { StoredRecord } from '../../storage/taint-trail/trail-reader.js';

/** Who is named by a record. */
export interface AuthorResponse extends Author {
  /** How this service knew the caller, for what was asked for here. */
  readonly kind?: string;
}

/** A record of the trail, with what most readers want at hand. */
export interface RecordResponse {
  readonly cluster: string;
  readonly clusterId: number;
  readonly sequence: number;
  readonly recordedAt: string;
  readonly revision: number | null;
  readonly kind: TrailRecordKind;
  readonly summary: string;
  readonly node: string | null;
  readonly change: string | null;
  readonly when: When;
  readonly channel: ChangeChannel | null;
  readonly by: AuthorResponse | null;
  readonly onBehalfOf: string | null;
  readonly actor: Actor | null;
  readonly basis: string | null;
  readonly certainty: string | null;
  /** What became of it: of an intent, an attempt or a write. */
  readonly status: string | null;
  readonly reason: string | null;
  readonly link: string | null;
  readonly difference: TaintDifference | null;
  readonly labels: LabelDifference | null;
  readonly supersedes: readonly number[];
  readonly supersededBy: number | null;
  readonly previousHash: string | null;
  readonly hash: string;
  /** What the record says beyond what every record carries. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A record, and the text that its hash is of. */
export interface WrittenRecord {
  readonly record: RecordResponse;
  readonly canonical: string;
}

export function writtenRecord(row: StoredRecord): WrittenRecord {
  return { record: recordResponse(row), canonical: row.content };
}

export function recordResponse(row: StoredRecord): RecordResponse {
  const kind = row.kind as TrailRecordKind;
  const columns = {
    cluster: row.clusterName,
    clusterId: row.clusterId,
    sequence: row.sequence,
    revision: row.revision,
    kind,
    node: row.node,
    change: row.changeId,
    channel: row.channel,
    supersededBy: row.supersededBy,
    hash: row.hash,
  };
  try {
    return { ...columns, ...read(kind, row) };
  } catch {
    // Whatever was done to one record, the others are still to be seen.
    return {
      ...columns,
      ...UNREADABLE,
      body: { kind },
      recordedAt: row.recordedAt,
      when: { kind: 'point', at: row.happenedAt },
    };
  }
}

/** Whether a record makes sense; what was tampered with may not. */
export function isReadable({ previousHash }: RecordResponse): boolean {
  return previousHash !== null;
}

/** A record as its own text says it. @throws where that was tampered with so that it makes no sense */
export function contentOf({ content }: Pick<StoredRecord, 'content'>): TrailContent {
  return parseJson(content) as unknown as TrailContent;
}

function read(kind: TrailRecordKind, row: StoredRecord) {
  const content = contentOf(row);
  const body = bodyOf(content);
  const { by, onBehalfOf, actor, basis, certainty, when, reason, link, difference, labels } =
    body as Partial<RecordResponse>;
  const { status, outcome, seen } = body as Partial<Record<string, string>>;
  return {
    recordedAt: content.recordedAt,
    summary: summarizeRecord(kind, body),
    when: when ?? ({ kind: 'point', at: content.index.at } as const),
    by: by ?? null,
    onBehalfOf: onBehalfOf ?? null,
    actor: actor ?? null,
    basis: basis ?? null,
    certainty: certainty ?? null,
    status: status ?? outcome ?? seen ?? null,
    reason: reason ?? null,
    link: link ?? null,
    difference: difference ?? null,
    labels: labels ?? null,
    supersedes: content.supersedes ?? [],
    previousHash: content.previousHash,
    // The form of what was written, whatever became of the column.
    body: { kind: content.kind, ...body },
  };
}

const UNREADABLE = {
  summary: 'cannot be read: it was tampered with, see what verify says',
  by: null,
  onBehalfOf: null,
  actor: null,
  basis: null,
  certainty: null,
  status: null,
  reason: null,
  link: null,
  difference: null,
  labels: null,
  supersedes: [],
  previousHash: null,
} as const;
