import { CASE_COLUMNS, toCase, type CaseRow, type StoredCase } from './agreement-store.js';
import type { StoredTurn } from './expectation-store.js';
import type { ChangeChannel } from '../core/audit/attributed-change.js';
import type { JsonObject } from '../core/json/json-value.js';
import { Database } from './database.js';
import type { KindCounts, RevisionKind } from './revision.js';

/** A reader's position in the history of a cluster: a revision, a trail sequence number, a turn of an expectation, and a disagreement. */
export interface HistoryPlace {
  readonly revision: number;
  readonly sequence: number;
  /** 0 if absent. */
  readonly turn?: number;
  /** Number of a case in the ledger of predictions; 0 if absent. */
  readonly disagreement?: number;
}

/** The end of a cluster's history. */
export interface HistoryEnd extends HistoryPlace {
  /** The oldest stored revision; null if there is none. */
  readonly oldest: number | null;
}

/** The members of a revision that events need. */
export interface HistoryRevision {
  readonly revision: number;
  readonly kind: RevisionKind;
  /** RFC 3339. */
  readonly capturedAt: string;
  readonly receivedAt: string;
  readonly unconfirmedNodes: number;
  readonly counts: Readonly<Record<string, KindCounts>>;
}

/** The members of a trail record that events need. */
export interface HistoryRecord {
  readonly sequence: number;
  readonly revision: number | null;
  readonly kind: string;
  readonly channel: ChangeChannel | null;
  readonly change: string | null;
  readonly node: string | null;
  readonly author: string | null;
  readonly happenedFrom: string | null;
  readonly happenedAt: string;
  /** The record; null if events do not include its kind. */
  readonly content: string | null;
}

/** A part of the history, consistent at one moment. */
export interface HistoryPage {
  readonly revisions: readonly HistoryRevision[];
  readonly records: readonly HistoryRecord[];
  /** Turns of expectations; none if absent. */
  readonly turns?: readonly StoredTurn[];
  readonly moreTurns?: boolean;
  /** Predictions that disagree with what the cluster did; none if absent. */
  readonly disagreements?: readonly StoredCase[];
  readonly moreDisagreements?: boolean;
  /** Whether there are more revisions, or more records, than the limits. */
  readonly moreRevisions: boolean;
  readonly moreRecords: boolean;
}

/** The maximum number of turns on a page, and of disagreements. */
const TURNS = 200;

type TurnRow = Omit<StoredTurn, 'capturedAt' | 'cause'> & {
  readonly capturedAt: string;
  readonly cause: string | null;
};

/** The kinds of records that followers are told of. */
const TOLD = ['request', 'change', 'withdrawn'];

const utc = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const PAGE = `
  select c.id is not null as there,
    (select json_agg(r) from (
       select number as revision, kind, ${utc('captured_at')} as "capturedAt", ${utc('received_at')} as "receivedAt",
              unconfirmed_nodes as "unconfirmedNodes", counts
       from revisions where cluster_id = $1 and number > $2 order by number limit $4) r) as revisions,
    (select json_agg(t) from (
       select sequence, revision, kind, channel, change_id as change, node, author,
              ${utc('happened_from')} as "happenedFrom", ${utc('happened_at')} as "happenedAt",
              case when kind = any($6::text[]) then content end as content
       from taint_trail where cluster_id = $1 and sequence > $3 order by sequence limit $5) t) as records,
    (select json_agg(e) from (
       select turn, name, revision, captured_at as "capturedAt", former, verdict, reason, cause
       from expectation_turns where cluster_id = $1 and turn > $7 order by turn limit $8) e) as turns,
    (select json_agg(d) from (
       select ${CASE_COLUMNS} from agreement_cases
       where cluster_id = $1 and outcome = 'disagreed' and number > $9
       order by agreement_cases.number limit $8) d) as disagreements
  from (select $1::bigint as wanted) w left join clusters c on c.id = w.wanted`;

