import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEmitter } from 'node:events';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { StorageUnavailable } from './storage-error.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe('a connection that is lost', () => {
  it('fails only the call that used it', async () => {
    const database = await postgres.createDatabase();
    const lost = database.transaction((client) => client.query('select pg_terminate_backend(pg_backend_pid())'));
    await expect(lost).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('fails the call also where it is that of a distributed database to one of its nodes', async () => {
    const database = await postgres.createDatabase();
    const lost = database.query(
      `do $$ begin raise exception 'failure on connection marked as essential: worker-1:5432' using errcode = 'XX000'; end $$`,
    );
    await expect(lost).rejects.toBeInstanceOf(StorageUnavailable);
  });

  it('may be lost during the handover, when neither pool nor borrower listens', async () => {
    const database = await postgres.createDatabase();
    const { master: pool } = database.dataSource.driver as unknown as { readonly master: EventEmitter };
    const said = new Promise<boolean>((resolve, reject) => {
      pool.once('acquire', (client: EventEmitter) => {
        queueMicrotask(() => {
          try {
            resolve(client.emit('error', new Error('terminating connection due to unexpected postmaster exit')));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
    });
    await database.ping();
    expect(await said).toBe(true);
  });
});
