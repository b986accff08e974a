import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const CLUSTERS = '/api/v1/clusters';
let clusters = 0;
const newCluster = (): string => `c${++clusters}`;
const take = (cluster: string, body: string | Uint8Array, query = ''): Promise<Answer> =>
  send(service, `${CLUSTERS}/${cluster}/snapshots?createCluster=true${query}`, body);
const get = (path: string): Promise<Answer> => service.request('GET', `${CLUSTERS}/${path}`);

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c', namespace: 'default' } };
const UNAUTHORIZED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};
const TAINTED = node('n1', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } });
const STORED = [TAINTED, node('n2'), node('n3'), pod('default/p', 'n1'), pod('default/q', 'n2'), DEPLOYMENT];
const numbered = (count: number, from = 0): object[] =>
  Array.from({ length: count }, (_, index) => node(`node-${from + index}`));
const pods = (count: number, from = 0, namespace = 'default'): object[] =>
  Array.from({ length: count }, (_, index) => pod(`${namespace}/p${from + index}`, 'n1'));
const typed = (kind: string, items: readonly object[], metadata: object = {}, apiVersion = 'v1'): string =>
  JSON.stringify({ kind, apiVersion, metadata, items });

async function names(cluster: string, what: 'nodes' | 'pods'): Promise<readonly string[]> {
  const items = (await get(`${cluster}/${what}?limit=500`)).at('items') as { name: string }[];
  return items.map(({ name }) => name).sort();
}

/** A cluster with one snapshot of `STORED`. */
async function stored(objects: readonly object[] = STORED): Promise<string> {
  const cluster = newCluster();
  expect((await take(cluster, list(objects))).status).toBe(201);
  return cluster;
}

