import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { inOneBatch, objectRow, snapshotOf } from '../../test/support/snapshots.js';
import { type AgreementCount, AgreementStore } from './agreement-store.js';
import { SnapshotWriter } from './snapshot-writer.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe('the progress of comparing', () => {
  it('is moved by the replica that comes first, whether or not there is something to count', async () => {
    const database = await postgres.createDatabase();
    const { clusterId } = await new SnapshotWriter(database).commit(
      snapshotOf({}, { rows: inOneBatch([objectRow('Pod/x/a', 'one')]) }),
    );
    const store = new AgreementStore(database);
    await store.leasesOf('a', { now: () => new Date() }).lease(clusterId);
    const count: AgreementCount = {
      ...{ day: '2026-05-04', scheduler: 'default-scheduler', rule: 'filter' },
      ...{ agreed: 1, disagreed: 0, unknown: 0 },
    };
    const given: readonly (readonly AgreementCount[])[] = [[], [count]];
    for (const [at, counts] of given.entries()) {
      expect(await store.advance(clusterId, at, at + 1, counts, [])).toBe(true);
      expect(await store.advance(clusterId, at, at + 2, counts, [])).toBe(false);
      expect(await store.progress(clusterId)).toBe(at + 1);
    }
  });

  it('stands beside the head, also before the first comparison, and nowhere without a cluster', async () => {
    const database = await postgres.createDatabase();
    const writer = new SnapshotWriter(database);
    const take = (content: string) =>
      writer.commit(snapshotOf({}, { rows: inOneBatch([objectRow('Pod/x/a', content)]) }));
    const { clusterId } = await take('one');
    await take('two');
    const store = new AgreementStore(database);
    expect(await store.standing(clusterId)).toEqual({ compared: 0, head: 2 });
    await store.leasesOf('a', { now: () => new Date() }).lease(clusterId);
    expect(await store.standing(clusterId)).toEqual({ compared: 0, head: 2 });
    await store.advance(clusterId, 0, 2, [], []);
    expect(await store.standing(clusterId)).toEqual({ compared: 2, head: 2 });
    expect(await store.standing(clusterId + 1)).toBeUndefined();
  });
});
