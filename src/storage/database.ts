import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { mapDriverError } from './map-driver-error.js';

/**
 * The one door to Postgres for every store: takes connections from TypeORM's pool, and turns the driver's errors into
 * `StorageError`s. A lost connection fails the call it served, never the next one: the pool makes new ones by itself.
 */
export class Database {
  /** @param url where the database is, with its password: for connections of one's own, such as a listener's. */
  constructor(
    readonly dataSource: DataSource,
    readonly url: string,
  ) {}

  /** Runs one statement on any connection. */
  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.session(async (client) => (await client.query(sql, [...parameters])).rows as Row[]);
  }

  /**
   * Lends a connection for the time of `work`. It goes back to the pool clean: `work` ends its own transactions, and
   * after an error the connection is closed rather than given to somebody else in an unknown state.
   */
  async session<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const queryRunner = this.dataSource.createQueryRunner();
    let client: PoolClient | undefined;
    try {
      client = (await queryRunner.connect()) as PoolClient;
      return await work(client);
    } catch (error) {
      // Ended clients are dropped by the pool; a client that only saw a failed statement is not worth telling apart.
      if (client !== undefined) client.end().catch(() => undefined);
      throw mapDriverError(error);
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
