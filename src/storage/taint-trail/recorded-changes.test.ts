import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordStatements } from '../../../test/support/partitioned-clusters.js';
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.js';
import { snapshotOf } from '../../../test/support/snapshots.js';
import type { Database } from '../database.js';
import { SnapshotWriter } from '../snapshot-writer.js';
import { RecordedChanges } from './recorded-changes.js';

const COUNT = 2000;
const NODES = 3;

let postgres: TestPostgres;
let database: Database;
let clusterId: number;
beforeAll(async () => {
  postgres = await startTestPostgres({ plain: true });
  database = await postgres.createDatabase();
  ({ clusterId } = await new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': 'one' })));
  // Postgres has no statistics of them, as after a crash.
  for (const table of ['taint_changes', 'node_intents', 'taint_trail']) {
    await database.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  const fill = (table: string, columns: Readonly<Record<string, string>>): Promise<unknown> =>
    database.query(
      `insert into ${table} (cluster_id, ${Object.keys(columns).join(', ')})
       select ${clusterId}, ${Object.values(columns).join(', ')} from generate_series(1, ${COUNT}) n`,
    );
  const id = (number: string): string => `md5((${number})::text)::uuid`;
  await fill('taint_changes', {
    id: id('n'),
    revision: 'n',
    sequence: '2 * n - 1',
    made_at: 'now()',
    action: `'change'`,
    author: `'ada'`,
    // Each second change takes back the one before.
    undoes: `case when n % 2 = 0 then ${id('n - 1')} end`,
    details: `'{}'`,
    outcomes: `'[]'`,
  });
  const node = `'node-' || n % ${NODES}`;
  await fill('node_intents', {
    change_id: id('n'),
    node,
    sequence: '2 * n',
    made_at: 'now()',
    author: `'ada'`,
    difference: `'{}'`,
    status: `'recorded'`,
  });
  for (const [kind, sequence, of] of [
    ['request', '2 * n - 1', 'null'],
    ['change', '2 * n', node],
  ] as const) {
    await fill('taint_trail', {
      sequence,
      cluster_name: `'test'`,
      recorded_at: 'now()',
      kind: `'${kind}'`,
      node: of,
      change_id: id('n'),
      happened_at: 'now()',
      taint_keys: `'{}'`,
      effects: `'{}'`,
      hash: `''`,
      content: `'{}'`,
    });
  }
});
afterAll(() => postgres.stop());

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The rows that a statement reads from tables. */
function rowsRead(plan: PlanNode): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), plan['Relation Name'] === undefined ? 0 : own);
}

async function all<Row>(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

/** The result, and how many rows the statement that reads most of them reads. */
async function reading<Result>(
  read: (changes: RecordedChanges) => Promise<Result>,
): Promise<{ readonly result: Result; readonly most: number }> {
  const recorded = recordStatements();
  try {
    const result = await read(new RecordedChanges(database));
    recorded.stop();
    let most = 0;
    for (const { text, values } of recorded.statements()) {
      const [row] = await database.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      most = Math.max(most, rowsRead(row!['QUERY PLAN'][0].Plan));
    }
    return { result, most };
  } finally {
    recorded.stop();
  }
}

/** The rows of a batch of 50, with the record and the reversal of each, and some that are read in vain. */
const FEW = 500;

describe('the verification of many changes of few nodes', () => {
  it('finds the record and the reversal of each change without reading the others', async () => {
    const { result, most } = await reading((changes) => all(changes.changes(clusterId)));
    expect(result.map(({ stored }) => stored.undoing === null)).toEqual(
      Array.from({ length: COUNT }, (_, index) => index % 2 === 1),
    );
    expect(result.every(({ content }) => content !== null)).toBe(true);
    expect(most).toBeLessThan(FEW);
  });

  it('finds the record of each changed node without reading the others', async () => {
    const { result, most } = await reading((changes) => all(changes.intents(clusterId)));
    expect(result.filter(({ content }) => content !== null)).toHaveLength(COUNT);
    expect(most).toBeLessThan(FEW);
  });

  it('finds a record without a change by reading each record once', async () => {
    const { result, most } = await reading((changes) => changes.missing(clusterId));
    expect(result).toBeUndefined();
    expect(most).toBeLessThan(6 * COUNT);
  });
});
