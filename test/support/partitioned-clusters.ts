import pg from 'pg';
import { connected } from './partition-by-cluster.js';
import { IS_DISTRIBUTED } from './postgres.js';
import { TABLES_OF_CLUSTERS } from '../../src/storage/distribution.js';

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Records the statements that clients in this process send to Postgres, each with up to three different lists of values. */
export function recordStatements(): { readonly statements: () => readonly SentStatement[]; stop(): void } {
  const sent = new Map<string, Map<string, SentStatement>>();
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...given) {
    const [asked, second] = given;
    const config = typeof asked === 'string' ? { text: asked } : (asked as { text?: string; values?: unknown[] });
    const values = config.values ?? (Array.isArray(second) ? (second as unknown[]) : []);
    if (config.text !== undefined) {
      // Texts without parameters differ in the values in them.
      const name = config.text.replace(/\d+|'[^']*'/g, '?');
      const known = sent.get(name) ?? new Map<string, SentStatement>();
      sent.set(name, known);
      if (known.size < 3) known.set(JSON.stringify(values), { text: config.text, values });
    }
    return query.apply(this, given);
  };
  return {
    statements: () => [...sent.values()].flatMap((known) => [...known.values()]),
    stop: () => {
      prototype.query = query;
    },
  };
}

interface Plan {
  readonly 'Node Type'?: string;
  readonly 'Relation Name'?: string;
  readonly Operation?: string;
  readonly 'Parent Relationship'?: string;
  readonly Plans?: readonly Plan[];
}

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[];
}

/** What has no plan. */
const PLANLESS = /^(begin|commit|rollback|set|reset|copy|create|fetch|close|listen|show)\b/i;

/** The temporary table that a snapshot is staged in. */
const STAGED = `create temporary table staged_objects (sequence integer, kind text collate "C", namespace text collate "C",
  name text collate "C", uid text, resource_version text, hash bytea, content text)`;

/** The statements whose plan, with their values, names more than one partition or shard of a table, with the names of these tables. */
export async function unprunedTables(
  url: string,
  statements: readonly SentStatement[],
): Promise<readonly (SentStatement & { readonly tables: readonly string[] })[]> {
  return connected(url, async (client) => {
    await client.query(STAGED);
    const found: (SentStatement & { readonly tables: readonly string[] })[] = [];
    for (const statement of statements) {
      const tables = await partitionedTables(client, statement);
      if (tables.length > 0) found.push({ ...statement, tables });
    }
    return found;
  });
}

/** A statement that only notifies, of one thing or of several. */
const ALONE = /^select pg_notify\([^()]*\)(?: from unnest\(\$\d+::text\[\]\) as \w+)?$/;

/**
 * The statements that insert rows of a cluster which do not come from its own, except those that name them: where tables are distributed, the
 * coordinator would gather such rows and send them to the node of the cluster one table after the other.
 */
export async function gatheringInserts(url: string, statements: readonly SentStatement[]): Promise<readonly string[]> {
  return connected(url, async (client) => {
    await client.query(STAGED);
    const found: string[] = [];
    for (const statement of statements) {
      if (!/\binsert\b/i.test(statement.text)) continue;
      const [explained] = await explain(client, statement.text, statement.values);
      const gathers = IS_DISTRIBUTED
        ? JSON.stringify(explained).includes('pull to coordinator')
        : insertsOf(explained!.Plan).some((insert) => gathersRows(insert));
      if (gathers) found.push(statement.text);
    }
    return found;
  });
}

