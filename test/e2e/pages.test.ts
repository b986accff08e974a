import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { list, node, send } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  // The index links to the dashboard.
  await promisify(execFile)('node', ['scripts/build.mjs', '--bundle']);
  service = await startTestService();
}, 180_000);
afterAll(() => service.close());

describe.each(['/docs', '/graphiql'])('the page %s', (path) => {
  it('refers to no other host, and all its references exist', async () => {
    const page = await service.request('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).not.toMatch(/\/\/[a-z]/);

    const references = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(3);
    for (const reference of references) {
      expect(reference).toMatch(/^(docs|graphiql)\//);
      const answer = await service.request('GET', new URL(reference, service.url + path).pathname);
      expect([reference, answer.status]).toEqual([reference, 200]);
      expect(answer.text.length).toBeGreaterThan(50);
    }
  });

  it('lets the browser fetch from this service only', async () => {
    const page = await service.request('GET', path);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
  });

  it('serves no other file of the packages', async () => {
    const answer = await service.request('GET', `${path}/assets/package.json`);
    expect(answer.status).toBe(404);
  });
});

describe('the index', () => {
  it('shows a browser the dashboard, and the links below /api/v1', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const root = await fetch(service.url, { headers: { accept }, redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, 'ui/']);
    const page = await service.request('GET', '/api/v1', undefined, { accept });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.text).toContain('<a href="../docs">');
  });

  it.each([
    ['application/json', 'application/json', '"href":"docs"'],
    ['text/plain', 'text/plain', 'docs '],
    ['*/*', 'application/json', '"href":"openapi.json"'],
  ])('for %s is %s', async (accept, type, says) => {
    const answer = await service.request('GET', '/', undefined, { accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(answer.text).toContain(says);
  });

  it.each(['/', '/api/v1'])('at %s links to existing paths', async (path) => {
    const { links } = (await service.request('GET', path)).json as { links: Record<string, { href: string }> };
    for (const { href } of Object.values(links)) {
      const target = new URL(href, `${service.url}${path}`).pathname;
      // GraphQL without a query is a fault of the request.
      expect([target, (await service.request('GET', target)).status]).toEqual([
        target,
        target === '/graphql' ? 400 : 200,
      ]);
    }
  });
});

describe('the documents', () => {
  it.each([
    ['/openapi.json', 'application/json', '{"openapi":"3.1.0"'],
    ['/openapi.yaml', 'application/yaml', 'openapi: 3.1.0\n'],
    ['/openapi-3.0.json', 'application/json', '{"openapi":"3.0.3"'],
    ['/openapi-3.0.yaml', 'application/yaml', 'openapi: 3.0.3\n'],
    ['/schema.graphql', 'text/plain', 'type Query {\n'],
  ])('%s is served', async (path, type, says) => {
    const answer = await service.request('GET', path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(answer.text).toContain(says);
    const file = path.slice(1);
    if (file === 'openapi.json' || file.startsWith('openapi-3.0')) return;
    const written = await readFile(file, 'utf8');
    expect(answer.text.trim()).toBe(written.replace(/^(#.*\n)+\n?/, '').trim());
  });
});

describe('an unknown path', () => {
  it.each([
    ['/clusters', '/api/v1/clusters'],
    ['/api/clusters', '/api/v1/clusters'],
    ['/api/v1/cluster', '/api/v1/clusters'],
    ['/api/v1/clusters/prod/node?limit=1', '/api/v1/clusters/prod/nodes'],
  ])('such as %s gets %s', async (path, near) => {
    const answer = await service.request('GET', path);
    expect([answer.status, answer.at('code')]).toEqual([404, 'route-not-found']);
    expect(answer.at('detail')).toContain(`Did you mean ${near}?`);
  });

  it('without a similar one gets the entry points', async () => {
    expect((await service.request('GET', '/nonsense')).at('detail')).toContain('See /');
  });
});

it('with a manifest takes it as the question', async () => {
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { containers: [{ name: 'c' }] } };
  const answer = await service.request('POST', '/api/v1/clusters/c/placements', manifest);
  expect([answer.status, answer.at('code')]).toEqual([404, 'cluster-not-found']);
});

describe('behind a proxy, under a prefix', () => {
  let prefixed: TestService;
  beforeAll(async () => {
    prefixed = await startTestService({ PUBLIC_URL: 'https://tools.example/placement/' });
  });
  afterAll(() => prefixed.close());

  it.each(['', '/placement'])('requests work whether the proxy strips the prefix or keeps it (%s)', async (prefix) => {
    const path = `${prefix}/api/v1/clusters/c/snapshots?createCluster=true`;
    const taken = await send(prefixed, path, list([node('a')]), {
      origin: 'https://tools.example',
      host: 'tools.example',
    });
    expect([taken.status, taken.headers.get('location')]).toEqual([
      201,
      expect.stringMatching(/^\/placement\/api\/v1\/clusters\/c\/snapshots\/\d+$/),
    ]);
    const problem = await prefixed.request('GET', `${prefix}/api/v1/clusters/none`);
    expect(problem.json).toMatchObject({
      type: '/placement/docs/errors#cluster-not-found',
      instance: '/placement/api/v1/clusters/none',
    });
    expect((await prefixed.request('GET', prefix === '' ? '/' : prefix)).status).toBe(200);
  });

  it('the document names the public URL', async () => {
    expect((await prefixed.request('GET', '/openapi.json')).at('servers.0.url')).toBe(
      'https://tools.example/placement',
    );
  });

  it('a path that only starts with the same characters is not found', async () => {
    expect((await prefixed.request('GET', '/placementx/docs')).status).toBe(404);
  });
});

describe('the access log', () => {
  const logged = async (traceparent: string): Promise<Record<string, unknown>> => {
    const id = randomUUID();
    await service.request('GET', '/docs/errors', undefined, { traceparent, 'x-request-id': id });
    const line = service
      .logLines()
      .split('\n')
      .find((text) => text.includes(id) && text.includes('"msg":"request"'));
    return JSON.parse(line!) as Record<string, unknown>;
  };

  it('has the trace of a request', async () => {
    const line = await logged('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
    expect(line).toMatchObject({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentSpanId: '00f067aa0ba902b7' });
  });

  it.each([
    'x',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ])('leaves out an invalid trace: %s', async (traceparent) => {
    expect(await logged(traceparent)).not.toHaveProperty('traceId');
  });
});
