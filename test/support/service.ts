import { afterEach } from '@jest/globals';
import { answerOf, type Answer } from './answer.js';
import { importBuilt } from './import-built.js';
import type { TestPostgres } from './postgres.js';
import type { checkResponses as Check, ServiceOverrides, startInProcess as Start } from './service-in-process.js';

const { startInProcess, checkResponses } = await importBuilt<{
  readonly startInProcess: typeof Start;
  readonly checkResponses: typeof Check;
}>('test/support/service-in-process.js');

// A test fails if a response of the service differs from the OpenAPI document.
afterEach(checkResponses);

export { answerOf, type Answer };

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

/** The real service with its own real Postgres, on a free port. */
export async function startTestService(
  settings: Record<string, string> = {},
  overrides: ServiceOverrides = {},
): Promise<TestService> {
  const service = await startInProcess(settings, overrides);

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
    ...service,
    request,
    graphql: (query, variables) =>
      request('POST', '/graphql', { query, ...(variables === undefined ? {} : { variables }) }),
    close: async () => {
      await service.close();
      // Responses after the last test or before the first.
      checkResponses();
    },
  };
}
