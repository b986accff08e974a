import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { createServer, request as forward, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const require = createRequire(import.meta.url);
// The client of mercurius's own dependency: Node 20 has no WebSocket.
const WebSocket = createRequire(require.resolve('mercurius'))('ws') as object;
const GRAPHQL_RESPONSE = 'application/graphql-response+json; charset=utf-8';
const JSON_RESPONSE = 'application/json; charset=utf-8';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT: '0' });
  await store(service, 'shop', SMALL_CLUSTER);
});
afterAll(() => service.close());

const post = (body: object, accept?: string): Promise<Answer> =>
  service.request('POST', '/graphql', body, accept === undefined ? {} : { accept });
const get = (parameters: Record<string, string>, accept?: string): Promise<Answer> =>
  service.request(
    'GET',
    `/graphql?${new URLSearchParams(parameters).toString()}`,
    undefined,
    accept === undefined ? {} : { accept },
  );

describe('the media type of a GraphQL response', () => {
  it.each([
    ['application/graphql-response+json', GRAPHQL_RESPONSE],
    ['application/graphql-response+json, application/json;q=0.9', GRAPHQL_RESPONSE],
    ['application/json, application/graphql-response+json;q=0.5', JSON_RESPONSE],
    ['application/json', JSON_RESPONSE],
    ['application/json, text/plain, */*', JSON_RESPONSE],
    ['*/*', GRAPHQL_RESPONSE],
    ['text/html', GRAPHQL_RESPONSE],
  ])('is what Accept prefers: %s', async (accept, type) => {
    for (const answer of [
      await post({ query: '{ __typename }' }, accept),
      await get({ query: '{ __typename }' }, accept),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(type);
      expect(answer.headers.get('vary')).toMatch(/accept/i);
      expect(answer.json).toEqual({ data: { __typename: 'Query' } });
    }
  });

  it.each([
    ['a syntax error', { query: '{' }, 'graphql-syntax'],
    ['an unknown field', { query: '{ nothing }' }, 'graphql-validation'],
    [
      'a variable of another type',
      { query: 'query ($n: Int!) { clusters(first: $n) { totalCount } }' },
      'graphql-validation',
    ],
    ['too many brackets', { query: '{'.repeat(200) }, 'graphql-limit-exceeded'],
  ])('decides the status of %s: 400 in its own type, 200 in JSON, without data in both', async (_, body, code) => {
    const own = await post(body, 'application/graphql-response+json');
    expect(own.status).toBe(400);
    expect(own.headers.get('content-type')).toBe(GRAPHQL_RESPONSE);
    const json = await post(body, 'application/json');
    expect(json.status).toBe(200);
    expect(json.headers.get('content-type')).toBe(JSON_RESPONSE);
    for (const answer of [own, json]) {
      expect(answer.at('errors.0.extensions.code')).toBe(code);
      expect(answer.json).not.toHaveProperty('data');
    }
  });

  it('is sent with 200 for executed queries, even if fields failed', async () => {
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      const answer = await post({ query: '{ cluster(name: "missing") { name } }' }, accept);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ data: { cluster: null }, errors: [{ path: ['cluster'] }] });
    }
  });

  it('is sent with 4xx for an invalid request, and for a mutation by GET', async () => {
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      expect((await post({ variables: {} }, accept)).status).toBe(400);
      expect((await post({ query: {} }, accept)).status).toBe(400);
      expect(
        (await get({ query: 'mutation { deleteCluster(input: { cluster: "shop" }) { name } }' }, accept)).status,
      ).toBe(405);
    }
  });
});

