import type { PoolClient } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { mapDriverError } from './map-driver-error.js';
import { StorageUnavailable } from './storage-error.js';

/**
 * The one door to Postgres for every store: takes connections from TypeORM's pool, and turns the driver's errors into
 * `StorageError`s. A lost connection fails the call it served, never the next one: the pool makes new ones by itself.
 */
export class Database {
  /** @param url where the database is, with its password: for connections of one's own, such as a listener's */
  constructor(
    readonly dataSource: DataSource,
    readonly url: string,
  ) {}

  /** Runs one statement on any connection. */
  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.session(async (client) => (await client.query(sql, [...parameters])).rows as Row[]);
  }

  /** Lends TypeORM's manager, for reads by entity. */
  async entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.dataSource.manager);
    } catch (error) {
      throw mapDriverError(error);
    }
  }

  /**
   * Lends a connection for the time of `work`. After an error a transaction that was left open is rolled back; a
   * connection that cannot do that is closed rather than given to somebody else.
   */
  async session<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const queryRunner = this.dataSource.createQueryRunner();
    let client: PoolClient | undefined;
    try {
      client = (await queryRunner.connect()) as PoolClient;
      return await work(client);
    } catch (thrown) {
      const error = mapDriverError(thrown);
      if (client !== undefined) await settle(client, error);
      throw error;
    } finally {
      await queryRunner.release();
    }
  }

  /**
   * Runs `work` in a transaction, committed when it returns and rolled back when it throws.
   * @param mode what follows BEGIN, for instance `isolation level repeatable read read only`
   */
  async transaction<Result>(work: (client: PoolClient) => Promise<Result>, mode = ''): Promise<Result> {
    return this.session(async (client) => {
      await client.query(`begin ${mode}`);
      const result = await work(client);
      await client.query('commit');
      return result;
    });
  }

  /** One round trip to the database. @throws {StorageUnavailable} */
  async ping(): Promise<void> {
    await this.query('select 1');
  }
}

/** Rolls back what an error left open. An ended client is dropped by the pool when it is released. */
async function settle(client: PoolClient, error: unknown): Promise<void> {
  if (!(error instanceof StorageUnavailable)) {
    try {
      await client.query('rollback');
      return;
    } catch {
      // The connection is of no more use.
    }
  }
  (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
}