describe('a body that proves nothing is refused, and nothing is removed or recorded', () => {
  const yaml = [
    'apiVersion: v1',
    'items:',
    '- apiVersion: v1',
    '  kind: Node',
    '  metadata:',
    '    name: n1',
    '- apiVersion: v1',
    '  kind: Node',
    '  metadata:',
    '    name: n2',
    'kind: List',
    'metadata:',
    '  resourceVersion: ""',
    '',
  ].join('\n');
  const whole = list([TAINTED, node('n2')]);
  const truncatedList = typed('NodeList', [{ metadata: { name: 'n1' } }], { continue: 'eyJ2IjoibWV0YSJ9' });

  it.each<{ name: string; body: string | Uint8Array; query?: string; status: number; code: string; says?: string }>([
    {
      name: 'a Status',
      body: JSON.stringify(UNAUTHORIZED),
      status: 422,
      code: 'api-server-error',
      says: 'Unauthorized, 401',
    },
    {
      name: 'a Status where the kinds are named',
      body: JSON.stringify(UNAUTHORIZED),
      query: '&kinds=Node,Pod',
      status: 422,
      code: 'api-server-error',
    },
    {
      name: 'a Status as YAML',
      body: 'apiVersion: v1\nkind: Status\nstatus: Failure\ncode: 403\n',
      status: 422,
      code: 'api-server-error',
      says: '403',
    },
    {
      name: 'a Status behind objects',
      body: `${whole}\n${JSON.stringify(UNAUTHORIZED)}`,
      status: 422,
      code: 'api-server-error',
    },
    { name: 'a Status in a List', body: list([TAINTED, UNAUTHORIZED]), status: 422, code: 'api-server-error' },
    {
      name: 'a watch that ended with an error',
      body: `${JSON.stringify({ type: 'ADDED', object: TAINTED })}\n${JSON.stringify({ type: 'ERROR', object: UNAUTHORIZED })}`,
      status: 422,
      code: 'api-server-error',
    },
    {
      name: 'a Status with invalid objects kept',
      body: JSON.stringify(UNAUTHORIZED),
      query: '&invalid=keep',
      status: 422,
      code: 'api-server-error',
    },
    { name: 'an empty List', body: list([]), status: 422, code: 'nothing-to-store', says: 'kinds' },
    { name: 'an empty array', body: '[]', status: 400, code: 'body-required' },
    {
      name: 'a lone Secret',
      body: list([SECRET]),
      status: 422,
      code: 'nothing-to-store',
      says: '1 v1 Secret',
    },
    {
      name: 'an empty list of a kind that is not kept',
      body: typed('SecretList', []),
      status: 422,
      code: 'nothing-to-store',
    },
    {
      name: 'an empty list of a kind of another group with a kept name',
      body: typed('NodeList', [], {}, 'config.openshift.io/v1'),
      status: 422,
      code: 'nothing-to-store',
    },
    {
      name: 'a page of a list, by continue',
      body: truncatedList,
      status: 422,
      code: 'incomplete-list',
      says: 'NodeList',
    },
    {
      name: 'a page of a list, where the kinds are named',
      body: truncatedList,
      query: '&kinds=Node',
      status: 422,
      code: 'incomplete-list',
    },
    {
      name: 'a page of a list, by remainingItemCount',
      body: typed('NodeList', [{ metadata: { name: 'n1' } }], { remainingItemCount: 7 }),
      status: 422,
      code: 'incomplete-list',
      says: '7 more objects are missing',
    },
    {
      name: 'a page of a list that says so behind its items',
      body: '{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}],"metadata":{"continue":"x"}}',
      status: 422,
      code: 'incomplete-list',
    },
    {
      name: 'a page of a list in a List',
      body: list([JSON.parse(truncatedList) as object]),
      status: 422,
      code: 'incomplete-list',
    },
    {
      name: 'a page of a list as YAML',
      body: 'apiVersion: v1\nitems:\n- metadata: {name: n1}\nkind: NodeList\nmetadata:\n  continue: abc\n',
      status: 422,
      code: 'incomplete-list',
    },
    { name: 'JSON that ends early', body: whole.slice(0, -3), status: 400, code: 'body-incomplete' },
    {
      name: 'YAML that ends between two items',
      body: yaml.slice(0, yaml.indexOf('- apiVersion', 30)),
      status: 400,
      code: 'body-incomplete',
      says: 'ended early',
    },
    {
      name: 'YAML that ends in an item',
      body: yaml.slice(0, yaml.indexOf('    name: n2')),
      query: '&invalid=keep',
      status: 400,
      code: 'body-incomplete',
    },
    {
      name: 'YAML that ends in the kind of its list',
      body: yaml.slice(0, yaml.indexOf('kind: List') + 8),
      status: 400,
      code: 'body-incomplete',
    },
    {
      name: 'NDJSON that ends in a line',
      body: `${JSON.stringify(TAINTED)}\n${JSON.stringify(node('n2')).slice(0, -5)}`,
      status: 400,
      code: 'body-incomplete',
    },
    { name: 'gzip that ends early', body: gzipSync(whole).subarray(0, -12), status: 400, code: 'body-incomplete' },
  ])('$name', async ({ body, query = '', status, code, says = '' }) => {
    const cluster = await stored();
    const records = (await get(`${cluster}/taint-trail/records`)).text;
    const answer = await take(cluster, body, `${query}&allowRemovals=true`);
    expect(answer.json).toMatchObject({ status, code, detail: expect.stringContaining('Nothing was stored.') });
    expect(answer.text).toContain(says);
    expect(await names(cluster, 'nodes')).toEqual(['n1', 'n2', 'n3']);
    expect(await names(cluster, 'pods')).toEqual(['p', 'q']);
    expect((await get(`${cluster}/taint-trail/records`)).text).toBe(records);
    expect((await get(cluster)).at('headRevision')).toBe(1);
  });
});