/**
 * The history of a cluster from any place on: its revisions and trail records, both of which only grow at the end, in
 * serialized transactions. One statement reads both, so that a page is consistent.
 */
export class ClusterHistory {
  constructor(private readonly database: Database) {}

  /** The current end of the history; undefined if the cluster no longer exists. */
  async end(clusterId: number): Promise<HistoryEnd | undefined> {
    const [row] = await this.database.query<HistoryEnd>(
      `select head_revision as revision,
              coalesce((select max(sequence) from taint_trail where cluster_id = $1), 0)::float8 as sequence,
              coalesce((select turns from expectation_progress where cluster_id = $1), 0)::float8 as turn,
              coalesce((select cases from agreement_progress where cluster_id = $1), 0)::float8 as disagreement,
              (select min(number) from revisions where cluster_id = $1) as oldest
       from clusters where id = $1`,
      [clusterId],
    );
    return row;
  }

  /** The sequence number of the last record up to this revision; 0 if there is none. */
  async sequenceAt(clusterId: number, revision: number): Promise<number> {
    const [row] = await this.database.query<{ sequence: number }>(
      `select sequence::float8 as sequence from taint_trail
       where cluster_id = $1 and revision <= $2 order by sequence desc limit 1`,
      [clusterId, revision],
    );
    return row?.sequence ?? 0;
  }

  /** The number of the last turn of an expectation up to this revision; 0 if there is none. */
  async turnAt(clusterId: number, revision: number): Promise<number> {
    const [row] = await this.database.query<{ turn: number }>(
      'select coalesce(max(turn), 0)::float8 as turn from expectation_turns where cluster_id = $1 and revision <= $2',
      [clusterId, revision],
    );
    return row?.turn ?? 0;
  }

  /** The number of the last disagreement up to this revision; 0 if there is none. */
  async disagreementAt(clusterId: number, revision: number): Promise<number> {
    const [row] = await this.database.query<{ last: number }>(
      'select coalesce(max(number), 0)::float8 as last from agreement_cases where cluster_id = $1 and revision <= $2',
      [clusterId, revision],
    );
    return row?.last ?? 0;
  }

  /**
   * The history after a place, oldest first; undefined if the cluster no longer exists.
   * @param limits the maximum numbers of revisions and records
   * @param moreKinds kinds of records to return with their content besides those that followers are told of
   */
  async page(
    clusterId: number,
    after: HistoryPlace,
    limits: { readonly revisions: number; readonly records: number },
    moreKinds: readonly string[] = [],
  ): Promise<HistoryPage | undefined> {
    const [row] = await this.database.query<
      { there: boolean } & Record<'revisions' | 'records' | 'turns' | 'disagreements', JsonObject[] | null>
    >(PAGE, [
      clusterId,
      after.revision,
      after.sequence,
      limits.revisions + 1,
      limits.records + 1,
      [...TOLD, ...moreKinds],
      after.turn ?? 0,
      TURNS + 1,
      after.disagreement ?? 0,
    ]);
    if (row?.there !== true) return undefined;
    const revisions = (row.revisions ?? []) as unknown as HistoryRevision[];
    const records = (row.records ?? []) as unknown as HistoryRecord[];
    const turns = ((row.turns ?? []) as unknown as TurnRow[]).map((turn) => ({
      ...turn,
      capturedAt: new Date(turn.capturedAt),
      cause: turn.cause === null ? null : (JSON.parse(turn.cause) as StoredTurn['cause']),
    }));
    const cases = ((row.disagreements ?? []) as unknown as CaseRow[]).map(toCase);
    return {
      disagreements: cases.slice(0, TURNS),
      moreDisagreements: cases.length > TURNS,
      turns: turns.slice(0, TURNS),
      moreTurns: turns.length > TURNS,
      revisions: revisions.slice(0, limits.revisions),
      records: records.slice(0, limits.records),
      moreRevisions: revisions.length > limits.revisions,
      moreRecords: records.length > limits.records,
    };
  }
}
