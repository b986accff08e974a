import type { AgreementOutcome, AgreementRule, Difference, UnknownCode } from '../core/agreement/judgement.js';
import { batchedOfClusters, FOR_EACH_HEAD } from './batched.js';
import { Database } from './database.js';
import { notifyTrail } from './head-notifications.js';
import { leasesIn, type LeasesOfClusters, type ProgressTable } from './leases-of-clusters.js';
import { ofClusters } from './of-clusters.js';
import { CONSISTENT } from './read-revision.js';

/** How often predictions of one rule agreed, for one scheduler on one day. */
export interface AgreementCount {
  /** As `2026-05-04`, in UTC. */
  readonly day: string;
  readonly scheduler: string;
  readonly rule: AgreementRule;
  readonly agreed: number;
  readonly disagreed: number;
  readonly unknown: number;
}

/** A prediction that does not agree, or of which that is not known. */
export interface NewCase {
  readonly rule: AgreementRule;
  readonly outcome: Exclude<AgreementOutcome, 'agreed'>;
  readonly because: UnknownCode | null;
  readonly scheduler: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly capturedAt: Date;
  /** The difference as a sentence. */
  readonly words: string;
  readonly difference: Difference | null;
  /** As the conformance runner takes it; null if there is none. */
  readonly reproduction: string | null;
}

export interface StoredCase extends Omit<NewCase, 'reproduction'> {
  /** Numbered from 1 in each cluster. */
  readonly number: number;
  readonly hasCase: boolean;
}

/** As the database gives it; times are texts where they come as JSON. */
export interface CaseRow extends Omit<StoredCase, 'difference' | 'capturedAt'> {
  readonly capturedAt: Date | string;
  readonly difference: string | null;
}

export interface CaseFilter {
  readonly outcome: NewCase['outcome'];
  readonly rule?: AgreementRule;
  readonly scheduler?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** Only cases with a lower number. */
  readonly before?: number;
  readonly limit: number;
}

const PROGRESS: ProgressTable = { name: 'agreement_progress', beginning: { revision: '0', cases: '0' } };

/** The last so many cases are kept, of each cluster, rule and outcome. */
const KEPT = { disagreed: 200, unknown: 50 } as const;
/** Counts of so many days are kept, and of so many schedulers each. */
const KEPT_DAYS = 400;
const MOST_SCHEDULERS = 20;
/** Under which the others are counted. */
export const OTHER_SCHEDULERS = '(others)';

/** Of table `agreement_cases`, as a CaseRow. */
export const CASE_COLUMNS = `number::float8 as number, rule, outcome, because, scheduler, namespace, name, revision,
  captured_at as "capturedAt", words, difference, reproduction is not null as "hasCase"`;

/** Days; without an end, up to now. */
interface Period {
  readonly since?: Date;
  readonly until?: Date;
}

/** How far the comparing is, 0 if none was done, beside the head, 0 if there is none. */
export interface AgreementStanding {
  readonly compared: number;
  readonly head: number;
}

export interface AgreementReport {
  /** As `AgreementStore.progress`. */
  readonly progress: number | undefined;
  readonly counts: readonly AgreementCount[];
  readonly disagreements: readonly StoredCase[];
  readonly unknowns: readonly StoredCase[];
}

/** Sends a statement. */
type Ask = <Row>(sql: string, values: readonly unknown[]) => Promise<Row[]>;

/** The ledger of predictions beside what clusters did. Its size is bounded. */
export class AgreementStore {
  private readonly ask: Ask;
  private readonly standingOf = batchedOfClusters(
    () => this.database.places,
    (ids) => {
      const values: unknown[] = [];
      return this.database.query<{ readonly id: number; readonly compared: number; readonly head: number }>(
        `select c.id::float8 as id, c.head_revision as head, coalesce(p.revision, 0) as compared
       from clusters c left join agreement_progress p on p.cluster_id = c.id and ${ofClusters('p.cluster_id', ids, values)}
       where ${ofClusters('c.id', ids, values)}`,
        values,
      );
    },
    FOR_EACH_HEAD,
  );

