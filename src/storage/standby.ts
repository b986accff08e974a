import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { mapDriverError } from './map-driver-error.js';
import { RevisionNotFound } from './storage-error.js';
import type { StorageLog } from './storage-log.js';

/** After a failure the standby is not asked for so long, in milliseconds. */
const PAUSE_MS = 10_000;
/** How often, and how long apart, a standby that is behind is asked again. */
const ATTEMPTS = 5;
const BETWEEN_MS = 10;

interface StandbySettings {
  readonly url: string;
  readonly pool: pg.PoolConfig;
  /** The position in the write-ahead log that a read at this moment must see. */
  readonly position: () => Promise<string>;
  /** Identifies the database cluster of the primary. */
  readonly system: () => Promise<string>;
  readonly log: StorageLog;
}

/**
 * A standby of the primary database, for reads. It may be behind, so it is read in two ways: what never changes once it is there (the
 * objects of a revision), wherever it is there; and everything else, only once the standby has all that the primary had when the
 * question came. Where it cannot be read, the primary is.
 */
export class Standby {
  private readonly pool: pg.Pool;
  private pausedUntil = 0;
  private system: string | undefined;
  private readonly reads = { standby: 0, primary: 0 };

  constructor(private readonly settings: StandbySettings) {
    this.pool = new pg.Pool({ connectionString: settings.url, ...settings.pool });
    // The next use of a lost connection reports the error.
    this.pool.on('error', () => undefined);
  }

  /** How many reads the standby answered, and how many the primary in its place. */
  get counts(): Readonly<Record<'standby' | 'primary', number>> {
    return this.reads;
  }

  /** One statement. Undefined if the standby cannot be read, or stays behind. */
  async query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[] | undefined> {
    if (this.isPaused) {
      this.reads.primary++;
      return undefined;
    }
    const position = await this.settings.position();
    return this.tried(async (client) => {
      for (let attempt = 1; !(await this.hasReached(client, position)); attempt++) {
        if (attempt === ATTEMPTS) return undefined;
        await sleep(BETWEEN_MS);
      }
      return (await client.query(sql, [...parameters])).rows as Row[];
    });
  }

  /**
   * Reads of a revision, in a transaction.
   * @param work throws `RevisionNotFound` if the revision is not there
   * @param isFinal whether it is too late to read the primary instead, after an error
   * @returns undefined if it was not read, or not there
   */
  async transaction<Result>(
    work: (client: pg.PoolClient) => Promise<Result>,
    mode: string,
    isFinal: () => boolean = () => false,
  ): Promise<{ readonly result: Result } | undefined> {
    if (this.isPaused) {
      this.reads.primary++;
      return undefined;
    }
    return this.tried(async (client) => {
      await this.hasReached(client, '0/0');
      await client.query(`begin ${mode}`);
      const result = await work(client);
      await client.query('commit');
      return { result };
    }, isFinal);
  }

  async end(): Promise<void> {
    await this.pool.end();
  }

  private get isPaused(): boolean {
    return performance.now() < this.pausedUntil;
  }

  /** @throws {Error} if the server is no standby of the primary: it may have become one itself, with another history */
  private async hasReached(client: pg.PoolClient, position: string): Promise<boolean> {
    const { rows } = await client.query<{ reached: boolean | null; system: string }>(
      `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= $1::pg_lsn end as reached,
              (select system_identifier::text from pg_control_system()) as system`,
      [position],
    );
    const { reached, system } = rows[0]!;
    this.system ??= await this.settings.system();
    if (reached === null || system !== this.system) throw new Error('the server is no standby of the primary');
    return reached;
  }

  private async tried<Result>(
    work: (client: pg.PoolClient) => Promise<Result | undefined>,
    isFinal: () => boolean = () => false,
  ): Promise<Result | undefined> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.pool.connect();
      const result = await work(client);
      client.release();
      this.reads[result === undefined ? 'primary' : 'standby']++;
      return result;
    } catch (error) {
      if (error instanceof RevisionNotFound) await leave(client!);
      else {
        client?.release(true);
        this.pausedUntil = performance.now() + PAUSE_MS;
        const message = error instanceof Error ? error.message : '';
        this.settings.log('warn', 'the standby could not be read; the primary is read instead', { error: message });
      }
      if (isFinal()) throw mapDriverError(error);
      this.reads.primary++;
      return undefined;
    }
  }
}

/** Ends a transaction without effect. */
async function leave(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}
