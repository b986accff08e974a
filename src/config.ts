import { isIP } from 'node:net';
import { z } from 'zod';
import { MAX_APPROVAL_SECONDS } from './app/approvals/approval-limit.js';
import { parseDuration } from './app/duration.js';
import type { LiveSettings } from './app/live/live-streams.js';
import { isLoopback } from './auth/loopback.js';
import { availableCores } from './available-cores.js';
import type { OidcSettings } from './auth/oidc-verifier.js';
import { isTrustworthyUrl } from './auth/trustworthy-url.js';
import { OTLP_PROTOCOLS, SAMPLERS, tracingSettings, type TracingSettings } from './tracing/tracing-settings.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const integer = (minimum: number, maximum: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`))
    .default(fallback);

/** An optional whole number. */
const optionalInteger = (minimum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`))
    .optional();

const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, 'must be a duration, such as 30d, 12h or 90 (seconds)')
  .transform((text) => parseDuration(text))
  .optional();

const address = z
  .string()
  .refine(isTrustworthyUrl, 'must be an https:// URL (http:// only for this machine)')
  .optional();

/** A comma-separated list of non-empty members. */
const listOf = (isMember: (text: string) => boolean, rule: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((member) => member.trim()))
    .refine((members) => members.every(isMember), rule)
    .optional();

const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

function isHostPattern(text: string): boolean {
  return NAME.test(text.replace(/^\*\./, '')) || isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** An origin as browsers write it; browser extensions have their own schemes. */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return (protocol !== 'http:' && protocol !== 'https:') || origin === text;
}

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** An address, a range, or a name of ranges that Fastify knows. */
const isTrustedProxy = (text: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) || isRange(text);

/** An address or a range of addresses. */
function isRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

const postgresAddress = z.string().regex(/^postgres(ql)?:\/\/\S+$/, 'must be a postgres:// or postgresql:// URL');

/** An http(s) address without credentials or query. */
const otlpEndpoint = z.string().refine(isPublicUrl, 'must be an http:// or https:// URL').optional();

const otlpProtocol = z.enum(OTLP_PROTOCOLS, `must be one of ${OTLP_PROTOCOLS.join(', ')}`);

/** The longest time that a browser may stay logged in. */
const MAX_SESSION_SECONDS = 30 * 86_400;

const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: integer(0, 65_535, 3000),
  ALLOWED_HOSTS: listOf(isHostPattern, 'must be host names without port, such as placement.internal or *.corp.example'),
  ALLOWED_ORIGINS: listOf(
    isOrigin,
    'must be origins without path, such as https://dash.example or http://localhost:8080',
  ),
  PUBLIC_URL: z.string().refine(isPublicUrl, 'must be an http:// or https:// URL without query').optional(),
  TRUST_PROXY: listOf(isTrustedProxy, 'must be proxy addresses, such as 10.0.0.0/8, loopback or uniquelocal'),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  BODY_LIMIT: integer(1024, 256 * 1024 * 1024, 4 * 1024 * 1024),
  SHUTDOWN_TIMEOUT_MS: integer(0, 600_000, 10_000),
  DATABASE_URL: postgresAddress.optional(),
  DATABASE_READ_URL: postgresAddress.optional(),
  DATABASE_POOL_SIZE: integer(2, 500, 10),
  DATABASE_CONNECT_TIMEOUT_MS: integer(100, 120_000, 5_000),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(0, 3_600_000, 120_000),
  DATA_DIR: z.string().min(1).default('./data'),
  STATE_MEMORY_MB: integer(16, 1_000_000, 1024),
  DIGEST_PERCENT: integer(0, 100, 20),
  WARM_UP_MS: integer(0, 600_000, 5000),
  WORKERS: z
    .string()
    .regex(/^(auto|[1-9]\d?)$/, 'must be auto, or a number from 1 to 99')
    .default('1'),
  WORKERS_PER_CLUSTER: integer(1, 99, 99),
  SNAPSHOT_MAX_REMOVAL_PERCENT: integer(0, 100, 20),
  RETENTION_MAX_REVISIONS: optionalInteger(1),
  RETENTION_MAX_AGE: duration,
  DECISION_RETENTION_MAX_AGE: duration,
  APPROVAL_MAX_AGE: duration.refine(
    (seconds) => seconds === undefined || (seconds >= 60 && seconds <= MAX_APPROVAL_SECONDS),
    'must be between 1m and 30d',
  ),
  AUTHENTICATION: z.enum(['required', 'off'], 'must be required or off').optional(),
  AUTH_FILE: z.string().min(1).optional(),
  OIDC_ISSUER: address,
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_JWKS_URI: address,
  OIDC_CLOCK_SKEW_SECONDS: integer(0, 600, 30),
  OIDC_USERNAME_CLAIM: z.string().min(1).default('sub'),
  OIDC_GROUPS_CLAIM: z.string().min(1).default('groups'),
  OIDC_JWKS_COOLDOWN_SECONDS: integer(0, 3600, 30),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET_FILE: z.string().min(1).optional(),
  OIDC_SCOPES: z
    .string()
    .regex(/(^| )openid( |$)/, 'must contain openid')
    .default('openid profile email'),
  SESSION_MAX_AGE: duration.refine(
    (seconds) => seconds === undefined || (seconds >= 60 && seconds <= MAX_SESSION_SECONDS),
    'must be between 1m and 30d',
  ),
  METRICS_OPEN: z.enum(['true', 'false'], 'must be true or false').default('false'),
  RATE_LIMIT: optionalInteger(0),
  AUDIT_SIGNING_KEY_FILE: z.string().min(1).optional(),
  CONNECTION_KEY_FILE: z.string().min(1).optional(),
  NOTIFICATION_ALLOWED_ADDRESSES: listOf(isRange, 'must be addresses or ranges, such as 10.1.0.0/16'),
  TLS_CERT_FILE: z.string().min(1).optional(),
  TLS_KEY_FILE: z.string().min(1).optional(),
  TLS_CA_FILE: z.string().min(1).optional(),
  TLS_CLIENT_CA_FILE: z.string().min(1).optional(),
  UPLOADS_PER_CALLER: integer(1, 1000, 16),
  UPLOADS: integer(1, 1000, 32),
  LIVE_HEARTBEAT: integer(1, 120, 15),
  LIVE_STREAMS_PER_CALLER: integer(1, 100_000, 20),
  LIVE_STREAMS: integer(1, 100_000, 2000),
  LIVE_QUEUE_KB: integer(16, 1024 * 1024, 1024),
  FOLLOW_COALESCE_MS: integer(0, 60_000, 1000),
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], 'must be true or false').default('false'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpEndpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('kube-placement'),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .default('1')
    .transform(Number),
});

/** Settings that require another setting. */
const DEPENDENCIES: readonly (readonly [name: string, needs: string])[] = [
  ['OIDC_ISSUER', 'OIDC_AUDIENCE'],
  ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
  ['DATABASE_READ_URL', 'DATABASE_URL'],
  ...['TLS_KEY_FILE', 'TLS_CA_FILE', 'TLS_CLIENT_CA_FILE'].map((name) => [name, 'TLS_CERT_FILE'] as const),
  ...['OIDC_AUDIENCE', 'OIDC_JWKS_URI', 'OIDC_CLOCK_SKEW_SECONDS', 'OIDC_USERNAME_CLAIM', 'OIDC_GROUPS_CLAIM'].map(
    (name) => [name, 'OIDC_ISSUER'] as const,
  ),
  // The provider sends the browser back to the public URL.
  ...['OIDC_ISSUER', 'PUBLIC_URL'].map((name) => ['OIDC_CLIENT_ID', name] as const),
  ...['OIDC_CLIENT_SECRET_FILE', 'OIDC_SCOPES', 'SESSION_MAX_AGE'].map((name) => [name, 'OIDC_CLIENT_ID'] as const),
];

/** Requests per minute of one caller to one route, if authentication is on. */
const DEFAULT_RATE_LIMIT = 6000;

/** How long a browser stays logged in. */
const DEFAULT_SESSION_SECONDS = 8 * 3600;

/** How long a change waits for approval. */
const DEFAULT_APPROVAL_SECONDS = 86_400;

/** Maximum number of events queued for a reader. */
const MAX_QUEUED = 10_000;

/** The settings of the service. */
export interface ServiceConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly web: WebConfig;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Maximum bytes of an ordinary request body; snapshots are streamed and have their own limits. */
  readonly bodyLimit: number;
  /** How long requests in progress may continue after a stop signal. */
  readonly shutdownTimeoutMs: number;
  readonly database: DatabaseConfig;
  /** Processes that serve the port. */
  readonly workers: number;
  /** How many of them may answer for one cluster, and hold its state, while the first of them is busy. */
  readonly workersPerCluster: number;
  /** Maximum bytes of cached states, by their own rough count. */
  readonly stateMemoryBytes: number;
  /** How much of its time a process keeps digests of states ahead of questions. */
  readonly digestPercent: number;
  /** How much longer a start may take, in milliseconds, so that the code that answers is compiled. 0: not at all. */
  readonly warmUpMs: number;
  /**
   * Maximum percentage of the stored nodes, and of the stored pods, that a snapshot may remove without confirmation;
   * 100 for no limit.
   */
  readonly snapshotMaxRemovalPercent: number;
  /** How long a change waits for approval, unless it says until when. */
  readonly approvalMaxAgeSeconds: number;
  /** Limits for automatic removal of old revisions; without limits none are removed. */
  readonly retention: RetentionConfig;
  /** How long recorded decisions are kept, unless their cluster has a limit of its own; absent: for ever. */
  readonly decisionRetentionSeconds?: number;
  readonly authentication: AuthenticationConfig;
  /** Requests per minute of one caller to one route; 0: no limit. */
  readonly rateLimit: number;
  /**
   * PEM file with the Ed25519 private key that signs checkpoints of the audit trail; absent: checkpoints are not
   * signed.
   */
  readonly auditSigningKeyFile?: string;
  /** File with the keys that encrypt credentials for API servers; absent: no cluster can be connected. */
  readonly connectionKeyFile?: string;
  /** Addresses and ranges of private networks to which notifications may be sent. */
  readonly notificationAddresses: readonly string[];
  /** Maximum number of concurrent uploads of snapshots and audit events. */
  readonly uploads: { readonly perCaller: number; readonly inTotal: number };
  readonly live: LiveSettings;
  /** How long changes of a followed cluster are collected into one revision, in milliseconds. */
  readonly followCoalesceMs: number;
  /** Absent: HTTP without TLS. */
  readonly tls?: TlsConfig;
  /** Absent: no traces. */
  readonly tracing?: TracingSettings;
}

/** How browsers and proxies reach the service. */
export interface WebConfig {
  /** Host names that the service accepts besides those of this machine; absent: depends on authentication. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may read and write. */
  readonly allowedOrigins: readonly string[];
  /** Public URL of the service without trailing slash; absent: unknown. */
  readonly publicUrl?: string;
  /** Addresses and ranges of the proxies whose X-Forwarded headers are trusted. */
  readonly trustProxy?: readonly string[];
}

/** Paths of PEM files, which are reloaded when they change. */
export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** The CA bundle that clients trust: that of the certificate; absent: the certificate itself. */
  readonly caFile?: string;
  /** Only clients with a certificate of one of these CAs may connect. */
  readonly clientCaFile?: string;
}

export interface AuthenticationConfig {
  readonly mode: 'required' | 'off';
  /** Whether the settings determine the mode; otherwise it follows from the listen address. */
  readonly isExplicit: boolean;
  /** Whether the service is reachable only from this machine. */
  readonly onLoopback: boolean;
  /** Path of the file with static tokens and bindings. */
  readonly file?: string;
  readonly oidc?: OidcSettings;
  /** How people log in with a browser; absent: only with tokens. */
  readonly login?: LoginConfig;
  /** Whether metrics are served without authentication. */
  readonly metricsOpen: boolean;
}

export interface LoginConfig {
  readonly clientId: string;
  /** Path of a file with the secret; absent for a public client. */
  readonly clientSecretFile?: string;
  readonly scopes: string;
  /** Public URL of the service without trailing slash. */
  readonly publicUrl: string;
  readonly sessionSeconds: number;
}

export interface RetentionConfig {
  /** Maximum number of revisions of a cluster. */
  readonly keepRevisions?: number;
  /** Maximum age of a revision since it was received, in seconds. */
  readonly maxAgeSeconds?: number;
}

export interface DatabaseConfig {
  /** Absent: an embedded Postgres in `dataDir`. */
  readonly url?: string;
  /** A standby of it, for reads. */
  readonly readUrl?: string;
  readonly dataDir: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  /** 0: no timeout. */
  readonly statementTimeoutMs: number;
}

/** Invalid settings; the message lists all errors, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function givenOf(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

const wrongSettings = (faults: readonly string[]): ConfigError =>
  new ConfigError(`Invalid settings in the environment:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

/** The database URLs of an owner and of the service, if these are different roles. */
export interface MigrationConfig {
  readonly ownerUrl: string;
  readonly serviceUrl: string;
}

const migrationEnvironment = z.object({
  MIGRATION_DATABASE_URL: postgresAddress.optional(),
  DATABASE_URL: postgresAddress.optional(),
});

/**
 * Like `readConfig`, for the command that migrates as the owner of the tables.
 * @throws {ConfigError}
 */
export function readMigrationConfig(env: Readonly<Record<string, string | undefined>>): MigrationConfig {
  const given = givenOf(env);
  const result = migrationEnvironment.safeParse(given);
  const faults = result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const { MIGRATION_DATABASE_URL: ownerUrl, DATABASE_URL: serviceUrl } = result.data ?? {};
  if (!('MIGRATION_DATABASE_URL' in given)) {
    faults.push('MIGRATION_DATABASE_URL: must be the URL for the role that owns the tables, or will own them');
  }
  if (!('DATABASE_URL' in given)) faults.push('DATABASE_URL: must be the URL for the role of the service');
  if (ownerUrl === undefined || serviceUrl === undefined || faults.length > 0) throw wrongSettings(faults);
  return { ownerUrl, serviceUrl };
}

/**
 * Reads the settings from environment variables; an empty one counts as absent.
 * @throws {ConfigError} with every invalid setting
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ServiceConfig {
  const given = givenOf(env);
  const result = environment.safeParse(given);
  const faults = result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  for (const [name, needs] of DEPENDENCIES) {
    if (name in given && !(needs in given))
      faults.push(`${name}: has no effect without ${needs}; set ${needs} as well`);
  }
  if (!result.success || faults.length > 0) throw wrongSettings(faults);
  const { data } = result;
  const tracing = tracingSettings(data);
  return {
    host: data.HOST,
    port: data.PORT,
    web: webOf(data),
    logLevel: data.LOG_LEVEL,
    bodyLimit: data.BODY_LIMIT,
    shutdownTimeoutMs: data.SHUTDOWN_TIMEOUT_MS,
    database: {
      ...(data.DATABASE_URL === undefined ? {} : { url: data.DATABASE_URL }),
      ...(data.DATABASE_READ_URL === undefined ? {} : { readUrl: data.DATABASE_READ_URL }),
      dataDir: data.DATA_DIR,
      poolSize: data.DATABASE_POOL_SIZE,
      connectTimeoutMs: data.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: data.DATABASE_STATEMENT_TIMEOUT_MS,
    },
    workers: data.WORKERS === 'auto' ? availableCores() : Number(data.WORKERS),
    workersPerCluster: data.WORKERS_PER_CLUSTER,
    stateMemoryBytes: data.STATE_MEMORY_MB * 1024 * 1024,
    digestPercent: data.DIGEST_PERCENT,
    warmUpMs: data.WARM_UP_MS,
    snapshotMaxRemovalPercent: data.SNAPSHOT_MAX_REMOVAL_PERCENT,
    retention: {
      ...(data.RETENTION_MAX_REVISIONS === undefined ? {} : { keepRevisions: data.RETENTION_MAX_REVISIONS }),
      ...(data.RETENTION_MAX_AGE === undefined ? {} : { maxAgeSeconds: data.RETENTION_MAX_AGE }),
    },
    ...(data.DECISION_RETENTION_MAX_AGE !== undefined && {
      decisionRetentionSeconds: data.DECISION_RETENTION_MAX_AGE,
    }),
    approvalMaxAgeSeconds: data.APPROVAL_MAX_AGE ?? DEFAULT_APPROVAL_SECONDS,
    authentication: authenticationOf(data),
    rateLimit: data.RATE_LIMIT ?? (authenticationOf(data).mode === 'off' ? 0 : DEFAULT_RATE_LIMIT),
    uploads: { perCaller: data.UPLOADS_PER_CALLER, inTotal: data.UPLOADS },
    followCoalesceMs: data.FOLLOW_COALESCE_MS,
    live: {
      heartbeatMs: data.LIVE_HEARTBEAT * 1000,
      perCaller: data.LIVE_STREAMS_PER_CALLER,
      inTotal: data.LIVE_STREAMS,
      queue: { items: MAX_QUEUED, bytes: data.LIVE_QUEUE_KB * 1024 },
    },
    ...tlsOf(data),
    ...(tracing && { tracing }),
    notificationAddresses: data.NOTIFICATION_ALLOWED_ADDRESSES ?? [],
    ...(data.CONNECTION_KEY_FILE !== undefined && { connectionKeyFile: data.CONNECTION_KEY_FILE }),
    ...(data.AUDIT_SIGNING_KEY_FILE === undefined ? {} : { auditSigningKeyFile: data.AUDIT_SIGNING_KEY_FILE }),
  };
}

function webOf(data: z.infer<typeof environment>): WebConfig {
  const { ALLOWED_HOSTS, ALLOWED_ORIGINS, PUBLIC_URL, TRUST_PROXY } = data;
  return {
    ...(ALLOWED_HOSTS && { allowedHosts: ALLOWED_HOSTS }),
    allowedOrigins: ALLOWED_ORIGINS ?? [],
    ...(PUBLIC_URL !== undefined && { publicUrl: new URL(PUBLIC_URL).href.replace(/\/+$/, '') }),
    ...(TRUST_PROXY !== undefined && { trustProxy: TRUST_PROXY }),
  };
}

function tlsOf(data: z.infer<typeof environment>): Pick<ServiceConfig, 'tls'> {
  const {
    TLS_CERT_FILE: certFile,
    TLS_KEY_FILE: keyFile,
    TLS_CA_FILE: caFile,
    TLS_CLIENT_CA_FILE: clientCaFile,
  } = data;
  if (certFile === undefined || keyFile === undefined) return {};
  return { tls: { certFile, keyFile, ...(caFile && { caFile }), ...(clientCaFile && { clientCaFile }) } };
}

/**
 * By default, authentication is required if the service is reachable from other machines, or if tokens or an identity
 * provider are configured.
 */
function authenticationOf(data: z.infer<typeof environment>): AuthenticationConfig {
  const { HOST, AUTHENTICATION, AUTH_FILE } = data;
  const oidc = oidcOf(data);
  const onLoopback = isLoopback(HOST);
  const names = AUTH_FILE !== undefined || oidc !== undefined;
  return {
    mode: AUTHENTICATION ?? (onLoopback && !names ? 'off' : 'required'),
    isExplicit: AUTHENTICATION !== undefined || names,
    onLoopback,
    ...(AUTH_FILE === undefined ? {} : { file: AUTH_FILE }),
    ...(oidc === undefined ? {} : { oidc }),
    ...loginOf(data),
    metricsOpen: data.METRICS_OPEN === 'true',
  };
}

function loginOf(data: z.infer<typeof environment>): { readonly login?: LoginConfig } {
  const { OIDC_CLIENT_ID, OIDC_CLIENT_SECRET_FILE, OIDC_SCOPES, SESSION_MAX_AGE } = data;
  const { publicUrl } = webOf(data);
  if (OIDC_CLIENT_ID === undefined || publicUrl === undefined) return {};
  return {
    login: {
      clientId: OIDC_CLIENT_ID,
      ...(OIDC_CLIENT_SECRET_FILE !== undefined && { clientSecretFile: OIDC_CLIENT_SECRET_FILE }),
      scopes: OIDC_SCOPES,
      publicUrl,
      sessionSeconds: SESSION_MAX_AGE ?? DEFAULT_SESSION_SECONDS,
    },
  };
}

function oidcOf(data: z.infer<typeof environment>): OidcSettings | undefined {
  const { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_JWKS_URI } = data;
  if (OIDC_ISSUER === undefined || OIDC_AUDIENCE === undefined) return undefined;
  return {
    issuer: OIDC_ISSUER,
    audience: OIDC_AUDIENCE,
    ...(OIDC_JWKS_URI === undefined ? {} : { keySetUrl: OIDC_JWKS_URI }),
    clockSkewSeconds: data.OIDC_CLOCK_SKEW_SECONDS,
    usernameClaim: data.OIDC_USERNAME_CLAIM,
    groupsClaim: data.OIDC_GROUPS_CLAIM,
    keySetCooldownSeconds: data.OIDC_JWKS_COOLDOWN_SECONDS,
  };
}
