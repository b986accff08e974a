import { z } from 'zod';
import { parseDuration } from './app/duration.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const integer = (minimum: number, maximum: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`))
    .default(fallback);

/** A whole number that may be left out. */
const optionalInteger = (minimum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`))
    .optional();

const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: integer(0, 65_535, 3000),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  BODY_LIMIT: integer(1024, 256 * 1024 * 1024, 4 * 1024 * 1024),
  SHUTDOWN_TIMEOUT_MS: integer(0, 600_000, 10_000),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must be a postgres:// or postgresql:// address')
    .optional(),
  DATABASE_POOL_SIZE: integer(2, 500, 10),
  DATABASE_CONNECT_TIMEOUT_MS: integer(100, 120_000, 5_000),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(0, 3_600_000, 120_000),
  DATA_DIR: z.string().min(1).default('./data'),
  STATE_MEMORY_MB: integer(16, 1_000_000, 1024),
  RETENTION_MAX_REVISIONS: optionalInteger(1),
  RETENTION_MAX_AGE: z
    .string()
    .refine((text) => parseDuration(text) !== undefined, 'must be a duration, such as 30d, 12h or 90 (seconds)')
    .transform((text) => parseDuration(text))
    .optional(),
});

/** What the service needs to know before it starts. */
export interface ServiceConfig {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Bytes of an ordinary request body; snapshots are streamed and have limits of their own. */
  readonly bodyLimit: number;
  /** How long requests under way may go on after a stop signal. */
  readonly shutdownTimeoutMs: number;
  readonly database: DatabaseConfig;
  /** How many bytes of states are kept in memory, by their own rough count. */
  readonly stateMemoryBytes: number;
  /** Which old revisions are removed from time to time; with neither limit none are. */
  readonly retention: RetentionConfig;
}

export interface RetentionConfig {
  /** Most revisions of one cluster. */
  readonly keepRevisions?: number;
  /** Seconds since a revision was received. */
  readonly maxAgeSeconds?: number;
}

export interface DatabaseConfig {
  /** Absent: an embedded Postgres in `dataDir`. */
  readonly url?: string;
  readonly dataDir: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  /** 0: none. */
  readonly statementTimeoutMs: number;
}

/** Settings that cannot be used; the message names all of them, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the settings from environment variables; an empty one counts as absent. Throws ConfigError naming every wrong one. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ServiceConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = environment.safeParse(given);
  if (!result.success) {
    const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`Wrong settings in the environment:\n${lines.join('\n')}`);
  }
  const { data } = result;
  return {
    host: data.HOST,
    port: data.PORT,
    logLevel: data.LOG_LEVEL,
    bodyLimit: data.BODY_LIMIT,
    shutdownTimeoutMs: data.SHUTDOWN_TIMEOUT_MS,
    database: {
      ...(data.DATABASE_URL === undefined ? {} : { url: data.DATABASE_URL }),
      dataDir: data.DATA_DIR,
      poolSize: data.DATABASE_POOL_SIZE,
      connectTimeoutMs: data.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: data.DATABASE_STATEMENT_TIMEOUT_MS,
    },
    stateMemoryBytes: data.STATE_MEMORY_MB * 1024 * 1024,
    retention: {
      ...(data.RETENTION_MAX_REVISIONS === undefined ? {} : { keepRevisions: data.RETENTION_MAX_REVISIONS }),
      ...(data.RETENTION_MAX_AGE === undefined ? {} : { maxAgeSeconds: data.RETENTION_MAX_AGE }),
    },
  };
}
