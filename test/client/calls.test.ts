import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  ClusterNotFoundError,
  ConnectionError,
  InvalidRequestError,
  type ItemOf,
  type Operation,
  PreconditionFailedError,
  ServiceError,
  UnexpectedAnswerError,
} from '../../clients/typescript/src/index.js';
import { ERROR_CLASSES } from '../../clients/typescript/src/generated/errors.js';
import { ERROR_CODES } from '../../src/contract/error-code.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const NODES = '/api/v1/clusters/{cluster}/nodes';
const path = { cluster: 'small' };
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startTestService();
  client = new Client({ baseUrl: service.url });
  await store(service, 'small', SMALL_CLUSTER);
});
afterAll(() => service.close());

/** A server that is not the service. */
async function withServer<Result>(server: Server, use: (url: string) => Promise<Result>): Promise<Result> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a call', () => {
  it('returns the answer of the operation', async () => {
    const taints = await client.get('/api/v1/clusters/{cluster}/taints', { path });
    const { items } = (await service.request('GET', '/api/v1/clusters/small/taints')).json as typeof taints;
    expect(taints.items).toEqual(items);
    const placement = await client.post('/api/v1/clusters/{cluster}/placements', { path, body: { pod: POD } });
    expect(placement.summary.feasible).toBe(1);
  });

  it('writes, with a body or without one', async () => {
    const made = { cluster: 'made/by slash' };
    const refused = await thrownBy(client.put('/api/v1/clusters/{cluster}', { path: made, body: {} }));
    expect(refused).toBeInstanceOf(InvalidRequestError);
    const upwards = client.delete('/api/v1/clusters/{cluster}', { path: { cluster: '..' } });
    await expect(upwards).rejects.toBeInstanceOf(TypeError);
    const named = { cluster: 'made' };
    await client.put('/api/v1/clusters/{cluster}', { path: named, body: { labels: { env: 'test' } } });
    expect((await client.get('/api/v1/clusters/{cluster}', { path: named })).labels).toEqual({ env: 'test' });
    await client.delete('/api/v1/clusters/{cluster}', { path: named });
    expect(await thrownBy(client.get('/api/v1/clusters/{cluster}', { path: named }))).toBeInstanceOf(
      ClusterNotFoundError,
    );
  });

  it('takes a scenario as an object, lists, and YAML', async () => {
    const scenario = { changes: [{ editNodes: { nodes: ['a'], taints: ['new=yes:NoSchedule'] } }] };
    const query = { scenario, fields: ['name', 'taints'] };
    const tainted = await client.get(NODES, { path, query });
    expect(tainted.items[0]).toMatchObject({ name: 'a', taints: [{ key: 'new' }] });
    expect(Object.keys(tainted.items[0]!)).toEqual(['name', 'taints']);
    const yaml = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n';
    expect((await client.post('/api/v1/clusters/{cluster}/placements', { path, yaml })).summary.feasible).toBe(1);
  });

  it('keeps 64-bit integers as text in both directions, and sends none that is rounded', async () => {
    const greatest = '9223372036854775807';
    const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute' };
    const json = JSON.stringify({ pod: { ...POD, spec: { ...POD.spec, tolerations: [toleration] } } }).replace(
      '"NoExecute"',
      `"NoExecute","tolerationSeconds":${greatest}`,
    );
    const query = { record: true };
    const { decision } = await client.post('/api/v1/clusters/{cluster}/placements', { path, query, json });
    const asked = { path: { id: decision!.id } };
    expect(await client.get('/api/v1/decisions/{id}', { ...asked, as: 'text' })).toContain(greatest);
    const body = JSON.parse(json) as { pod: Record<string, unknown> };
    const rounded = await thrownBy(client.post('/api/v1/clusters/{cluster}/placements', { path, body }));
    expect(rounded).toBeInstanceOf(ServiceError);
    expect((rounded as ServiceError).message).toContain('tolerationSeconds');
  });

  it('returns text or a stream on request', async () => {
    const csv = await client.get(NODES, { path, query: { format: 'csv', limit: 2 }, as: 'text' });
    expect(csv.split('\n')[0]).toContain('name');
    const lines = await client.get('/api/v1/clusters/{cluster}/taint-trail/export', { path, as: 'stream' });
    expect(await new Response(lines).text()).toBe(
      (await service.request('GET', '/api/v1/clusters/small/taint-trail/export')).text,
    );
  });

  it('returns headers on request, and no data if nothing has changed', async () => {
    const first = await client.request('get', NODES, { path });
    const etag = first.headers.get('etag')!;
    expect(first).toMatchObject({ status: 200, data: { items: { length: 5 } } });
    const again = await client.request('get', NODES, { path, headers: { 'If-None-Match': etag } });
    expect(again).toMatchObject({ status: 304, data: undefined });
  });

  it('has the types of the contract', () => {
    const untyped = (): unknown[] => [
      // @ts-expect-error there is no such path
      client.get('/api/v1/nothing'),
      // @ts-expect-error the path has a parameter
      client.get(NODES),
      // @ts-expect-error there is no such parameter
      client.get(NODES, { path, query: { limits: 1 } }),
      // @ts-expect-error a placement needs a body
      client.post('/api/v1/clusters/{cluster}/placements', { path }),
      // @ts-expect-error the answer is no list
      client.list('/api/v1/clusters/{cluster}/overview', { path }),
      // @ts-expect-error nodes have no such member
      'colour' satisfies keyof ItemOf<Operation<typeof NODES, 'get'>>,
    ];
    expect(untyped).toBeInstanceOf(Function);
  });
});