const insertsOf = (plan: Plan): readonly Plan[] => [
  ...(plan.Operation === 'Insert' && TABLES_OF_CLUSTERS[plan['Relation Name'] ?? ''] !== undefined ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(insertsOf),
];

/** Whether the rows that are inserted come neither from a table of clusters nor from a list of values. */
function gathersRows(insert: Plan): boolean {
  const sources = (plan: Plan): readonly Plan[] =>
    (plan.Plans ?? [])
      .filter((part) => !/^(?:InitPlan|SubPlan)$/.test(part['Parent Relationship'] ?? ''))
      .flatMap((part) => [part, ...sources(part)]);
  const all = sources(insert);
  if (all.some(({ 'Relation Name': name }) => name !== undefined && TABLES_OF_CLUSTERS[tableOf(name)] !== undefined)) {
    return false;
  }
  return all.length !== 1 || !['Result', 'Values Scan'].includes(all[0]!['Node Type']!) || 'Plans' in all[0]!;
}

const tableOf = (partition: string): string => partition.replace(/_\d+$/, '');

/**
 * The statements that notify replicas and also read or write rows, and the functions in the database that notify. Where a table is
 * distributed, such a statement or the trigger of such a function may run on the node of the rows, where no replica listens.
 */
export async function notifyingBesidesRows(
  url: string,
  statements: readonly SentStatement[],
): Promise<{
  readonly notifying: number;
  readonly statements: readonly string[];
  readonly functions: readonly string[];
}> {
  const notifying = statements
    .flatMap(({ text }) => text.split(/;\s*/))
    .filter((text) => /\bnotify\b|pg_notify/i.test(text.replace(/'[^']*'/g, "''")));
  const functions = await connected(url, (client) =>
    client.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~* 'notify'`,
    ),
  );
  return {
    notifying: notifying.length,
    statements: notifying.filter((text) => !ALONE.test(text.trim().replace(/'[^']*'/g, "''"))),
    functions: functions.rows.map(({ name }) => name),
  };
}

async function partitionedTables(client: pg.Client, { text, values }: SentStatement): Promise<readonly string[]> {
  const partitions = new Map<string, Set<string>>();
  const several = new Set<string>();
  const visit = (plan: Plan): void => {
    const [, table, part] = /^(.+)_(\d+)$/.exec(plan['Relation Name'] ?? '') ?? [];
    if (table !== undefined && part !== undefined) {
      partitions.set(table, (partitions.get(table) ?? new Set()).add(part));
    }
    plan.Plans?.forEach(visit);
  };
  // Several statements in one text have no parameters.
  for (const statement of values.length === 0 ? text.split(/;\s*/) : [text]) {
    if (statement === '' || PLANLESS.test(statement.trim())) continue;
    const [explained] = await explain(client, statement, values);
    if (IS_DISTRIBUTED) shardsOf(explained).forEach((table) => several.add(table));
    else visit(explained!.Plan);
  }
  for (const [table, parts] of partitions) if (parts.size > 1) several.add(table);
  return [...several];
}

async function explain(
  client: pg.Client,
  statement: string,
  values: readonly unknown[],
): Promise<Explained['QUERY PLAN']> {
  const text = `explain (format json) ${statement}`;
  const { rows } = await client.query<Explained>(text, [...values]).catch((error: unknown) => {
    if (IS_DISTRIBUTED) return client.query<Explained>(withLiterals(text, values));
    throw error;
  });
  return rows[0]!['QUERY PLAN'];
}

/** Citus explains some statements that need several steps only without parameters. What is in arrays of the binary format does not matter to it. */
const withLiterals = (statement: string, values: readonly unknown[]): string =>
  statement.replace(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1];
    if (value === null || value === undefined || Buffer.isBuffer(value)) return 'null';
    return pg.escapeLiteral(String((pg as unknown as Utils).utils.prepareValue(value)));
  });

interface Utils {
  readonly utils: { prepareValue(value: unknown): unknown };
}

/** The tables of which a part of a plan of Citus asks several shards. */
function shardsOf(plan: unknown): readonly string[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const tasks = (plan as { 'Task Count'?: number })['Task Count'] ?? 1;
  if (tasks > 1) return [...JSON.stringify(plan).matchAll(/"Relation Name":"(\w+)_\d+"/g)].map(([, table]) => table!);
  return Object.values(plan).flatMap(shardsOf);
}
