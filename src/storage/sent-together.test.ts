import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { sentTogether } from './sent-together.js';

let postgres: TestPostgres;
let client: pg.Client;
let other: pg.Client;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createEmptyDatabase();
  client = new pg.Client(url);
  other = new pg.Client(url);
  await Promise.all([client.connect(), other.connect()]);
  await client.query('create table kept (number integer primary key)');
});
afterAll(async () => {
  await Promise.all([client.end(), other.end()]);
  await postgres.stop();
});
beforeEach(() => client.query('delete from kept'));

const insert = (number: number): Promise<unknown> =>
  client.query({ name: 'insert', text: 'insert into kept values ($1)', values: [number] });
const count = async (asked: pg.Client): Promise<number> =>
  (await asked.query<{ count: number }>('select count(*)::integer as count from kept')).rows[0]!.count;

describe('statements that are sent together', () => {
  it('see what those before did, and each returns its own rows', async () => {
    const returned = await sentTogether(client, () => [insert(1), count(client), insert(2), count(client)]);
    expect([returned[1], returned[3]]).toEqual([1, 2]);
  });

  it('wait for a lock before those after them read', async () => {
    await insert(1);
    await other.query('begin; select from kept for update');
    const read = sentTogether(client, () => [
      client.query('begin'),
      client.query('select from kept for update'),
      client.query<{ number: number }>('select number from kept'),
      client.query('commit'),
    ]);
    await other.query('update kept set number = 2; commit');
    expect((await read)[2].rows).toEqual([{ number: 2 }]);
  });

  it('are not committed if one of them fails, whose error is the one that is thrown', async () => {
    await insert(1);
    const failing = sentTogether(client, () => [
      client.query('begin'),
      insert(2),
      insert(1),
      insert(3),
      client.query(`select pg_notify('told', ''); commit`),
    ]);
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    await client.query('rollback');
    expect(await count(other)).toBe(1);
  });

  it('leave a connection that can copy again, also after an error', async () => {
    await expect(sentTogether(client, () => [client.query('select nothing')])).rejects.toMatchObject({ code: '42703' });
    const copy = client.query(copyStreams.from('copy kept from stdin'));
    copy.end('4\n');
    await finished(copy);
    expect(await count(client)).toBe(1);
  });

  it('fail all if the connection is lost', async () => {
    const lost = new pg.Client(await postgres.createEmptyDatabase());
    lost.on('error', () => undefined);
    await lost.connect();
    const sent = sentTogether(lost, () => [
      lost.query('select pg_terminate_backend(pg_backend_pid())'),
      lost.query('select 1'),
    ]);
    await expect(sent).rejects.toMatchObject({ code: '57P01' });
    await lost.end();
  });
});
