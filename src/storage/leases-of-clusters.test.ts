import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { AgreementStore } from './agreement-store.js';
import { ClusterStore } from './cluster-store.js';
import type { Database } from './database.js';
import { ExpectationStore } from './expectation-store.js';

let postgres: TestPostgres;
let database: Database;
const ids: number[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  const clusters = new ClusterStore(database);
  for (let number = 1; number <= 40; number++) ids.push((await clusters.put(`c${number}`)).cluster.id);
});
afterAll(() => postgres.stop());

describe.each([
  ['the comparison of predictions', AgreementStore],
  ['the evaluation of expectations', ExpectationStore],
])('the leases for %s', (_, Store) => {
  const clock = new ManualClock();
  const [one, other] = ['one', 'other'].map((holder) => ({
    lease: (id: number) => new Store(database).leasesOf(holder, clock).lease(id),
    release: () => new Store(database).leasesOf(holder, clock).release(),
  }));
  beforeEach(async () => {
    await one!.release();
    await other!.release();
  });

  it('are of one replica until it releases them, or they end', async () => {
    const [first] = ids;
    const end = (): Date => new Date(clock.now().getTime() + 30_000);
    expect(await one!.lease(first!)).toBeUndefined();
    expect(await other!.lease(first!)).toEqual(end());
    clock.pass(20);
    expect(await one!.lease(first!)).toBeUndefined();
    clock.pass(29);
    expect(await other!.lease(first!)).toEqual(new Date(clock.now().getTime() + 1_000));
    clock.pass(1);
    expect(await other!.lease(first!)).toBeUndefined();
    expect(await one!.lease(first!)).toEqual(end());
    await other!.release();
    expect(await one!.lease(first!)).toBeUndefined();
  });

  it('end now for a cluster that is gone', async () => {
    expect(await one!.lease(2 ** 31)).toEqual(clock.now());
  });

  it('go together, each to the replica that may have it', async () => {
    const leases = {
      one: new Store(database).leasesOf('one', clock),
      other: new Store(database).leasesOf('other', clock),
    };
    const held = ids.filter((_id, index) => index % 3 === 0);
    await Promise.all(held.map((id) => leases.other.lease(id)));
    clock.pass(10);
    const answers = await Promise.all([...ids, 2 ** 31].map((id) => leases.one.lease(id)));
    const end = new Date(clock.now().getTime() + 20_000);
    expect(answers).toEqual([...ids.map((id) => (held.includes(id) ? end : undefined)), clock.now()]);
  });
});