  constructor(private readonly database: Database) {
    this.ask = (sql, values) => database.query(sql, values);
  }

  /** The last revision whose predictions were compared; undefined if none ever were. */
  async progress(clusterId: number): Promise<number | undefined> {
    return progressOf(this.ask, clusterId);
  }

  /** Undefined if there is no such cluster. Asked about many clusters together. */
  async standing(clusterId: number): Promise<AgreementStanding | undefined> {
    const found = await this.standingOf(clusterId);
    return found && { compared: found.compared, head: found.head };
  }

  /** Progress, counts and the newest cases of each outcome, of one moment. */
  async report(
    clusterId: number,
    between: Period,
    filter: Omit<CaseFilter, 'outcome' | 'before'>,
  ): Promise<AgreementReport> {
    return this.database.transaction(async (client) => {
      const ask: Ask = async <Row>(sql: string, values: readonly unknown[]) =>
        (await client.query(sql, [...values])).rows as Row[];
      return {
        progress: await progressOf(ask, clusterId),
        counts: await countsOf(ask, clusterId, between),
        disagreements: await casesOf(ask, clusterId, { ...filter, outcome: 'disagreed' }),
        unknowns: await casesOf(ask, clusterId, { ...filter, outcome: 'unknown' }),
      };
    }, CONSISTENT);
  }

  /** The leases of a replica for the comparison of predictions. */
  leasesOf(holder: string, clock: { now(): Date }): LeasesOfClusters {
    return leasesIn(PROGRESS, this.database, holder, clock);
  }

  /**
   * Adds what the revisions up to one came to, and forgets what is too old.
   * @param from the former progress; 0 if there was none
   * @returns false if another replica was faster, and nothing was stored
   */
  async advance(
    clusterId: number,
    from: number,
    to: number,
    counts: readonly AgreementCount[],
    cases: readonly NewCase[],
  ): Promise<boolean> {
    if (counts.length + cases.length === 0) {
      const moved = await this.database.query(
        'update agreement_progress set revision = $3 where cluster_id = $1 and revision = $2 returning 1',
        [clusterId, from, to],
      );
      return moved.length > 0;
    }
    return this.database.transaction(async (client) => {
      const { rows } = await client.query<{ revision: number; cases: string }>(
        'select revision, cases from agreement_progress where cluster_id = $1 for update',
        [clusterId],
      );
      const [known] = rows;
      if (known?.revision !== from) return false;
      let last = Number(known.cases);
      if (counts.length > 0) {
        await client.query(
          `insert into agreement_days as t (cluster_id, day, scheduler, rule, agreed, disagreed, unknown)
           select id, day, scheduler, rule, sum(agreed), sum(disagreed), sum(unknown) from (
             select c.id, day, rule, agreed, disagreed, unknown,
               case when exists (select 1 from agreement_days d where d.cluster_id = $1 and d.scheduler = g.scheduler)
                 or (select count(distinct scheduler) from agreement_days where cluster_id = $1) < ${MOST_SCHEDULERS}
                 then scheduler else $3 end as scheduler
             from clusters c cross join json_to_recordset($2) as g (day date, scheduler text, rule text, agreed bigint,
               disagreed bigint, unknown bigint)
             where c.id = $1) given
           group by id, day, scheduler, rule
           on conflict (cluster_id, day, scheduler, rule) do update set agreed = t.agreed + excluded.agreed,
             disagreed = t.disagreed + excluded.disagreed, unknown = t.unknown + excluded.unknown`,
          [clusterId, JSON.stringify(counts), OTHER_SCHEDULERS],
        );
        await client.query(
          `delete from agreement_days where cluster_id = $1
             and day < (select max(day) from agreement_days where cluster_id = $1) - ${KEPT_DAYS}`,
          [clusterId],
        );
      }
      if (cases.length > 0) {
        const numbered = cases.map((one) => ({
          ...one,
          number: ++last,
          difference: one.difference && JSON.stringify(one.difference),
        }));
        await client.query(
          `insert into agreement_cases (cluster_id, number, rule, outcome, because, scheduler, namespace, name, revision,
             captured_at, words, difference, reproduction)
           select c.id, number, rule, outcome, because, scheduler, namespace, g.name, revision, "capturedAt", words,
             difference, reproduction
           from clusters c cross join json_to_recordset($2) as g (number bigint, rule text, outcome text, because text,
             scheduler text, namespace text, name text, revision integer, "capturedAt" timestamptz, words text,
             difference text, reproduction text)
           where c.id = $1`,
          [clusterId, JSON.stringify(numbered)],
        );
        for (const [outcome, kept] of Object.entries(KEPT)) {
          await client.query(
            `delete from agreement_cases where cluster_id = $1 and number in (
               select number from (
                 select number, row_number() over (partition by rule order by number desc) as place
                 from agreement_cases where cluster_id = $1 and outcome = $2) c
               where place > $3)`,
            [clusterId, outcome, kept],
          );
        }
      }
      await client.query('update agreement_progress set revision = $2, cases = $3 where cluster_id = $1', [
        clusterId,
        to,
        last,
      ]);
      if (cases.some(({ outcome }) => outcome === 'disagreed')) await notifyTrail(client, clusterId);
      return true;
    });
  }

