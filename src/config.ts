import { z } from 'zod';

/** A whole number of at least `least` in a setting's text. */
const whole = (least: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => Number.isSafeInteger(value) && value >= least, `must be at least ${least}`);

const MIB = 1024 * 1024;

/** Every setting of the environment, its form and its default. An empty value counts as absent. */
const settings = z.object({
  PORT: whole(0)
    .refine((port) => port <= 65_535, 'must be at most 65535')
    .default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .refine((url) => URL.canParse(url), 'must be a URL')
    .optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_POOL_SIZE: whole(4).default(16),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(0).default(120_000),
  DATABASE_CONNECT_TIMEOUT_MS: whole(1).default(5_000),
  STATE_MEMORY_MB: whole(64).default(2_048),
  BODY_LIMIT_MB: whole(1).default(8),
  SNAPSHOT_BODY_LIMIT_MB: whole(1).default(2_048),
  RETENTION_REVISIONS: whole(1).optional(),
  RETENTION_DAYS: whole(1).optional(),
  RETENTION_INTERVAL_MINUTES: whole(1).default(60),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export interface DatabaseConfig {
  /** Absent: the embedded Postgres in `dataDir`. */
  readonly url: string | undefined;
  readonly dataDir: string;
  readonly poolSize: number;
  /** 0: none. */
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly logLevel: z.infer<typeof settings>['LOG_LEVEL'];
  readonly database: DatabaseConfig;
  /** How much memory the loaded cluster states may take, in bytes. */
  readonly stateMemoryBytes: number;
  /** The largest request body, in bytes, as it arrives and after decompression. */
  readonly bodyLimitBytes: number;
  readonly snapshotBodyLimitBytes: number;
  readonly retention: {
    readonly revisions: number | undefined;
    readonly days: number | undefined;
    readonly intervalMinutes: number;
  };
}

/** The settings that are wrong, all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly { readonly setting: string; readonly problem: string }[]) {
    super(['wrong settings:', ...problems.map(({ setting, problem }) => `  ${setting}: ${problem}`)].join('\n'));
  }
}

/**
 * Reads the settings from environment variables.
 * @throws {ConfigError} naming every wrong one at once; values are not repeated, they may be secrets
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(settings.shape)
      .map((name) => [name, environment[name]?.trim()] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => ({ setting: issue.path.join('.'), problem: issue.message })),
    );
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    logLevel: env.LOG_LEVEL,
    database: {
      url: env.DATABASE_URL,
      dataDir: env.DATA_DIR,
      poolSize: env.DATABASE_POOL_SIZE,
      statementTimeoutMs: env.DATABASE_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS,
    },
    stateMemoryBytes: env.STATE_MEMORY_MB * MIB,
    bodyLimitBytes: env.BODY_LIMIT_MB * MIB,
    snapshotBodyLimitBytes: env.SNAPSHOT_BODY_LIMIT_MB * MIB,
    retention: {
      revisions: env.RETENTION_REVISIONS,
      days: env.RETENTION_DAYS,
      intervalMinutes: env.RETENTION_INTERVAL_MINUTES,
    },
  };
}
