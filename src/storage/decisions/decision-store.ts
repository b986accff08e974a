import { Database } from '../database.js';
import { storableText } from '../storable-text.js';
import type { Decision, DecisionCaller, DecisionHead, DecisionWorkload } from './decision.js';

/** All given conditions must hold. */
export interface DecisionFilter {
  /** A workload of the decision that has all of these. */
  readonly workload?: Partial<DecisionWorkload>;
  readonly verdict?: string;
  readonly type?: string;
  readonly caller?: string;
  /** Asked at this time or later. */
  readonly since?: Date;
  /** Asked before this time. */
  readonly until?: Date;
}

/** A decision in a list; later ones have greater numbers. */
export interface ListedDecision extends DecisionHead {
  readonly sequence: number;
}

export interface ExportedDecision extends Decision {
  readonly sequence: number;
}

export interface DecisionPage {
  readonly limit: number;
  /** Only decisions before this one. */
  readonly before?: number;
}

/** Number of decisions that `batches` reads at once: each may have a large answer. */
const BATCH = 20;

const HEAD = `d.sequence::float8 as sequence, d.id, d.cluster_id::float8 as "clusterId", d.cluster_name as "clusterName", d.revision,
  d.rules_version as "rulesVersion", d.asked_at as "askedAt", d.caller, d.caller_kind as "callerKind",
  d.caller_issuer as "callerIssuer", d.type, d.verdict, d.summary, d.workloads, d.taint_values as "taintValues",
  d.question_hash as "questionHash", d.answer_hash as "answerHash"`;
const REST = 'd.reasons, d.question, d.withheld_values as "withheldValues", d.answer';

interface HeadRow extends Omit<ListedDecision, 'caller' | 'taintValues'> {
  readonly caller: string;
  readonly callerKind: DecisionCaller['kind'];
  readonly callerIssuer: string | null;
  readonly taintValues: string;
}

type Row = HeadRow & Pick<Decision, 'question' | 'withheldValues' | 'answer'> & { readonly reasons: string };

/** The recorded decisions. They outlive their clusters, and are found by the names of these. */
export class DecisionStore {
  constructor(private readonly database: Database) {}

  /** Resolves when the decision is stored. */
  async add(decision: Decision): Promise<void> {
    const { caller } = decision;
    await this.database.query(
      `insert into decisions (cluster_id, id, cluster_name, revision, rules_version, asked_at, caller, caller_kind,
                              caller_issuer, type, verdict, summary, workloads, reasons, taint_values, question_hash,
                              question, withheld_values, answer_hash, answer)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
      [
        ...[decision.clusterId, decision.id, decision.clusterName, decision.revision, decision.rulesVersion],
        ...[decision.askedAt, storableText(caller.name), caller.kind, caller.issuer, decision.type, decision.verdict],
        ...[storableText(decision.summary), JSON.stringify(decision.workloads.map(storableWorkload))],
        ...[JSON.stringify(decision.reasons), JSON.stringify(decision.taintValues), decision.questionHash],
        ...[decision.question, decision.withheldValues, decision.answerHash, decision.answer],
      ],
    );
  }

  async get(id: string): Promise<Decision | undefined> {
    const [row] = await this.database.query<Row>(`select ${HEAD}, ${REST} from decisions d where d.id = $1`, [id]);
    return row === undefined ? undefined : decisionOf(row);
  }

  /** Decisions about clusters with these names, existing or deleted, newest first. */
  async page(
    clusterNames: readonly string[],
    filter: DecisionFilter,
    { limit, before }: DecisionPage,
  ): Promise<ListedDecision[]> {
    const values: unknown[] = [[...new Set(clusterNames)], limit];
    const conditions = ['d.cluster_name = c.name', ...conditionsOf(filter, values)];
    if (before !== undefined) conditions.push(`d.sequence < $${values.push(before)}`);
    // At most a page of each cluster is read, by its index.
    const rows = await this.database.query<HeadRow>(
      `select d.* from unnest($1::text[]) as c (name) cross join lateral (
         select ${HEAD} from decisions d where ${conditions.join(' and ')} order by d.sequence desc limit $2) d
       order by d.sequence desc limit $2`,
      values,
    );
    return rows.map(headOf);
  }

  /** Whole decisions about one cluster, oldest first; a slow reader holds no transaction open. */
  async *batches(
    clusterName: string,
    filter: DecisionFilter,
  ): AsyncGenerator<readonly ExportedDecision[], void, undefined> {
    const values: unknown[] = [clusterName, BATCH];
    const conditions = ['d.cluster_name = $1', ...conditionsOf(filter, values)];
    const [last] = await this.database.query<{ sequence: number | null }>(
      'select max(sequence)::float8 as sequence from decisions where cluster_name = $1',
      [clusterName],
    );
    const until = values.push(last?.sequence ?? 0);
    for (let after = 0; ;) {
      const rows = await this.database.query<Row>(
        `select ${HEAD}, ${REST} from decisions d
         where ${conditions.join(' and ')} and d.sequence <= $${until} and d.sequence > $${values.length + 1}
         order by d.sequence limit $2`,
        [...values, after],
      );
      const found = rows.map(decisionOf);
      if (found.length > 0) yield found;
      if (found.length < BATCH) return;
      after = found.at(-1)!.sequence;
    }
  }

  /** The names of all clusters that have decisions, existing or deleted. */
  async clusterNames(): Promise<string[]> {
    // One look-up in the index for each name.
    const rows = await this.database.query<{ name: string }>(
      `with recursive names as (
         (select cluster_name as name from decisions order by cluster_name limit 1)
         union all
         select (select cluster_name from decisions where cluster_name > n.name order by cluster_name limit 1)
         from names n where n.name is not null)
       select name from names where name is not null`,
    );
    return rows.map(({ name }) => name);
  }

  async isKnown(clusterName: string): Promise<boolean> {
    const rows = await this.database.query('select from decisions where cluster_name = $1 limit 1', [clusterName]);
    return rows.length > 0;
  }
}

/** Converts the filter to conditions on `decisions d`, and appends their values to the existing ones. */
function conditionsOf(filter: DecisionFilter, values: unknown[]): string[] {
  const { workload = {}, verdict, type, caller, since, until } = filter;
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string): void => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  const named = Object.entries(workload).filter(([, value]) => value !== undefined);
  add(
    named.length === 0 ? undefined : JSON.stringify([storableWorkload(Object.fromEntries(named))]),
    (place) => `d.workloads @> ${place}::jsonb`,
  );
  add(verdict, (place) => `d.verdict = ${place}`);
  add(type, (place) => `d.type = ${place}`);
  add(caller === undefined ? undefined : storableText(caller), (place) => `d.caller = ${place}`);
  add(since, (place) => `d.asked_at >= ${place}`);
  add(until, (place) => `d.asked_at < ${place}`);
  return conditions;
}

function storableWorkload(workload: Partial<DecisionWorkload>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(workload).map(([name, value]) => [name, storableText(value)]));
}

function headOf({ caller, callerKind, callerIssuer, taintValues, ...row }: HeadRow): ListedDecision {
  return {
    ...row,
    caller: { name: caller, kind: callerKind, issuer: callerIssuer },
    taintValues: JSON.parse(taintValues) as DecisionHead['taintValues'],
  };
}

function decisionOf({ reasons, question, withheldValues, answer, ...head }: Row): ExportedDecision {
  return {
    ...headOf(head),
    reasons: JSON.parse(reasons) as Decision['reasons'],
    question,
    withheldValues,
    answer,
  };
}
