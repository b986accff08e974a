import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { installEtag } from '../../src/api/http/etag.js';
import { installAnswers } from '../../src/api/http/fastify-adapter.js';
import type { RequestContext } from '../../src/app/request-context.js';
import { WithheldValues } from '../../src/app/withheld-values.js';
import { Access } from '../../src/auth/access.js';
import { startTestService, type TestService } from '../support/service.js';

describe('a response that is based on one revision', () => {
  const server = fastify();
  const nextVersion = fastify();
  let revision = 7;
  beforeAll(async () => {
    await serve(server, '1.0.0');
    await serve(nextVersion, '1.0.1');
  });

  async function serve(server: FastifyInstance, version: string): Promise<void> {
    const caller = { access: Access.everything, withheld: new WithheldValues() };
    server.decorateRequest('requestContext', { getter: () => caller as unknown as RequestContext });
    await installAnswers(server);
    installEtag(server, version);
    let answers = 0;
    server.get('/nodes', () => ({
      basis: { revision, capturedAt: new Date(0), rulesVersion: 'v1.36.2', decisionId: String(answers++) },
      items: ['x'.repeat(5000)],
    }));
  }
  afterAll(() => Promise.all([server.close(), nextVersion.close()]));

  const get = (url: string, tag?: string | number | string[], from = server) =>
    from.inject({
      url,
      headers: { 'accept-encoding': 'gzip', ...(tag === undefined ? {} : { 'if-none-match': String(tag) }) },
    });

  it('gets 304 until there is a new revision', async () => {
    const first = await get('/nodes');
    expect(first).toMatchObject({
      statusCode: 200,
      headers: { 'content-encoding': 'gzip', 'cache-control': 'no-cache' },
    });
    const { etag } = first.headers;
    expect(etag).toMatch(/^W\/"7-[\w-]{22}"$/);
    const again = await get('/nodes', `"other", ${String(etag)}`);
    expect(again).toMatchObject({ statusCode: 304, payload: '', headers: { etag } });
    expect((await get('/nodes?limit=1', etag)).statusCode).toBe(200);
    expect((await get('/nodes', etag, nextVersion)).statusCode).toBe(200);
    revision = 8;
    expect((await get('/nodes', etag)).statusCode).toBe(200);
  });
});

describe('when the database goes away', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('reads get 503 with Retry-After, and the service survives', async () => {
    expect((await service.request('GET', '/api/v1/clusters')).status).toBe(200);
    await service.postgres.server.stop();
    const rest = await service.request('GET', '/api/v1/clusters');
    expect(rest).toMatchObject({ status: 503, json: { code: 'database-unavailable' } });
    expect(rest.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(rest.text).not.toContain('ECONN');
    const graphql = await service.graphql('{ clusters { totalCount } }');
    expect(graphql.at('errors.0.extensions')).toMatchObject({ code: 'database-unavailable', status: 503 });
    expect((await service.request('GET', '/readyz')).json).toEqual({
      ready: false,
      checks: [{ name: 'database', ok: false }],
    });
    expect((await service.request('GET', '/healthz')).status).toBe(200);
  });
});
