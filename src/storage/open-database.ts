import type { DatabaseConfig } from '../config.js';
import { Database } from './database.js';

/** What the service tells of its storage while it runs, for the log. */
export type StorageLog = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;

export interface OpenDatabase {
  readonly database: Database;
  /** Ends the pool, and the embedded server where there is one. */
  close(): Promise<void>;
}

/** Starts the embedded Postgres if there is no URL, connects, and brings the schema up to date. */
export function openDatabase(_config: DatabaseConfig, _log: StorageLog): Promise<OpenDatabase> {
  throw new Error('not built yet');
}