describe('a snapshot replaces every kind that it contains', () => {
  it('and carries over the others, Node and Pod included', async () => {
    const cluster = await stored();
    const deployments = await take(cluster, list([DEPLOYMENT]));
    expect(deployments.json).toMatchObject({ unchanged: true, removed: [] });
    expect((await get(`${cluster}/snapshots/head`)).at('snapshot.scope.kinds')).toEqual(['Deployment']);
    expect((await take(cluster, list([TAINTED, node('n2')]))).json).toMatchObject({
      removed: [{ kind: 'Node', count: 1, first: [{ namespace: '', name: 'n3' }] }],
    });
    expect(await names(cluster, 'nodes')).toEqual(['n1', 'n2']);
    expect(await names(cluster, 'pods')).toEqual(['p', 'q']);
    expect((await get(`${cluster}/snapshots/head`)).at('snapshot.loadedKinds')).toEqual(['Deployment', 'Node', 'Pod']);
  });

  it('and leaves kinds unknown that no snapshot contained', async () => {
    const cluster = await stored([node('n1')]);
    expect((await get(`${cluster}/snapshots/head`)).at('snapshot.loadedKinds')).toEqual(['Node']);
  });

  it('and removes all objects of a kind with a complete, empty list', async () => {
    const cluster = await stored();
    const answer = await take(cluster, typed('PodList', []));
    expect(answer.json).toMatchObject({ removed: [{ kind: 'Pod', count: 2 }] });
    expect(await names(cluster, 'pods')).toEqual([]);
    expect(await names(cluster, 'nodes')).toEqual(['n1', 'n2', 'n3']);
  });

  it('and removes all objects of a kind that is named and not sent', async () => {
    const cluster = await stored();
    const answer = await take(cluster, list([]), '&kinds=deployments');
    expect(answer.json).toMatchObject({
      removed: [{ kind: 'Deployment', count: 1, first: [{ namespace: 'default', name: 'web' }] }],
    });
    expect(await names(cluster, 'nodes')).toEqual(['n1', 'n2', 'n3']);
  });

  it('but removes nothing of a kind with an object that cannot be stored', async () => {
    const cluster = await stored();
    const nameless = { apiVersion: 'v1', kind: 'Node', metadata: { labels: { a: 'b' } } };
    const answer = await take(cluster, list([TAINTED, node('n2'), nameless]), '&invalid=keep&kinds=Node');
    expect(answer.json).toMatchObject({ removed: [] });
    expect(await names(cluster, 'nodes')).toEqual(['n1', 'n2', 'n3']);
    const untyped = await take(cluster, `[${JSON.stringify(TAINTED)},{"metadata":{"name":"x"}}]`, '&invalid=keep');
    expect(untyped.json).toMatchObject({ removed: [] });
    expect(await names(cluster, 'nodes')).toEqual(['n1', 'n2', 'n3']);
  });
});