describe('an error', () => {
  it('has the class of its code, and what the service said', async () => {
    const error = (await thrownBy(client.get(NODES, { path: { cluster: 'absent' } }))) as ClusterNotFoundError;
    expect(error).toBeInstanceOf(ClusterNotFoundError);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ name: 'ClusterNotFoundError', code: 'cluster-not-found', status: 404 });
    expect(error.message).toContain('absent');
    expect(service.logLines()).toContain(error.requestId);
  });

  it('names every invalid field', async () => {
    const body = { pod: POD, limit: -1, view: 'sideways' } as never;
    const error = (await thrownBy(
      client.post('/api/v1/clusters/{cluster}/placements', { path, body }),
    )) as InvalidRequestError;
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.errors.map(({ pointer }) => pointer).sort()).toEqual(['/limit', '/view']);
  });

  it('of a precondition', async () => {
    const call = client.put('/api/v1/clusters/{cluster}/pools/{pool}', {
      path: { ...path, pool: 'p' },
      headers: { 'If-Match': '"99"' },
      body: {
        nodes: { matchLabels: { pool: 'plain' } },
        taints: ['d=p:NoSchedule'],
        labels: { d: 'p' },
        users: { namespaces: ['t'] },
      },
    });
    expect(await thrownBy(call)).toBeInstanceOf(PreconditionFailedError);
  });

  it('has a class for every code', () => {
    expect(Object.keys(ERROR_CLASSES).sort()).toEqual([...ERROR_CODES].sort());
    const names = Object.values(ERROR_CLASSES).map(({ name }) => name);
    expect(new Set(names).size).toBe(ERROR_CODES.length);
  });

  it('that is not of the service says so', async () => {
    const page = createServer((_request, response) => {
      response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
    });
    const error = await withServer(page, (baseUrl) => thrownBy(new Client({ baseUrl }).get('/healthz')));
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({ status: 403, body: '<h1>Log in</h1>' });
    const login = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
    });
    const served = await withServer(login, (baseUrl) => thrownBy(new Client({ baseUrl }).get(NODES, { path })));
    expect(served).toBeInstanceOf(UnexpectedAnswerError);
  });

  it('of a service that is not there has a cause', async () => {
    const baseUrl = await withServer(createServer(), (url) => Promise.resolve(url));
    const error = await thrownBy(new Client({ baseUrl, retry: false }).get('/healthz'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toContain('ECONNREFUSED');
  });
});

describe('a list', () => {
  it('goes through all pages', async () => {
    const names: string[] = [];
    for await (const node of client.list(NODES, { path, query: { limit: 2 } })) names.push(node.name);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    const sizes: number[] = [];
    for await (const { items } of client.pages(NODES, { path, query: { limit: 2 } })) sizes.push(items.length);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('asks for no page that nobody wants', async () => {
    let asked = 0;
    const counting = new Client({ baseUrl: service.url, fetch: (...request) => (asked++, fetch(...request)) });
    for await (const { name } of counting.list(NODES, { path, query: { limit: 2 } })) if (name === 'b') break;
    expect(asked).toBe(1);
  });

  it('is read with POST if it has a body, of either form', async () => {
    const query = { limit: 1 };
    const ranks: string[] = [];
    const body = { signal: 'memory' as const, node: 'a', usage: {} };
    for await (const { name } of client.list('/api/v1/clusters/{cluster}/eviction-ranks', { path, query, body })) {
      ranks.push(name);
    }
    expect(ranks.sort()).toEqual(['db-1', 'db-2', 'one']);
    const placed: string[] = [];
    const pod = { pod: POD, limit: 2, detail: 'nodes' as const, view: 'nodes' as const };
    for await (const { node } of client.list('/api/v1/clusters/{cluster}/placements', { path, body: pod })) {
      placed.push(node);
    }
    expect(placed.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    const repelling: string[] = [];
    for await (const { name } of client.list('/api/v1/clusters/{cluster}/nodes/search', { path, query, body: POD })) {
      repelling.push(name);
    }
    expect(repelling).toEqual(['b', 'c', 'e']);
  });
});
