import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { snapshotOf } from '../../test/support/snapshots.js';
import { Database } from './database.js';
import { DigestStore, type DigestKey } from './digest-store.js';
import { SnapshotWriter } from './snapshot-writer.js';

let postgres: TestPostgres;
let database: Database;
let store: DigestStore;
/** Of the statements that read digests. */
let statements: readonly string[];
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
});
afterAll(() => postgres.stop());

let ids: readonly number[];
beforeEach(async () => {
  await emptyDatabase(database);
  const made: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    const snapshot = snapshotOf({ 'Node/n': name }, { cluster: { name, create: true } });
    made.push((await new SnapshotWriter(database).commit(snapshot)).clusterId);
  }
  ids = made;
  statements = [];
  const watched = Object.create(database, {
    query: {
      value: (sql: string, values: readonly unknown[]) => {
        statements = [...statements, sql];
        return database.query(sql, values);
      },
    },
  }) as Database;
  store = new DigestStore(watched);
});

const keyOf = (cluster: number, other: Partial<DigestKey> = {}): DigestKey => ({
  clusterId: ids[cluster]!,
  digest: 'taints',
  revision: 1,
  rules: 'v1.36',
  version: 'code',
  ...other,
});

async function keep(key: DigestKey, text: string): Promise<void> {
  await store.keep(key, { head: `head of ${text}`, content: Buffer.from(text), withheld: `values of ${text}` });
}

async function found(keys: readonly DigestKey[], bytes = 100, withWithheld = false): Promise<readonly unknown[]> {
  statements = [];
  const starts = await Promise.all(keys.map((key) => store.find(key, bytes, withWithheld)));
  return starts.map((start) => start && [start.head, start.start.toString(), start.withheld]);
}

describe('digests that are asked for at the same time', () => {
  it('are read by one statement, each for its key', async () => {
    await keep(keyOf(0), 'a');
    await keep(keyOf(2, { revision: 2 }), 'c');
    expect(await found([keyOf(2, { revision: 2 }), keyOf(1), keyOf(0), keyOf(0)])).toEqual([
      ['head of c', 'c', null],
      undefined,
      ['head of a', 'a', null],
      ['head of a', 'a', null],
    ]);
    expect(statements.length).toBe(1);
  });

  it('are not those of another revision, other rules or other code, although another cluster is asked for these', async () => {
    await keep(keyOf(0), 'a');
    await keep(keyOf(1, { revision: 2, rules: 'v1.35' }), 'b');
    await keep(keyOf(2, { version: 'former' }), 'c');
    const [a, b] = ['a', 'b'].map((text) => [`head of ${text}`, text, null]);
    expect(await found([keyOf(0), keyOf(1, { revision: 2, rules: 'v1.35' })])).toEqual([a, b]);
    expect(await found([keyOf(0, { revision: 2 }), keyOf(1, { rules: 'v1.35' })])).toEqual([undefined, undefined]);
    expect(await found([keyOf(0, { rules: 'v1.35' }), keyOf(1, { revision: 2 })])).toEqual([undefined, undefined]);
    expect(await found([keyOf(2), keyOf(2, { version: 'former' })])).toEqual([undefined, ['head of c', 'c', null]]);
  });

  it('of several names, and parts of several lengths, are each read as they were asked for', async () => {
    await keep(keyOf(0), 'taints');
    await keep(keyOf(0, { digest: 'findings' }), 'findings');
    const starts = await Promise.all([
      store.find(keyOf(0), 2, false),
      store.find(keyOf(0), 4, true),
      store.find(keyOf(0, { digest: 'findings' }), 4, false),
    ]);
    expect(starts.map((start) => [start?.start.toString(), start?.withheld])).toEqual([
      ['ta', null],
      ['tain', 'values of taints'],
      ['find', null],
    ]);
  });
});
