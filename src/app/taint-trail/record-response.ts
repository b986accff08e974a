import { NOTHING } from '../../core/collections/nothing.js';
import type { ChangeChannel } from '../../core/audit/attributed-change.js';
import type { Actor } from '../../core/audit/actor.js';
import type {
  AttributionBasis,
  AttributionCertainty,
  Author,
  IntentOutcome,
  TaintAttempt,
  UnprovenWrite,
  When,
} from '../../core/audit/attributed-change.js';
import type { AppliedRecord } from '../../core/audit/application-record.js';
import { subjectOf } from '../../core/audit/rule-subject.js';
import { summarizeRecord } from '../../core/audit/summarize-record.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { bodyOf, type TrailContent, type TrailRecordKind } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { Response } from '../../contract/schema.js';
import type { trailRecordContent } from '../../contract/taint-trail/trail-record-content.js';
import { recordBodyResponse } from './record-body-response.js';
import type { ChangeAuthor } from '../taint-changes/change-details.js';
import type { StoredRecord } from '../../storage/taint-trail/trail-reader.js';

type RecordStatus =
  IntentOutcome['status'] | TaintAttempt['outcome'] | UnprovenWrite['seen'] | AppliedRecord['outcome'];

/** The author in a record. */
export interface AuthorResponse extends Author {
  /** How this service authenticated the author, for requests to it. */
  readonly kind?: ChangeAuthor['kind'];
}

/** A record of the trail, with the most important content at the top level. */
export interface RecordResponse {
  readonly cluster: string;
  readonly clusterId: number;
  readonly sequence: number;
  readonly recordedAt: string;
  readonly revision: number | null;
  readonly kind: TrailRecordKind;
  readonly summary: string;
  readonly node: string | null;
  readonly deviceTaintRule: string | null;
  readonly change: string | null;
  readonly when: When;
  readonly channel: ChangeChannel | null;
  readonly by: AuthorResponse | null;
  readonly onBehalfOf: string | null;
  readonly actor: Actor | null;
  readonly basis: AttributionBasis | null;
  readonly certainty: AttributionCertainty | null;
  /** Status of an intent, an attempt or a write. */
  readonly status: RecordStatus | null;
  readonly reason: string | null;
  readonly link: string | null;
  readonly difference: TaintDifference | null;
  readonly labels: LabelDifference | null;
  readonly supersedes: readonly number[];
  readonly supersededBy: number | null;
  readonly previousHash: string | null;
  readonly hash: string;
  /** What the record says beyond what every record carries, as it was written. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The same, as it is answered. */
  readonly content: Response<typeof trailRecordContent>;
}

/** A record, and the text that was hashed. */
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
    ...subjectOf(row.node),
    change: row.changeId,
    channel: row.channel,
    supersededBy: row.supersededBy,
    hash: row.hash,
  };
  try {
    return { ...NOTHING, ...columns, ...read(kind, row) };
  } catch {
    // A tampered record must not hide the others.
    return {
      ...columns,
      ...UNREADABLE,
      body: { kind },
      content: { kind },
      recordedAt: row.recordedAt,
      when: { kind: 'point', at: row.happenedAt },
    };
  }
}

/** Whether a record is valid; a record that was tampered with may not be. */
export function isReadable({ previousHash }: RecordResponse): boolean {
  return previousHash !== null;
}

/** Parses the text of a record. @throws if it was tampered with and is invalid */
export function contentOf({ content }: Pick<StoredRecord, 'content'>): TrailContent {
  return parseJson(content) as unknown as TrailContent;
}

function read(kind: TrailRecordKind, row: StoredRecord) {
  const content = contentOf(row);
  // The format in which it was written, whatever happened to the column.
  const body: Readonly<Record<string, unknown>> = { kind: content.kind, ...bodyOf(content) };
  const { by, onBehalfOf, actor, basis, certainty, when, reason, link, difference, labels } =
    body as Partial<RecordResponse>;
  const { status, outcome, seen } = body as Partial<Record<string, RecordStatus>>;
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
    body,
    content: recordBodyResponse(body),
  };
}

const UNREADABLE = {
  summary: 'cannot be read: it was tampered with; verify the trail for details',
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
