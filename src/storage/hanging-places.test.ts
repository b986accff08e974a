import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { partitionByCluster } from '../../test/support/partition-by-cluster.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import type { Places } from './cluster-places.js';
import type { Database } from './database.js';
import { TABLES_OF_CLUSTERS } from './distribution.js';
import { HangingPlaces } from './hanging-places.js';
import { connect } from './open-database.js';
import { StorageError } from './storage-error.js';

const LIMITS = { slowMs: 50, longestMs: 300, everyMs: 10, againMs: 100 };
const CLUSTERS = 5;
const CONNECTIONS = 2;

let postgres: TestPostgres;
let url: string;
/** Holds the locks of the partition that hangs: whoever needs it waits without end. */
let other: pg.Client;
let places: Places;
let lost: readonly number[];
let there: readonly number[];
const opened: Database[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres({ plain: true });
  url = await postgres.createEmptyDatabase();
  await partitionByCluster(url);
  other = new pg.Client(url);
  await other.connect();
  for (let id = 1; id <= CLUSTERS; id++) {
    await other.query('insert into clusters (id, name) overriding system value values ($1, $2)', [id, `c${id}`]);
  }
  const { rows } = await other.query<{ id: number; place: string }>(
    'select id::float8 as id, tableoid::regclass::text as place from clusters order by id',
  );
  places = new Map(
    [...new Set(rows.map(({ place }) => place))].map((place) => [
      place,
      rows.filter((row) => row.place === place).map(({ id }) => id),
    ]),
  );
  lost = [...places.values()].find((ids) => ids.includes(1))!;
  there = [...places.values()].flat().filter((id) => !lost.includes(id));
});
afterEach(async () => {
  await other.query('rollback');
  for (const database of opened.splice(0)) await database.dataSource.destroy();
});
afterAll(async () => {
  await other.end();
  await postgres.stop();
});

/** @param readPlaces which places there are */
async function openWith(readPlaces: () => Promise<Places>): Promise<Database> {
  const hanging = new HangingPlaces(url, () => undefined, readPlaces, LIMITS);
  const database = await connect(url, { poolSize: CONNECTIONS }, () => undefined, hanging);
  opened.push(database);
  return database;
}

async function hang(): Promise<void> {
  const part = /_\d+$/.exec([...places].find(([, ids]) => ids === lost)![0])![0];
  await other.query('begin');
  for (const table of Object.keys(TABLES_OF_CLUSTERS)) await other.query(`lock table ${table}${part}`);
}

const nameOf = (database: Database, id: number): Promise<readonly { readonly name: string }[]> =>
  database.query('select name from clusters where id = $1', [id]);

/** Resolves once a statement about a cluster that waited for its node has ended. */
async function untilItEnds(database: Database): Promise<unknown> {
  return nameOf(database, lost[0]!).catch((error: unknown) => error);
}

describe('a node that hangs', () => {
  it('ends what waits for it, also if that takes all connections, so that the clusters of the others are answered', async () => {
    const database = await openWith(() => Promise.resolve(places));
    await hang();
    const waiting = Array.from({ length: 3 * CONNECTIONS }, () => untilItEnds(database));
    const names = await Promise.all(there.map((id) => nameOf(database, id)));
    expect(names).toEqual(there.map((id) => [{ name: `c${id}` }]));
    for (const ended of await Promise.all(waiting)) expect(ended).toBeInstanceOf(StorageError);
  });

  it('is asked nothing until it answers, neither about its clusters nor about all', async () => {
    const database = await openWith(() => Promise.resolve(places));
    await hang();
    await untilItEnds(database);
    const refused = { code: 'StorageTimeout', message: 'a node of the database does not answer' };
    await expect(nameOf(database, lost[0]!)).rejects.toMatchObject(refused);
    await expect(database.query('select count(*) from taint_trail')).rejects.toMatchObject(refused);
    await expect(
      database.query('select from revisions where cluster_id = any($1)', [[there[0], lost[0]]]),
    ).rejects.toMatchObject(refused);
    expect(await database.query('select name from cluster_names')).toEqual([]);
    await other.query('rollback');
    for (;;) {
      const answer = await untilItEnds(database);
      if (answer instanceof StorageError) continue;
      expect(answer).toEqual([{ name: 'c1' }]);
      break;
    }
    expect(await database.query('select count(*)::integer from taint_trail')).toEqual([{ count: 0 }]);
  });

  it('ends what a transaction waits for after it named its cluster', async () => {
    const database = await openWith(() => Promise.resolve(places));
    const ended = database.transaction(async (client) => {
      await client.query('select from clusters where id = $1 for update', [there[0]]);
      // Without the lock of what it names, which would keep `other` from it.
      await client.query('savepoint before');
      await client.query('select from revisions where cluster_id = $1', [lost[0]]);
      await client.query('rollback to before');
      await hang();
      await client.query(`insert into revisions select * from revisions_${partOf(lost)}`);
    });
    await expect(ended).rejects.toMatchObject({ code: 'StorageUnavailable' });
  });
});

const partOf = (ids: readonly number[]): string => /\d+$/.exec([...places].find(([, all]) => all === ids)![0])![0];

it('a plain database, which is one place, ends no statement that waits', async () => {
  let looks = 0;
  let looked = (): void => undefined;
  const twice = new Promise<void>((resolve) => {
    looked = resolve;
  });
  const database = await openWith(() => {
    if (++looks === 2) looked();
    return Promise.resolve(new Map([['', [...lost, ...there]]]));
  });
  await hang();
  const waiting = nameOf(database, lost[0]!);
  await twice;
  await other.query('rollback');
  expect(await waiting).toEqual([{ name: 'c1' }]);
});
