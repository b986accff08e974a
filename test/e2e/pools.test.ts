import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';

const labelled = (name: string, labels: Record<string, string>): object => ({
  ...node(name),
  metadata: { name, labels },
});

const CLUSTER = [
  labelled('big-1', { type: 'big' }),
  labelled('big-2', { type: 'big' }),
  labelled('small', {}),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml', labels: { team: 'ml' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } },
  { ...pod('web/unauthorized', 'big-1'), status: { phase: 'Running' } },
  { ...pod('ml/trainer', 'big-1'), status: { phase: 'Running' } },
];

const ML = {
  nodes: { matchLabels: { type: 'big' } },
  taints: ['dedicated=ml:NoExecute'],
  labels: { dedicated: 'ml' },
  users: { namespaceSelector: { matchLabels: { team: 'ml' } } },
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const put = (name: string, body: object, headers?: Record<string, string>): Promise<Answer> =>
  service.request('PUT', `${AT}/pools/${name}`, body, headers);
const get = (path: string): Promise<Answer> => service.request('GET', `${AT}/${path}`);

describe('pools', () => {
  it('are declared with an author, read at any revision, and deleted', async () => {
    const dry = await put('ml', { ...ML, dryRun: true });
    expect([dry.status, dry.at('outcome'), dry.at('basis.revision')]).toEqual([200, 'created', 1]);
    expect((await get('pools/ml')).status).toBe(404);

    const made = await put('ml', ML, { 'if-match': '"1"' });
    expect([made.status, made.at('outcome'), made.at('basis.revision')]).toEqual([201, 'created', 2]);
    expect(made.at('pool')).toEqual({
      name: 'ml',
      nodes: { matchLabels: { type: 'big' } },
      taints: [
        {
          key: 'dedicated',
          value: 'ml',
          effect: 'NoExecute',
          timeAdded: null,
          text: 'dedicated=ml:NoExecute',
          wellKnown: null,
        },
      ],
      labels: { dedicated: 'ml' },
      users: {
        namespaces: [],
        namespaceSelector: { matchLabels: { team: 'ml' } },
        serviceAccounts: [],
        extendedResource: null,
      },
      exemptNamespaces: ['kube-system'],
      nodeCount: 2,
      lackingCount: 2,
    });
    expect((await get('pools/ml')).at('pool')).toEqual(made.at('pool'));
    expect((await get('pools?limit=5')).at('items')).toEqual([made.at('pool')]);
    expect((await get('pools?revision=1')).at('items')).toEqual([]);

    const again = await put('ml', ML);
    expect([again.status, again.at('outcome'), again.at('basis.revision')]).toEqual([200, 'unchanged', 2]);
    expect((await put('ml', ML, { 'if-match': '"1"' })).status).toBe(412);
    const revision = await get('snapshots?limit=1');
    expect(revision.at('items.0')).toMatchObject({ kind: 'settings', revision: 2, author: 'anonymous' });
  });

  it('list the remaining changes of their nodes, as the taint change that makes them does', async () => {
    const remaining = await get('pools/ml/remaining-changes');
    expect(remaining.at('lacking')).toEqual([
      { node: 'big-1', taints: ['dedicated=ml:NoExecute'], labels: ['dedicated=ml'], replaces: [] },
      { node: 'big-2', taints: ['dedicated=ml:NoExecute'], labels: ['dedicated=ml'], replaces: [] },
    ]);
    const dry = await service.request('POST', `${AT}/taint-changes`, {
      ...(remaining.at('change') as object),
      dryRun: true,
    });
    expect(dry.status).toBe(200);
    for (const part of ['nodes', 'kubectl', 'effects']) {
      expect(withoutTimes(remaining.at(`preview.${part}`))).toEqual(withoutTimes(dry.at(part)));
    }
    expect(remaining.at('preview.effects.evictions.counts')).toEqual({
      now: 2,
      after: 0,
      never: 0,
      pending: 0,
      cancelled: 0,
    });
  });

  it('have findings where the cluster differs', async () => {
    const findings = (await get('findings?view=findings&limit=100')).at('items') as {
      code: string;
      occurrences: { examples: string[] };
    }[];
    const ours = findings.filter(({ code }) => code.startsWith('pool-'));
    expect(ours.map(({ code, occurrences }) => [code, occurrences.examples])).toEqual([
      ['pool-node-lacking', ['big-1 (dedicated=ml)', 'big-2 (dedicated=ml)']],
      ['pool-node-lacking', ['big-1 (dedicated=ml:NoExecute)', 'big-2 (dedicated=ml:NoExecute)']],
      ['pool-unauthorized-pod', ['web/unauthorized on big-1']],
    ]);
  });

  it('are the same over GraphQL', async () => {
    const answer = await service.graphql(`{ cluster(name: "shop") {
      pools(first: 5) { nodes { name nodes { matchLabels } labels nodeCount lackingCount exemptNamespaces
        taints { key value effect timeAdded text wellKnown { product } }
        users { namespaces namespaceSelector { matchLabels } serviceAccounts extendedResource } } }
      pool(name: "ml") { pool { name } }
      remainingPoolChanges(name: "ml") { pool nodeCount lacking { node taints labels replaces }
        change { nodes taints labels overwrite } preview { kubectl } } } }`);
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.at('data.cluster.pools.nodes')).toEqual((await get('pools')).at('items'));
    expect(answer.at('data.cluster.pool.pool.name')).toBe('ml');
    const remaining = await get('pools/ml/remaining-changes');
    for (const part of ['pool', 'nodeCount', 'lacking', 'change', 'preview.kubectl']) {
      expect(answer.at(`data.cluster.remainingPoolChanges.${part}`)).toEqual(remaining.at(part));
    }
  });

  it('are declared and deleted over GraphQL too', async () => {
    const input = { cluster: 'shop', name: 'other', ...ML, labels: ['dedicated=other'] };
    const made = await service.graphql(
      'mutation ($input: PutPoolInput!) { putPool(input: $input) { outcome dryRun pool { labels } } }',
      { input },
    );
    expect(made.at('data.putPool')).toEqual({
      outcome: 'created',
      dryRun: false,
      pool: { labels: { dedicated: 'other' } },
    });
    const gone = await service.graphql(
      'mutation { deletePool(input: { cluster: "shop", name: "other" }) { dryRun pool { name } } }',
    );
    expect(gone.at('data.deletePool')).toEqual({ dryRun: false, pool: { name: 'other' } });
    expect((await get('pools/other')).status).toBe(404);
  });

  it('are refused with all their errors, over REST and GraphQL', async () => {
    const bad = {
      nodes: {},
      taints: ['a=b:Never', { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }],
      labels: { 'not a key': 'x' },
      users: { serviceAccounts: ['x'] },
    };
    const rest = await put('Not_A_Name', bad);
    expect(rest.status).toBe(400);
    const fields = (rest.at('errors') as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual([
      'pool',
      'nodes',
      'taints[0]',
      'labels[not a key]',
      'taints[1].key',
      'users.serviceAccounts[0]',
    ]);
    const graphql = await service.graphql('mutation ($input: PutPoolInput!) { putPool(input: $input) { outcome } }', {
      input: { cluster: 'shop', name: 'Not_A_Name', ...bad },
    });
    const same = graphql.at('errors.0.extensions.errors') as { field: string }[];
    expect(same.map(({ field }) => field)).toEqual(['input.name', ...fields.slice(1).map((field) => `input.${field}`)]);
    expect((await put('ml', { ...ML, more: 1 })).at('errors.0.field')).toBe('more');
    const misspelt = await put('ml', { ...ML, nodes: { matchLabels: { 'a b': 'x' } }, taints: 'dedicated', more: 1 });
    expect((misspelt.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/more',
      '/taints',
      '/nodes/matchLabels',
    ]);
    expect((await put('ml', { ...ML, users: { namespaces: 'ml' } })).at('errors.0.field')).toBe('users.namespaces');
    expect((await service.request('DELETE', `${AT}/pools/none`)).status).toBe(404);
    expect((await service.request('PUT', '/api/v1/clusters/nowhere/pools/ml', ML)).status).toBe(404);
  });

  it('make a new revision when they are deleted', async () => {
    const before = (await get('pools/ml')).at('basis.revision');
    const gone = await service.request('DELETE', `${AT}/pools/ml`, undefined, { 'if-match': `"${String(before)}"` });
    expect([gone.status, gone.at('pool.name'), gone.at('basis.revision')]).toEqual([200, 'ml', Number(before) + 1]);
    expect((await get('pools/ml')).status).toBe(404);
    expect((await get(`pools/ml?revision=${String(before)}`)).status).toBe(200);
  });
});

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')) as unknown;
