import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { connect } from 'node:net';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BODY_LIMIT: '65536' });
});
afterAll(() => service.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const YAML_TYPE = { 'content-type': 'application/yaml' };
const CLUSTERS = '/api/v1/clusters';

interface BadRequest {
  name: string;
  method?: string;
  path?: string;
  body?: string;
  headers?: Record<string, string>;
  status: number;
  code: string;
  /** What the problem document must say somewhere. */
  says?: string[];
}

const put = (name: string, body: string, status: number, code: string, ...says: string[]): BadRequest => ({
  name,
  method: 'PUT',
  path: `${CLUSTERS}/bad`,
  body,
  headers: JSON_TYPE,
  status,
  code,
  says,
});

describe('a bad request gets a problem document', () => {
  const cases: BadRequest[] = [
    put('JSON that breaks off names line and column', '{"labels":\n {"a":', 400, 'malformed-json', 'line 2, column'),
    put('a key given twice', '{"labels":{"a":"1","a":"2"}}', 400, 'malformed-json', 'a'),
    put('nesting 100,000 deep', '['.repeat(60_000), 400, 'malformed-json'),
    put('a list in the place of the envelope', '[]', 400, 'invalid-request', 'must be an object'),
    put('unknown fields are all named', '{"lables":{},"x":1}', 400, 'invalid-request', '/lables', '/x'),
    put('__proto__ as an unknown field', '{"__proto__":{"labels":{}}}', 400, 'invalid-request', '/__proto__'),
    put('a label that is not a string', '{"labels":{"a":1}}', 400, 'invalid-request', '/labels'),
    put(
      'each bad label is pointed at',
      '{"labels":{"a b":"x","c":"d e"}}',
      400,
      'invalid-request',
      '/labels/a b',
      '/labels/c',
    ),
    put('__proto__ as a label key', '{"labels":{"__proto__":"x"}}', 400, 'invalid-request', '/labels/__proto__'),
    put('a body over the limit', `{"labels":{"a":"${'x'.repeat(70_000)}"}}`, 413, 'body-too-large', '65536'),
    { ...put('a wrong content type', 'x', 415, 'unsupported-media-type'), headers: { 'content-type': 'text/plain' } },
    {
      ...put('a charset other than UTF-8', '{}', 415, 'unsupported-media-type'),
      headers: { 'content-type': 'application/json; charset=latin1' },
    },
    {
      ...put('a compressed body', '{}', 415, 'unsupported-media-type'),
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    },
    { ...put('YAML that is none', 'a: [', 400, 'malformed-yaml', 'line'), headers: YAML_TYPE },
    { ...put('several YAML documents', 'a: 1\n---\nb: 2', 400, 'malformed-yaml'), headers: YAML_TYPE },
    {
      ...put(
        'a YAML alias bomb',
        [
          'a: &a [x,x,x,x,x,x,x,x,x]',
          ...'bcdefghi'.split('').map((k, i) => `${k}: &${k} [${`*${'abcdefgh'[i]!},`.repeat(9)}]`),
        ].join('\n'),
        400,
        'malformed-yaml',
      ),
      headers: YAML_TYPE,
    },
    { ...put('YAML nested deep', '- '.repeat(20_000), 400, 'malformed-yaml'), headers: YAML_TYPE },
    {
      name: 'a prototype name as a cluster name',
      path: `${CLUSTERS}/__proto__`,
      status: 400,
      code: 'invalid-request',
      says: ['RFC 1123'],
    },
    {
      name: 'a cluster name of 254 bytes',
      path: `${CLUSTERS}/${'a'.repeat(254)}`,
      status: 400,
      code: 'invalid-request',
      says: ['253'],
    },
    { name: 'NUL in a name', path: `${CLUSTERS}/a%00b`, status: 400, code: 'invalid-request' },
    { name: 'a broken escape', path: `${CLUSTERS}/%zz`, status: 400, code: 'malformed-url' },
    { name: 'an unknown cluster', path: `${CLUSTERS}/none`, status: 404, code: 'cluster-not-found' },
    { name: 'an unknown address', path: '/api/v1/nothing', status: 404, code: 'route-not-found' },
    {
      name: 'unknown parameters are all named',
      path: `${CLUSTERS}?lim=1&foo=2&limit=0`,
      status: 400,
      code: 'invalid-request',
      says: ['"lim"', '"foo"', '"limit"'],
    },
    {
      name: 'a parameter given twice',
      path: `${CLUSTERS}?limit=1&limit=2`,
      status: 400,
      code: 'invalid-request',
      says: ['given only once'],
    },
    {
      name: 'a parameter where none is taken',
      path: '/healthz?x=1',
      status: 400,
      code: 'invalid-request',
      says: ['takes no query parameters'],
    },
    {
      name: 'a limit that is no number',
      path: `${CLUSTERS}?limit=ten`,
      status: 400,
      code: 'invalid-request',
      says: ['integer'],
    },
    {
      name: 'a boolean that is none',
      path: `${CLUSTERS}/x/events?follow=yes`,
      status: 400,
      code: 'invalid-request',
      says: ['true or false'],
    },
    { name: 'a token that is none', path: `${CLUSTERS}?continue=xyz`, status: 400, code: 'invalid-continue-token' },
    {
      name: 'a label selector that is none',
      path: `${CLUSTERS}?labelSelector=a+in`,
      status: 400,
      code: 'invalid-request',
      says: ['labelSelector'],
    },
  ];

  it.each([
    ['true', 201],
    ['True', 201],
    ['T', 201],
    ['1', 201],
    ['False', 404],
    ['f', 404],
    ['0', 404],
  ])('takes %s for a boolean in a query, as Go does', async (text, status) => {
    const list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items: [] };
    const path = `${CLUSTERS}/boolean-${text.charCodeAt(0)}-${text.length}/snapshots?createCluster=${text}`;
    expect((await service.request('POST', path, list)).status).toBe(status);
  });

  it.each(cases)('$name', async ({ method = 'GET', path = CLUSTERS, body, headers, status, code, says = [] }) => {
    const answer = await service.request(method, path, body, headers);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.json).toMatchObject({ status, code, requestId: answer.headers.get('x-request-id') });
    expect(answer.status).toBe(status);
    expect(answer.at('instance')).toBe(path.split('?')[0]);
    for (const words of says)
      expect(JSON.stringify(answer.at('errors')) + String(answer.at('detail'))).toContain(
        words.replaceAll('"', '\\"').replace(/^\\"|\\"$/g, '"'),
      );
    expect(answer.text).not.toMatch(/node_modules|\.ts:|at \w+ \(/);
  });

  it('for a wrong method, with the allowed ones', async () => {
    const answer = await service.request('PATCH', `${CLUSTERS}/a`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
    expect(answer.at('code')).toBe('method-not-allowed');
  });

  it('for a request that is not HTTP', async () => {
    const { hostname, port } = new URL(service.url);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => resolve(text));
    });
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('"code":"malformed-http"');
  });

  it('for an incomplete body, which stores nothing', async () => {
    const { hostname, port } = new URL(service.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.end(
          `PUT ${CLUSTERS}/stopped HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"lab`,
        );
      });
      socket.on('close', () => resolve()).resume();
    });
    expect((await service.request('GET', `${CLUSTERS}/stopped`)).status).toBe(404);
  });
});

