import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.js';
import { snapshotOf } from '../../../test/support/snapshots.js';
import { changeOf } from '../../../test/support/taint-changes.js';
import type { Database } from '../database.js';
import { SnapshotWriter } from '../snapshot-writer.js';
import { HeadMoved } from './head-moved.js';
import { AlreadyDone, TaintChangeStore } from './taint-change-store.js';
import { NoOpAnswerStore } from './no-op-answer-store.js';

const NOW = new Date('2026-06-01T12:00:00Z');
const LATER = new Date('2026-06-02T12:00:01Z');
const AUTHOR = 'ada';

let postgres: TestPostgres;
let database: Database;
let clusterId: number;
let store: NoOpAnswerStore;
let changes: TaintChangeStore;
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  ({ clusterId } = await new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': 'one' })));
  store = new NoOpAnswerStore(database);
  changes = new TaintChangeStore(database);
});
afterAll(() => postgres.stop());

let head = 1;
const idempotency = (key: string, requestHash = 'h'): { key: string; requestHash: string } => ({ key, requestHash });
const answer = (key: string, on = head, at = NOW) => ({
  clusterId,
  author: AUTHOR,
  head: on,
  idempotency: idempotency(key),
  answer: { key },
  at,
});
const commit = async (key?: string, madeAt = NOW): Promise<void> => {
  const made = { author: AUTHOR, madeAt, ...(key !== undefined && { idempotency: idempotency(key) }) };
  await changes.commit(changeOf(clusterId, head, made));
  head += 1;
};
const kept = async (key: string, at = NOW): Promise<unknown> =>
  (await store.findByKey(clusterId, AUTHOR, key, at))?.answer;

describe('the answer to a request that changes nothing', () => {
  it('is kept under its key, and a change under that key is refused', async () => {
    await store.keep(answer('a'));
    expect(await kept('a')).toEqual({ key: 'a' });
    await expect(commit('a')).rejects.toThrow(AlreadyDone);
    await expect(store.keep(answer('a'))).rejects.toThrow(AlreadyDone);
    await commit('b');
    await expect(store.keep(answer('b'))).rejects.toThrow(AlreadyDone);
    expect(await kept('b')).toBeUndefined();
  });

  it('is not kept after somebody has changed what it was computed on: the same request may change something now', async () => {
    const former = head;
    await commit();
    await expect(store.keep(answer('c', former))).rejects.toThrow(HeadMoved);
    expect(await kept('c')).toBeUndefined();
    await commit('c');
  });

  it('is kept for a day, and deleted with the next one', async () => {
    await store.keep(answer('d'));
    expect(await kept('d', LATER)).toBeUndefined();
    await commit('d', LATER);
    await store.keep(answer('e', head, LATER));
    const rows = await database.query<{ key: string }>(
      'select idempotency_key as key from no_op_answers where cluster_id = $1',
      [clusterId],
    );
    expect(rows).toEqual([{ key: 'e' }]);
  });
});