describe('removing many nodes or pods', () => {
  it('is refused with the counts and some names, and nothing is stored or recorded', async () => {
    const cluster = await stored([...numbered(30), ...pods(40)]);
    const records = (await get(`${cluster}/taint-trail/records`)).text;
    const refused = await take(cluster, list([...numbered(17), ...pods(10)]));
    expect(refused.json).toMatchObject({
      status: 409,
      code: 'too-many-removals',
      detail: expect.stringContaining('13 of 30 stored nodes and 30 of 40 stored pods'),
      errors: [
        { field: 'allowRemovals', code: 'too-many-removals', kind: 'Node' },
        { field: 'allowRemovals', code: 'too-many-removals', kind: 'Pod' },
      ],
    });
    expect(refused.at('errors.0.message')).toMatch(/^13 of 30 stored nodes .*node-\d+, .* and 3 more$/);
    expect(refused.at('errors.1.message')).toMatch(/default\/p\d+/);
    expect((await get(cluster)).at('headRevision')).toBe(1);
    expect((await get(`${cluster}/taint-trail/records`)).text).toBe(records);
  });

  it('is allowed with allowRemovals, and reported with the counts and some names', async () => {
    const cluster = await stored(numbered(30));
    const answer = await take(cluster, list(numbered(5)), '&allowRemovals=true');
    expect(answer.json).toMatchObject({ removed: [{ kind: 'Node', count: 25 }] });
    expect(answer.at('removed.0.first')).toHaveLength(10);
    expect(await names(cluster, 'nodes')).toHaveLength(5);
  });

  it.each([
    { stored: 3, left: 2, status: 201 },
    { stored: 3, left: 1, status: 409 },
    { stored: 2, left: 1, status: 201 },
    { stored: 1, left: 0, status: 409 },
    { stored: 10, left: 8, status: 201 },
    { stored: 10, left: 7, status: 409 },
  ])('gets $status if $left of $stored nodes are left', async ({ stored: count, left, status }) => {
    const cluster = await stored(numbered(count));
    expect((await take(cluster, typed('NodeList', numbered(left)))).status).toBe(status);
    expect(await names(cluster, 'nodes')).toHaveLength(status === 201 ? left : count);
  });

  it.each([
    { stored: 5, left: 0, status: 201 },
    { stored: 7, left: 1, status: 409 },
    { stored: 50, left: 40, status: 201 },
    { stored: 50, left: 39, status: 409 },
  ])('gets $status if $left of $stored pods are left', async ({ stored: count, left, status }) => {
    const cluster = await stored([node('n1'), ...pods(count)]);
    expect((await take(cluster, typed('PodList', pods(left)))).status).toBe(status);
  });

  it('does not count a replaced pod of the same namespace, but counts nodes by name', async () => {
    const cluster = await stored([...numbered(10), ...pods(40)]);
    const rollout = await take(cluster, list(pods(40, 100)));
    expect(rollout.json).toMatchObject({ removed: [{ kind: 'Pod', count: 40 }] });
    expect((await take(cluster, list(pods(40, 0, 'elsewhere')))).at('code')).toBe('too-many-removals');
    expect((await take(cluster, list(numbered(10, 5)))).at('code')).toBe('too-many-removals');
  });

  it('is a share of all stored objects, also in a snapshot of one namespace', async () => {
    const cluster = await stored([node('n1'), ...pods(90), ...pods(10, 0, 'small')]);
    const path = `&namespaces=small&kinds=Pod`;
    expect((await take(cluster, list([]), path)).json).toMatchObject({ removed: [{ kind: 'Pod', count: 10 }] });
    expect((await take(cluster, list([]), '&namespaces=default&kinds=Pod')).at('code')).toBe('too-many-removals');
  });

  it('is refused in a backfill too', async () => {
    const cluster = newCluster();
    await take(cluster, list(numbered(10)), '&capturedAt=2026-01-02T00:00:00Z');
    await take(cluster, list(numbered(10)), '&capturedAt=2026-01-04T00:00:00Z');
    const past = '&backfill=true&capturedAt=2026-01-03T00:00:00Z';
    expect((await take(cluster, list(numbered(2)), past)).at('code')).toBe('too-many-removals');
    expect((await take(cluster, list(numbered(2)), `${past}&allowRemovals=true`)).status).toBe(201);
  });

  it('obeys the setting', async () => {
    const strict = await startTestService({ SNAPSHOT_MAX_REMOVAL_PERCENT: '50' });
    try {
      const path = `${CLUSTERS}/c/snapshots?createCluster=true`;
      await send(strict, path, list(numbered(10)));
      expect((await send(strict, path, list(numbered(4)))).at('code')).toBe('too-many-removals');
      expect((await send(strict, path, list(numbered(5)))).status).toBe(201);
    } finally {
      await strict.close();
    }
  });
});

describe('removals over GraphQL', () => {
  const mutation = `mutation ($input: TakeSnapshotInput!) { takeSnapshot(input: $input) {
    revision removed { kind count first { namespace name } } } }`;
  const mutate = (input: object): Promise<Answer> => service.graphql(mutation, { input });

  it('are refused and allowed as over REST', async () => {
    const cluster = await stored(numbered(10));
    for (const [manifests, code] of [
      [UNAUTHORIZED, 'api-server-error'],
      [JSON.parse(list([])) as object, 'nothing-to-store'],
      [{ kind: 'NodeList', apiVersion: 'v1', metadata: { continue: 'x' }, items: [] }, 'incomplete-list'],
      [numbered(3), 'too-many-removals'],
    ] as const) {
      const answer = await mutate({ cluster, manifests });
      expect(answer.at('errors.0.extensions.code')).toBe(code);
    }
    const answer = await mutate({ cluster, manifests: numbered(9), allowRemovals: true });
    expect(answer.at('data.takeSnapshot')).toEqual({
      revision: 2,
      removed: [{ kind: 'Node', count: 1, first: [{ namespace: '', name: 'node-9' }] }],
    });
  });
});