describe('a persisted query', () => {
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
  const extensions = (sha256Hash: unknown, version: unknown = 1): object => ({
    persistedQuery: { version, sha256Hash },
  });
  const query = 'query Named($n: String!) { cluster(name: $n) { name } }';
  const variables = { n: 'shop' };
  const data = { cluster: { name: 'shop' } };

  it('is sent as text once and then as its hash, by POST and by GET', async () => {
    const unknown = await post({ extensions: extensions(sha(query)), variables });
    expect(unknown.status).toBe(400);
    expect(unknown.json).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
    expect((await post({ query, extensions: extensions(sha(query)), variables })).json).toEqual({ data });
    expect((await post({ extensions: extensions(sha(query)), variables })).json).toEqual({ data });
    const got = await get({ extensions: JSON.stringify(extensions(sha(query))), variables: JSON.stringify(variables) });
    expect(got.json).toEqual({ data });
  });

  it('gets 200 in application/json, as its clients expect', async () => {
    const answer = await post({ extensions: extensions(sha('{ nobodySentThis }')) }, 'application/json');
    expect(answer.status).toBe(200);
    expect(answer.at('errors.0.message')).toBe('PersistedQueryNotFound');
  });

  it('is refused with the hash of another text, and not stored', async () => {
    const hash = sha('{ somethingElse }');
    const answer = await post({ query, extensions: extensions(hash), variables });
    expect(answer.status).toBe(400);
    expect(answer.at('errors.0.message')).toContain('SHA-256');
    expect((await post({ extensions: extensions(hash) })).at('errors.0.message')).toBe('PersistedQueryNotFound');
  });

  it.each([
    ['another version', extensions(sha(query), 2)],
    ['a hash that is no text', extensions({ a: 1 })],
    ['no hash', { persistedQuery: { version: 1 } }],
    ['no object', { persistedQuery: true }],
  ])('with %s is not supported', async (_, given) => {
    const answer = await post({ extensions: given, variables });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
    });
  });

  it('that is invalid, or is a mutation by GET, is refused by its hash too', async () => {
    const wrong = '{ noSuchField }';
    expect((await post({ query: wrong, extensions: extensions(sha(wrong)) })).status).toBe(400);
    expect((await post({ extensions: extensions(sha(wrong)) })).at('errors.0.message')).toBe('PersistedQueryNotFound');
    const mutation = 'mutation { putCluster(input: { cluster: "persisted" }) { name } }';
    expect((await post({ query: mutation, extensions: extensions(sha(mutation)) })).status).toBe(200);
    expect((await get({ extensions: JSON.stringify(extensions(sha(mutation))) })).status).toBe(405);
    const unnamed = await get({ extensions: JSON.stringify(extensions(sha(query))), operationName: 'Other' });
    expect(unnamed.at('errors.0.extensions.code')).toBe('graphql-validation');
  });

  it('is forgotten after many others', async () => {
    const first = '{ first: __typename }';
    await post({ query: first, extensions: extensions(sha(first)) });
    expect((await post({ extensions: extensions(sha(first)) })).status).toBe(200);
    for (let batch = 0; batch < 52; batch += 1) {
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          const text = `{ other${batch * 10 + i}: __typename }`;
          return post({ query: text, extensions: extensions(sha(text)) });
        }),
      );
    }
    expect((await post({ extensions: extensions(sha(first)) })).at('errors.0.message')).toBe('PersistedQueryNotFound');
  });
});

describe('GraphiQL', () => {
  interface Result {
    readonly data?: { readonly clusterEvents?: { readonly type: string } };
  }
  type Fetcher = (
    parameters: { readonly query: string },
    options: { readonly headers: object; readonly documentAST: unknown },
  ) => Promise<AsyncIterable<Result>>;

  /** Runs the page's own scripts, at an address, as far as a page without a screen goes. */
  async function fetcherOfPage(base: string): Promise<Fetcher> {
    const anything: unknown = new Proxy(function () {}, {
      get: (_, name) => (name === Symbol.toPrimitive ? () => '' : name === 'length' ? 0 : anything),
      set: () => true,
      apply: () => anything,
      construct: () => anything as object,
    });
    let fetcher: Fetcher | undefined;
    const React = { createElement: (_: unknown, properties: { fetcher: Fetcher }) => (fetcher = properties.fetcher) };
    const members = {
      location: new URL(`${base}/graphiql`),
      document: anything,
      navigator: { userAgent: '', platform: '' },
      WebSocket,
      fetch,
      URL,
      TextDecoder,
      TextEncoder,
      setTimeout,
      clearTimeout,
      console,
    };
    const page = createContext({ ...members, ReactDOM: anything });
    runInContext('var window = globalThis, self = globalThis;', page);
    const script = async (path: string): Promise<string> => (await fetch(`${base}/graphiql/${path}`)).text();
    runInContext(await script('assets/react.js'), page);
    runInContext(await script('assets/graphiql.js'), page);
    Object.assign(page, { React });
    runInContext(await script('start.js'), page);
    return fetcher!;
  }

  /** A proxy that serves the service below a path. */
  async function behindPrefix(prefix: string): Promise<Server> {
    const target = new URL(service.url);
    const server = createServer((request, response) => {
      const { method, headers, url = '' } = request;
      const path = url.slice(prefix.length);
      request.pipe(
        forward({ host: target.hostname, port: target.port, method, headers, path }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        }),
      );
    });
    server.on('upgrade', (request, socket) => {
      const upstream = connect(Number(target.port), target.hostname, () => {
        const headers = request.rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
        upstream.write(`GET ${request.url!.slice(prefix.length)} HTTP/1.1\r\n${headers}\r\n`);
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  it("follows a cluster over a WebSocket, also below a proxy's path prefix", async () => {
    const proxy = await behindPrefix('/kube');
    try {
      for (const base of [service.url, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/kube`]) {
        const fetcher = await fetcherOfPage(base);
        const query = 'subscription { clusterEvents(cluster: "shop", after: "0", follow: false) { type } }';
        const { parse } = await import('graphql');
        const seen: string[] = [];
        const results = await fetcher({ query }, { headers: {}, documentAST: parse(query) });
        for await (const { data } of results) seen.push(data?.clusterEvents?.type ?? 'nothing');
        expect(seen[0]).toBe('headChanged');
      }
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
