import type { PoolClient } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { ClusterDirectory } from './cluster-directory.js';
import { ClusterPlaces, type ReadPlaces } from './cluster-places.js';
import { mapDriverError } from './map-driver-error.js';
import { RecentChanges } from './recent-changes.js';
import type { Standby } from './standby.js';
import { StorageUnavailable } from './storage-error.js';

/**
 * The interface to Postgres for all stores: takes connections from TypeORM's pool, and converts the driver's errors to
 * `StorageError`s. A lost connection fails only the call that used it, because the pool replaces it.
 */
export class Database {
  /** The ids of the clusters, by name. */
  readonly directory = new ClusterDirectory();
  /** Where the clusters are kept. */
  readonly places: ClusterPlaces;
  /** What this process has committed last. */
  readonly recentChanges = new RecentChanges();

  /**
   * @param url the address of the database, with its password, for separate connections such as a listener's
   * @param readPlaces which clusters are kept together, if the database does not say so itself
   */
  constructor(
    readonly dataSource: DataSource,
    readonly url: string,
    /** For reads that need not go to the primary. */
    readonly standby?: Standby,
    readPlaces?: ReadPlaces,
  ) {
    this.places = new ClusterPlaces((sql, parameters) => this.query(sql, parameters), readPlaces);
  }

  /** Runs one statement that only reads, on the standby if there is one and it is not behind. */
  async read<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.standby?.query<Row>(sql, parameters)) ?? this.query(sql, parameters);
  }

  /**
   * Runs one statement on any connection.
   * @param name by which connections keep its plan: of a text that is asked often, and planned for longer than it runs
   */
  async query<Row>(sql: string, parameters: readonly unknown[] = [], name?: string): Promise<Row[]> {
    return this.session(async (client) => {
      const { rows } = await client.query(
        name === undefined ? { text: sql, values: [...parameters] } : { name, text: sql, values: [...parameters] },
      );
      return rows as Row[];
    });
  }

  /** Provides TypeORM's manager for reads by entity. */
  async entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.dataSource.manager);
    } catch (error) {
      throw mapDriverError(error);
    }
  }

  /**
   * Provides a connection while `work` runs. After an error, an open transaction is rolled back; if that fails, the
   * connection is closed instead of reused.
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
   * Runs `work` in a transaction, which is committed when it returns and rolled back when it throws.
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

  /** Sends one round trip to the database. @throws {StorageUnavailable} */
  async ping(): Promise<void> {
    await this.query('select 1');
  }
}

/** Rolls back after an error. The pool drops an ended client when it is released. */
async function settle(client: PoolClient, error: unknown): Promise<void> {
  if (!(error instanceof StorageUnavailable)) {
    try {
      await client.query('rollback');
      return;
    } catch {
      // The connection is no longer usable.
    }
  }
  (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
}