describe('requests have an id', () => {
  it("that is the caller's if it is valid, and is logged without body or query", async () => {
    const answer = await service.request('GET', `${CLUSTERS}?labelSelector=token%3Dsecret1234`, undefined, {
      'x-request-id': 'trace-42',
    });
    expect(answer.headers.get('x-request-id')).toBe('trace-42');
    expect(service.logLines()).toContain('"requestId":"trace-42"');
    expect(service.logLines()).not.toContain('secret1234');
  });

  it("that is generated if the caller's does not fit a log line", async () => {
    const answer = await service.request('GET', '/healthz', undefined, { 'x-request-id': 'a'.repeat(200) });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('clusters', () => {
  it('are created, labelled, listed page by page, and deleted', async () => {
    expect(
      (await service.request('PUT', `${CLUSTERS}/one`, { labels: { env: 'prod', constructor: 'x' } })).status,
    ).toBe(201);
    const again = await service.request('PUT', `${CLUSTERS}/one`, 'labels: {env: prod, constructor: why}', YAML_TYPE);
    expect(again).toMatchObject({
      status: 200,
      json: { labels: { env: 'prod', constructor: 'why' }, headRevision: null },
    });
    expect((await service.request('PUT', `${CLUSTERS}/two`, { labels: { env: 'prod' } })).status).toBe(201);
    await service.request('PUT', `${CLUSTERS}/three`, { labels: { env: 'test' } });

    const first = await service.request('GET', `${CLUSTERS}?labelSelector=env%3Dprod&limit=1`);
    expect(first.json).toMatchObject({ items: [{ name: 'one' }], remainingItemCount: 1 });
    const token = String(first.at('continue'));
    const second = await service.request('GET', `${CLUSTERS}?labelSelector=env%3Dprod&limit=1&continue=${token}`);
    expect(second.json).toMatchObject({ items: [{ name: 'two' }], continue: null, remainingItemCount: 0 });
    const foreign = await service.request('GET', `${CLUSTERS}?limit=1&continue=${token}`);
    expect(foreign.at('code')).toBe('invalid-continue-token');

    expect((await service.request('DELETE', `${CLUSTERS}/two`)).json).toEqual({
      name: 'two',
      revisions: 0,
      objectVersions: 0,
    });
    expect((await service.request('DELETE', `${CLUSTERS}/two`)).status).toBe(404);
  });

  it('are the same over GraphQL', async () => {
    const made = await service.graphql(
      'mutation($l: Labels) { putCluster(input: { cluster: "gql", labels: $l }) { name labels } }',
      {
        l: { 'example.com/team': 'a' },
      },
    );
    expect(made.json).toEqual({ data: { putCluster: { name: 'gql', labels: { 'example.com/team': 'a' } } } });
    const query =
      'query($after: String) { clusters(first: 1, after: $after, labelSelector: "example.com/team") { totalCount edges { cursor node { name } } pageInfo { hasNextPage endCursor } } }';
    const page = await service.graphql(query);
    expect(page.at('data.clusters')).toMatchObject({
      totalCount: 1,
      edges: [{ node: { name: 'gql' } }],
      pageInfo: { hasNextPage: false },
    });
    const rest = await service.graphql(query, { after: page.at('data.clusters.pageInfo.endCursor') });
    expect(rest.at('data.clusters.edges')).toEqual([]);
    const gone = await service.graphql('mutation { deleteCluster(input: { cluster: "gql" }) { name revisions } }');
    expect(gone.at('data.deleteCluster')).toEqual({ name: 'gql', revisions: 0 });
  });
});

describe('a GraphQL query beyond the limits is refused with a code', () => {
  const magic = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';
  const cases = [
    { name: 'an unknown field', query: '{ nope }', code: 'graphql-validation' },
    { name: 'a syntax error', query: '{ clusters(', code: 'graphql-syntax' },
    {
      name: '200 aliases',
      query: `{ ${Array.from({ length: 200 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
      code: 'graphql-limit-exceeded',
    },
    {
      name: 'many fields at the root',
      query: `{ ${'clusters { totalCount } '.repeat(60)} }`,
      code: 'graphql-limit-exceeded',
    },
    {
      name: 'deep nesting',
      query: `{ __schema { types { ofType { ${'ofType { '.repeat(20)}name${' }'.repeat(20)} } } } }`,
      code: 'graphql-limit-exceeded',
    },
    { name: 'nesting 10,000 deep', query: '{a'.repeat(10_000), code: 'graphql-limit-exceeded' },
    {
      name: 'a query of 70,000 characters',
      query: `{ __typename } #${'x'.repeat(65_600)}`,
      code: 'graphql-limit-exceeded',
      bodyTooLarge: true,
    },
    { name: 'a syntax tree as JSON', query: '{"kind":"Document","definitions":[]}', code: 'graphql-syntax' },
    { name: 'first: 1000000', query: '{ clusters(first: 1000000) { totalCount } }', code: 'invalid-request' },
    { name: 'first: 0', query: '{ clusters(first: 0) { totalCount } }', code: 'invalid-request' },
    { name: 'an unknown cluster', query: '{ cluster(name: "zz") { name } }', code: 'cluster-not-found' },
  ];
  it.each(cases)('$name', async ({ query, code, bodyTooLarge }) => {
    const extensions = (await service.graphql(query)).at('errors.0.extensions');
    expect(extensions).toMatchObject({
      code: bodyTooLarge === true ? 'body-too-large' : code,
      title: expect.any(String),
      requestId: expect.any(String),
      status: expect.any(Number),
    });
  });

  it('for several operations in one request', async () => {
    const answer = await service.request('POST', '/graphql', [
      { query: '{ __typename }' },
      { query: '{ __typename }' },
    ]);
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ extensions: { code: 'graphql-validation' } }] } });
  });

  it('for a mutation by GET', async () => {
    const answer = await service.request(
      'GET',
      `/graphql?query=${encodeURIComponent('mutation { deleteCluster(input: { cluster: "a" }) { name } }')}`,
    );
    expect(answer.at('errors.0.extensions.code')).toBe('method-not-allowed');
  });

  it('but a literal is never run as code, however often the query is repeated', async () => {
    const query = `{ clusters(labelSelector: "${magic}0);globalThis.broken=true;(0") { totalCount } }`;
    for (let time = 0; time < 12; time += 1)
      expect((await service.graphql(query)).at('errors.0.extensions.code')).toBe('invalid-request');
    expect((globalThis as { broken?: boolean }).broken).toBeUndefined();
  });

  it('but introspection works, to the depth that tools need', async () => {
    expect((await service.graphql(getIntrospectionQuery())).at('errors')).toBeUndefined();
    const answer = await service.graphql('{ __schema { queryType { name } types { name } } }');
    expect(answer.at('data.__schema.queryType.name')).toBe('Query');
  });
});

describe('operation', () => {
  it('has liveness, readiness and metrics', async () => {
    expect((await service.request('GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect((await service.request('GET', '/readyz')).json).toEqual({
      ready: true,
      checks: [{ name: 'database', ok: true }],
    });
    const { text } = await service.request('GET', '/metrics');
    expect(text).toMatch(
      /kube_placement_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} \d/,
    );
  });

  it.each([
    '/docs',
    '/docs/start.js',
    '/docs/assets/swagger-ui.css',
    '/docs/assets/swagger-ui-bundle.js',
    '/docs/errors',
    '/graphiql',
  ])('includes %s', async (path) => {
    const answer = await service.request('GET', path);
    expect(answer.status).toBe(200);
    if (path.startsWith('/docs') && path.endsWith('s')) expect(answer.text).not.toMatch(/https?:\/\/(unpkg|cdn)/);
  });

  it('includes compression of large responses', async () => {
    const answer = await service.request('GET', '/docs/openapi.json', undefined, { 'accept-encoding': 'gzip, br' });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.at('openapi')).toBe('3.1.0');
  });
});
