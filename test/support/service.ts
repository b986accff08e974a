import { Writable } from 'node:stream';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { startService, type ServiceOverrides } from '../../src/start-service.js';
import './check-responses.js';
import { startTestPostgres, type TestPostgres } from './postgres.js';
import { checkResponses, watchResponses } from './watched-responses.js';

/** A response, with its body as JSON if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
  /** The value at a path, such as `errors.0.extensions.code`; undefined if it does not exist. */
  at(path: string): unknown;
}

export interface TestService {
  readonly url: string;
  readonly postgres: TestPostgres;
  /** The URL of the service's database. */
  readonly databaseUrl: string;
  /** All log lines. */
  readonly logLines: () => string;
  request(method: string, path: string, body?: string | object, headers?: Record<string, string>): Promise<Answer>;
  graphql(query: string, variables?: object): Promise<Answer>;
  close(): Promise<void>;
}

/** Compiling the sources blocks the event loop for longer than the default time for a connection. */
const DEFAULTS = { PORT: '0', DATABASE_CONNECT_TIMEOUT_MS: '60000' };

/** The real service with its own real Postgres, on a free port. */
export async function startTestService(
  settings: Record<string, string> = {},
  overrides: ServiceOverrides = {},
): Promise<TestService> {
  const postgres = await startTestPostgres();
  let logged = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const databaseUrl = await postgres.createEmptyDatabase();
  const config = readConfig({ ...DEFAULTS, DATABASE_URL: databaseUrl, ...settings });
  const service = await startService(config, { log: pino({ level: 'debug' }, sink), ...overrides });
  const unwatch = watchResponses(service.url);

  const request: TestService['request'] = async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string';
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(service.url + path, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    return answerOf(response);
  };
  return {
    url: service.url,
    postgres,
    databaseUrl,
    logLines: () => logged,
    request,
    graphql: (query, variables) =>
      request('POST', '/graphql', { query, ...(variables === undefined ? {} : { variables }) }),
    close: async () => {
      await service.close();
      await postgres.stop();
      unwatch();
      // Responses after the last test or before the first.
      checkResponses();
    },
  };
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Reads a whole response. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    at: (path) => path.split('.').reduce(member, json),
  };
}