  /** Cases, newest first. */
  async page(clusterId: number, filter: CaseFilter): Promise<readonly StoredCase[]> {
    return casesOf(this.ask, clusterId, filter);
  }

  /** The disagreements after a number, oldest first. */
  async after(clusterId: number, number: number, limit: number): Promise<readonly StoredCase[]> {
    const rows = await this.database.query<CaseRow>(
      `select ${CASE_COLUMNS} from agreement_cases
       where cluster_id = $1 and outcome = 'disagreed' and number > $2 order by number limit $3`,
      [clusterId, number, limit],
    );
    return rows.map(toCase);
  }

  /** The case with a number, as the conformance runner takes it; undefined if there is no such case, null if it is not stored. */
  async reproduction(clusterId: number, number: number): Promise<string | null | undefined> {
    const [row] = await this.database.query<{ reproduction: string | null }>(
      'select reproduction from agreement_cases where cluster_id = $1 and number = $2',
      [clusterId, number],
    );
    return row?.reproduction;
  }
}

async function progressOf(ask: Ask, clusterId: number): Promise<number | undefined> {
  const [row] = await ask<{ revision: number }>(
    'select revision from agreement_progress where cluster_id = $1 and revision > 0',
    [clusterId],
  );
  return row?.revision;
}

/** By day, newest first. */
function countsOf(ask: Ask, clusterId: number, { since, until }: Period): Promise<readonly AgreementCount[]> {
  return ask<AgreementCount>(
    `select to_char(day, 'YYYY-MM-DD') as day, scheduler, rule, agreed::float8 as agreed,
       disagreed::float8 as disagreed, unknown::float8 as unknown
     from agreement_days where cluster_id = $1
       and ($2::timestamptz is null or day >= ($2::timestamptz at time zone 'UTC')::date)
       and ($3::timestamptz is null or day < $3::timestamptz at time zone 'UTC')
     order by day desc, scheduler, rule`,
    [clusterId, since ?? null, until ?? null],
  );
}

async function casesOf(ask: Ask, clusterId: number, filter: CaseFilter): Promise<readonly StoredCase[]> {
  const { outcome, rule, scheduler, since, until, before, limit } = filter;
  const rows = await ask<CaseRow>(
    `select ${CASE_COLUMNS} from agreement_cases
     where cluster_id = $1 and outcome = $2 and ($3::text is null or rule = $3)
       and ($4::text is null or scheduler = $4) and ($5::timestamptz is null or captured_at >= $5)
       and ($6::timestamptz is null or captured_at < $6) and ($7::bigint is null or number < $7)
     order by number desc limit $8`,
    [clusterId, outcome, rule ?? null, scheduler ?? null, since ?? null, until ?? null, before ?? null, limit],
  );
  return rows.map(toCase);
}

export const toCase = ({ difference, capturedAt, ...row }: CaseRow): StoredCase => ({
  ...row,
  capturedAt: new Date(capturedAt),
  difference: difference === null ? null : (JSON.parse(difference) as Difference),
});
