import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { list as listOf, node, pod, send } from '../support/dumps.js';
import { inOneOrder, membersOf, type ShownGroup } from '../support/expand-group.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'small', SMALL_CLUSTER);
  for (const part of ['nodes', 'pods']) {
    const dump = await readFile(`demo/clusters/eks-${part}.json`);
    const path = `/api/v1/clusters/eks/snapshots?createCluster=true&kinds=${part === 'nodes' ? 'Node' : 'Pod'}`;
    expect((await send(service, path, dump)).status).toBe(201);
  }
  await service.request('PUT', '/api/v1/clusters/eks', { labels: { env: 'prod' } });
  await service.request('PUT', '/api/v1/clusters/small', { labels: { env: 'prod' } });
  await service.request('PUT', '/api/v1/clusters/empty', { labels: { env: 'prod' } });
  await service.request('PUT', '/api/v1/clusters/other', { labels: { env: 'test' } });
});
afterAll(() => service.close());

interface Item {
  readonly name?: string;
  readonly namespace?: string;
}
const SMALL = '/api/v1/clusters/small';
const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
  service.request('GET', path, undefined, headers);
const items = <T = Item>(answer: Answer): T[] => {
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.at('items') as T[];
};
const names = (answer: Answer): string =>
  items(answer)
    .map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`))
    .join(' ');

describe('nodes are listed', () => {
  it.each([
    ['', 'a b c d e'],
    ['labelSelector=pool%3Dgpu', 'b c e'],
    ['labelSelector=pool%20notin%20(gpu)', 'a d'],
    ['fieldSelector=spec.unschedulable%3Dtrue', 'd'],
    ['fieldSelector=metadata.name!%3Da', 'b c d e'],
    ['taint=gpu', 'b c e'],
    ['taint=gpu%3Da100', 'b e'],
    ['taint=slow%3D', 'c d'],
    ['taint=gpu:PreferNoSchedule', ''],
    ['taint=slow:PreferNoSchedule', 'c d'],
    ['taint=gpu&taint=slow', 'c'],
    ['untoleratedBy=t/db-0', 'c'],
    ['untoleratedBy=t/db-2', 'b c e'],
    ['untoleratedBy=t-x/one', ''],
    ['labelSelector=pool%3Dgpu&taint=gpu%3Da100&fieldSelector=metadata.name%3De', 'e'],
  ])('by ?%s', async (query, expected) => {
    expect(names(await get(`${SMALL}/nodes?${query}`))).toBe(expected);
  });

  it('with their amounts, the requests on them, and their taints explained', async () => {
    const [b] = items(await get(`${SMALL}/nodes?fieldSelector=metadata.name%3Db`));
    expect(b).toMatchObject({
      name: 'b',
      labels: { pool: 'gpu' },
      taints: [{ key: 'gpu', value: 'a100', effect: 'NoSchedule', text: 'gpu=a100:NoSchedule', wellKnown: null }],
      unschedulable: false,
      allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
      podCount: 1,
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  });

  it('page by page on one revision, while a new one arrives', async () => {
    await store(service, 'moving', SMALL_CLUSTER);
    const first = await get('/api/v1/clusters/moving/nodes?limit=2');
    expect([names(first), first.at('remainingItemCount')]).toEqual(['a b', 3]);
    await store(service, 'moving', SMALL_CLUSTER.slice(0, 1), '&kinds=Node,Pod&allowRemovals=true');
    const token = first.at('continue') as string;
    const next = await get(`/api/v1/clusters/moving/nodes?limit=9&continue=${token}`);
    expect([names(next), next.at('basis.revision'), next.at('continue')]).toEqual(['c d e', 1, null]);
    expect(names(await get('/api/v1/clusters/moving/nodes'))).toBe('a');
    expect(names(await get('/api/v1/clusters/moving/nodes?revision=1'))).toBe('a b c d e');
    const other = await get(`/api/v1/clusters/moving/nodes?taint=gpu&continue=${token}`);
    expect(other).toMatchObject({ status: 400, json: { code: 'invalid-continue-token' } });
  });

  it('with an ETag, and 304 for a page that the client has', async () => {
    const first = await get(`${SMALL}/nodes`);
    const etag = first.headers.get('etag')!;
    expect((await get(`${SMALL}/nodes`, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(`${SMALL}/nodes?taint=gpu`, { 'if-none-match': etag })).status).toBe(200);
  });

  it('by a manifest that does not tolerate their taints', async () => {
    const search = (manifest: object) => service.request('POST', `${SMALL}/nodes/search`, { pod: manifest });
    const spec = {
      containers: [{ name: 'c', image: 'i' }],
      tolerations: [{ key: 'gpu', operator: 'Equal', value: 't4', effect: 'NoSchedule' }],
    };
    const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
    expect(names(await search(bare))).toBe('b e');
    const daemonSet = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: { selector: {}, template: { spec: { ...spec, tolerations: [{ key: 'gpu', operator: 'Exists' }] } } },
    };
    expect(names(await search(daemonSet))).toBe('');
    const refused = await search({ ...bare, spec: { ...spec, tolerations: [{ operator: 'Exists', value: 'x' }] } });
    expect(refused).toMatchObject({ status: 422, json: { code: 'invalid-object' } });
    expect(refused.at('errors.0.pointer')).toMatch(/^\/pod\/spec\/tolerations\/0/);
  });

  it('one by one', async () => {
    expect((await get(`${SMALL}/nodes/d`)).json).toMatchObject({
      basis: { cluster: 'small', revision: 1 },
      node: { name: 'd', unschedulable: true },
    });
    expect(await get(`${SMALL}/nodes/x`)).toMatchObject({ status: 404, json: { code: 'object-not-found' } });
  });
});

describe('pods are listed', () => {
  it.each([
    ['', 's/three s/two t/db-0 t/db-1 t/db-2 t-x/one z/done'],
    ['labelSelector=app%3Ddb', 't/db-0 t/db-1 t/db-2'],
    ['fieldSelector=status.phase%3DPending', 's/two'],
    ['fieldSelector=spec.nodeName%3Da,status.phase!%3DSucceeded', 't/db-1 t/db-2 t-x/one'],
    ['namespace=t', 't/db-0 t/db-1 t/db-2'],
    ['nodeName=a', 't/db-1 t/db-2 t-x/one z/done'],
    ['nodeName=', 's/two'],
    ['nodeName=gone', 's/three'],
    ['phase=Succeeded', 'z/done'],
    ['workload=db', 't/db-0 t/db-1 t/db-2'],
    ['workloadKind=Pod&namespace=s', 's/three s/two'],
    ['toleratesTaint=gpu%3Da100:NoSchedule', 't/db-0 t/db-1 t-x/one z/done'],
    ['toleratesTaint=gpu%3Da100:NoExecute', 's/three t-x/one'],
    ['toleratesTaint=gpu%3Da100:NoSchedule&toleratesTaint=x:NoSchedule', 't-x/one'],
  ])('by ?%s', async (query, expected) => {
    expect(names(await get(`${SMALL}/pods?${query}`))).toBe(expected);
  });

  it('page by page', async () => {
    const first = await get(`${SMALL}/pods?limit=4`);
    expect([names(first), first.at('remainingItemCount')]).toEqual(['s/three s/two t/db-0 t/db-1', 3]);
    const next = await get(`${SMALL}/pods?limit=4&continue=${first.at('continue') as string}`);
    expect([names(next), next.at('continue')]).toEqual(['t/db-2 t-x/one z/done', null]);
  });

  it('one by one, with what they request and tolerate', async () => {
    expect((await get(`${SMALL}/pods/t/db-0`)).at('pod')).toMatchObject({
      node: 'b',
      workload: { kind: 'StatefulSet', namespace: 't', name: 'db' },
      tolerations: [{ key: 'gpu', value: 'a100', tolerationSeconds: null }],
      qosClass: 'BestEffort',
      priority: 7,
    });
    expect((await get(`${SMALL}/pods/s/two`)).at('pod')).toMatchObject({ node: null, requests: { cpu: '250m' } });
    expect((await get(`${SMALL}/pods/s/three`)).at('pod.tolerations.0.tolerationSeconds')).toBe(60);
    expect((await get(`${SMALL}/pods/s/nobody`)).status).toBe(404);
  });
});

describe('taints and tolerations are counted', () => {
  it('by distinct lists of taints', async () => {
    const sets = items<{ nodes: number; examples: string[]; taints: { text: string }[] }>(
      await get(`${SMALL}/taint-sets`),
    );
    expect(sets.map(({ nodes, examples, taints }) => [nodes, examples, taints.map(({ text }) => text)])).toEqual([
      [2, ['b', 'e'], ['gpu=a100:NoSchedule']],
      [1, ['a'], []],
      [1, ['c'], ['gpu=t4:NoSchedule', 'slow:PreferNoSchedule']],
      [1, ['d'], ['slow:PreferNoSchedule']],
    ]);
    const page = await get(`${SMALL}/taint-sets?limit=3`);
    expect(page.at('remainingItemCount')).toBe(1);
    const next = await get(`${SMALL}/taint-sets?limit=3&continue=${page.at('continue') as string}`);
    expect(items<{ examples: string[] }>(next).map(({ examples }) => examples)).toEqual([['d']]);
  });

  it('by distinct lists of tolerations', async () => {
    const sets = items<{ pods: number; workloads: number }>(await get(`${SMALL}/toleration-sets`));
    expect(sets.map(({ pods, workloads }) => [pods, workloads])).toEqual([
      [3, 2],
      [2, 2],
      [1, 1],
      [1, 1],
    ]);
  });

  it('by key, with the pods that tolerate them', async () => {
    expect(items(await get(`${SMALL}/taints`))).toMatchObject([
      {
        key: 'gpu',
        nodes: 3,
        values: ['a100', 't4'],
        effects: ['NoSchedule'],
        taints: [
          { taint: { text: 'gpu=a100:NoSchedule' }, nodes: 2, toleratedBy: { pods: 3, workloads: 1 } },
          { taint: { text: 'gpu=t4:NoSchedule' }, nodes: 1, toleratedBy: { pods: 1, workloads: 1 } },
        ],
        toleratedBy: { pods: 1, workloads: 1 },
      },
      { key: 'slow', nodes: 2, values: [''], effects: ['PreferNoSchedule'] },
    ]);
  });

  it("as an independent count of the demo cluster's dump has them", async () => {
    const dump = JSON.parse(await readFile('demo/clusters/eks-nodes.json', 'utf8')) as {
      items: { spec: { taints?: { key: string }[] } }[];
    };
    const counted = new Map<string, number>();
    for (const { spec } of dump.items) {
      for (const key of new Set((spec.taints ?? []).map((one) => one.key))) {
        counted.set(key, (counted.get(key) ?? 0) + 1);
      }
    }
    const inventory = items<{ key: string; nodes: number }>(await get('/api/v1/clusters/eks/taints'));
    expect(new Map(inventory.map(({ key, nodes }) => [key, nodes]))).toEqual(counted);
    const sets = items<{ nodes: number }>(await get('/api/v1/clusters/eks/taint-sets'));
    expect(sets.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(dump.items.length);
  });
});

describe('the pods allowed', () => {
  interface Entry {
    workload: { name: string };
    allowed: boolean;
    pods: number;
    untolerated: { text: string }[];
  }
  const told = (answer: Answer) =>
    items<Entry>(answer).map(({ workload, allowed, pods, untolerated }) => [
      workload.name,
      allowed,
      pods,
      untolerated.map(({ text }) => text).join(' '),
    ]);
  const ask = (taints: unknown[], query = '') => service.request('POST', `${SMALL}/pods-allowed?${query}`, { taints });

  it('are listed by workload for a node, with the tolerations that the others lack', async () => {
    const answer = await get(`${SMALL}/nodes/b/pods-allowed`);
    expect(told(answer)).toEqual([
      ['three', false, 1, 'gpu=a100:NoSchedule'],
      ['two', false, 1, 'gpu=a100:NoSchedule'],
      ['db', true, 2, ''],
      ['db', false, 1, 'gpu=a100:NoSchedule'],
      ['one', true, 1, ''],
    ]);
    expect(answer.json).toMatchObject({
      pods: { allowed: 3, refused: 3 },
      workloads: { allowed: 1, refused: 3 },
      taints: [{ text: 'gpu=a100:NoSchedule' }],
    });
  });

  it('treat a cordon as a taint', async () => {
    const answer = await get(`${SMALL}/nodes/d/pods-allowed?allowed=true`);
    expect(told(answer)).toEqual([['one', true, 1, '']]);
  });

  it('can be listed for taints that no node has, in both notations', async () => {
    const asText = await ask(['new=x:NoExecute'], 'allowed=true');
    const asObject = await ask([{ key: 'new', value: 'x', effect: 'NoExecute' }], 'allowed=true');
    expect(told(asText)).toEqual([['one', true, 1, '']]);
    expect(told(asObject)).toEqual(told(asText));
    expect(told(await ask(['gpu=a100:NoSchedule'], 'allowed=false&namespace=t'))).toEqual([
      ['db', false, 1, 'gpu=a100:NoSchedule'],
    ]);
  });

  it.each([
    [['key:NoExcute'], 400, 'invalid taint effect: NoExcute, unsupported taint effect', '/taints/0'],
    [['a:NoSchedule', 'a=b=c:NoSchedule'], 400, 'invalid taint spec: a=b=c:NoSchedule', '/taints/1'],
    [[{ key: 'k', effect: 'Never' }], 422, 'Unsupported value: "Never"', '/taints/0/effect'],
    [[{ key: 'k', effekt: 'NoSchedule' }], 400, 'unknown field', '/taints/0/effekt'],
    [['k:NoSchedule', { key: 'k', value: 'v', effect: 'NoSchedule' }], 422, 'Duplicate value', '/taints/1'],
    [[7], 400, 'must be a string such as', '/taints/0'],
  ])('are refused for %j', async (taints, status, words, pointer) => {
    const answer = await ask(taints);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(JSON.stringify(words).slice(1, -1));
    expect(answer.at('errors.0.pointer')).toBe(pointer);
  });
});

describe('findings', () => {
  interface ShownSubjects {
    kind: string;
    namespace: string | null;
    count: number;
    names: string[];
  }
  const PODS_OF_T: ShownSubjects = { kind: 'Pod', namespace: 't', count: 1, names: ['odd'] };
  const LONE = { key: 'nowhere', operator: 'Exists', effect: 'NoSchedule' };
  const NETWORK = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' };
  const ALIKE = [
    node('a'),
    ...['s/db-0', 's/db-1'].map((key) => pod(key, 'a', { tolerations: [LONE] }, { kind: 'StatefulSet', name: 'db' })),
    pod('t/odd', 'a', { tolerations: [NETWORK, LONE] }),
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 't', name: 'odd' },
      spec: { selector: {}, minAvailable: 0 },
    },
  ];
  interface Found {
    code: string;
    severity: string;
    subject: { kind: string; namespace: string | null; name: string | null };
    pointer: string | null;
    message: string;
    suggestions: { text: string; nodeSelector: Record<string, string> | null }[];
  }
  const list = async (query: string): Promise<Found[]> =>
    items<Found>(await get(`${SMALL}/findings?view=findings&${query}`));

  it('of a cluster name pods on missing nodes and likely mistakes', async () => {
    const codes = new Set((await list('')).map(({ code }) => code));
    for (const code of ['pod-node-absent', 'tolerates-everything', 'unmatched-toleration']) {
      expect(codes).toContain(code);
    }
  });

  it('can be filtered', async () => {
    const all = await list('');
    for (const [query, holds] of [
      ['severity=info', ({ severity }: Found) => severity === 'info'],
      ['code=pod-node-absent', ({ code }: Found) => code === 'pod-node-absent'],
      ['namespace=t', ({ subject }: Found) => subject.namespace === 't'],
      ['workload=db', ({ subject }: Found) => subject.name === 'db'],
      ['workloadKind=Pod', ({ subject }: Found) => subject.kind === 'Pod'],
    ] as const) {
      const found = await list(query);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(all.length);
      expect(found).toEqual(all.filter(holds));
    }
    expect(await get(`${SMALL}/findings?severity=fatal`)).toMatchObject({ status: 400 });
  });

  it('come in groups by cause by default, with every subject once, and lose nothing', async () => {
    await store(service, 'alike', ALIKE);
    const path = '/api/v1/clusters/alike/findings';
    const one = items<Found & { occurrences: { count: number } | null }>(await get(`${path}?view=findings`));
    const answer = await get(path);
    expect([answer.at('items'), answer.at('counts')]).toEqual([[], { error: 0, warning: 0, info: 4 }]);
    const groups = answer.at('groups') as (ShownGroup & { objectCount: number; subjects: ShownSubjects[] })[];
    expect(
      groups.map(({ code, count, objectCount, budgets, subjects, columns }) => ({
        ...{ code, count, objectCount, budgets, subjects },
        columns: columns.map(({ name }) => name),
      })),
    ).toEqual([
      {
        ...{ code: 'unmatched-toleration', count: 2, objectCount: 3, budgets: [] },
        subjects: [PODS_OF_T, { kind: 'StatefulSet', namespace: 's', count: 1, names: ['db'] }],
        columns: ['field', 'pointer', 'occurrences.count', 'occurrences.examples'],
      },
      {
        ...{ code: 'early-eviction', count: 1, objectCount: 1, budgets: ['t/odd'], subjects: [PODS_OF_T] },
        columns: [],
      },
      {
        ...{ code: 'early-eviction', count: 1, objectCount: 2, budgets: [] },
        subjects: [{ kind: 'StatefulSet', namespace: 's', count: 1, names: ['db'] }],
        columns: [],
      },
    ]);
    const expanded = groups.flatMap(({ subjects, objectCount, ...group }) => {
      const named = subjects.flatMap(({ kind, namespace, count, names }) =>
        Array.from({ length: count }, (_, place) => ({ subject: { kind, namespace, name: names[place] ?? null } })),
      );
      expect(objectCount).toBeGreaterThanOrEqual(named.length);
      return membersOf(group, named.length).map((member, place) => ({ ...named[place], ...member }));
    });
    expect(inOneOrder(expanded)).toEqual(inOneOrder(one));
    expect(groups.reduce((sum, { objectCount }) => sum + objectCount, 0)).toBe(
      one.reduce((sum, { occurrences }) => sum + (occurrences?.count ?? 1), 0),
    );
  });

  it('of a guarded workload name its budgets beside the message', async () => {
    const { message, budgets } = items<{ message: string; budgets: string[] }>(
      await get('/api/v1/clusters/alike/findings?view=findings&code=early-eviction&namespace=t'),
    )[0]!;
    expect(budgets).toEqual(['t/odd']);
    expect(message).not.toContain('odd');
  });

  it('have pages of groups, with tokens that fit no other list', async () => {
    const path = '/api/v1/clusters/alike/findings';
    const first = await get(`${path}?limit=1`);
    expect([first.at('groups.0.code'), first.at('remainingItemCount')]).toEqual(['unmatched-toleration', 2]);
    const token = first.at('continue') as string;
    const second = await get(`${path}?limit=1&continue=${token}`);
    expect(second.at('groups.0.code')).toBe('early-eviction');
    for (const other of ['view=findings', 'severity=info']) {
      expect(await get(`${path}?${other}&continue=${token}`)).toMatchObject({
        status: 400,
        json: { code: 'invalid-continue-token' },
      });
    }
    expect((await get(`${path}?fields=code,count`)).at('groups.0')).toEqual({ code: 'unmatched-toleration', count: 2 });
  });

  const manifest = (tolerations: unknown, kind = 'Pod') => {
    const spec = { containers: [{ name: 'c', image: 'i' }], tolerations };
    if (kind === 'Pod') return { apiVersion: 'v1', kind, metadata: { name: 'p' }, spec };
    const template = { metadata: { labels: { app: 'p' } }, spec };
    if (kind === 'CronJob') {
      const jobTemplate = { spec: { template } };
      return { apiVersion: 'batch/v1', kind, metadata: { name: 'p' }, spec: { schedule: '* * * * *', jobTemplate } };
    }
    return { apiVersion: 'apps/v1', kind, metadata: { name: 'p' }, spec: { selector: {}, template } };
  };
  const judge = async (given: object, cluster?: string): Promise<Found[]> => {
    const path = cluster === undefined ? '/api/v1/findings' : `/api/v1/clusters/${cluster}/findings`;
    const answer = await service.request('POST', path, { manifest: given });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.at('findings') as Found[];
  };

  it('of a manifest explain what the API server refuses', async () => {
    const found = await judge(manifest([{ key: 'k', operator: 'Exists', value: 'v' }]));
    expect(found).toContainEqual(
      expect.objectContaining({
        code: 'refused-by-api-server',
        severity: 'error',
        pointer: '/spec/tolerations/0/operator',
      }),
    );
  });

  it('of a manifest name fields that cannot be decoded, and check the rest', async () => {
    const found = await judge(manifest([{ operator: 'Exists' }, { key: 'k', tolerationSeconds: 'soon' }]));
    expect(found.map(({ code, pointer }) => `${code} ${pointer ?? ''}`)).toEqual(
      expect.arrayContaining([
        'refused-by-api-server /spec/tolerations/1/tolerationSeconds',
        'tolerates-everything /spec/tolerations/0',
      ]),
    );
    expect(await judge(manifest('all'))).toMatchObject([{ pointer: '/spec/tolerations', severity: 'error' }]);
    expect(await judge({ apiVersion: 'v1', kind: 'Pod', spec: 7 })).toMatchObject([{ pointer: '/spec' }]);
  });

  it.each([
    ['Deployment', '/spec/template/spec/tolerations/0'],
    ['CronJob', '/spec/jobTemplate/spec/template/spec/tolerations/0'],
  ])('of a %s point into its template', async (kind, pointer) => {
    const found = await judge(manifest([{ operator: 'Exists' }], kind));
    expect(found).toContainEqual(
      expect.objectContaining({ code: 'tolerates-everything', pointer, subject: expect.objectContaining({ kind }) }),
    );
  });

  it('of a manifest suggest known fields for unknown ones, over REST and GraphQL', async () => {
    const given = manifest([], 'Deployment') as { spec: { template: { spec: object } } };
    Object.assign(given.spec.template.spec, { tolleration: [], containers: 7 });
    const finding = {
      code: 'unknown-field',
      severity: 'warning',
      field: 'spec.template.spec.tolleration',
      suggestions: [{ text: 'Rename it to tolerations.' }],
    };
    expect(await judge(given)).toContainEqual(
      expect.objectContaining({
        ...finding,
        pointer: '/spec/template/spec/tolleration',
        subject: { kind: 'Deployment', namespace: 'default', name: 'p' },
        suggestions: [{ ...finding.suggestions[0], toleration: null, nodeSelector: null }],
      }),
    );
    const answer = await service.graphql(
      `query ($manifest: KubernetesObject!) {
        manifestFindings(input: { manifest: $manifest }) {
          unknownFields findings { code severity field suggestions { text } }
        }
      }`,
      { manifest: given },
    );
    expect(answer.at('data.manifestFindings.unknownFields')).toEqual(['spec.template.spec.tolleration']);
    expect(answer.at('data.manifestFindings.findings')).toContainEqual({ ...finding, code: 'unknown_field' });
  });

  it('without a cluster, are refused for a field that only another version has, over REST and GraphQL', async () => {
    const input = {
      manifest: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec: { workloadRef: { name: 'w' } } },
      fieldValidation: 'Strict',
    };
    const rest = await service.request('POST', '/api/v1/findings', input);
    const graphql = await service.graphql(
      'query ($input: ManifestFindingsInput!) { manifestFindings(input: $input) { unknownFields } }',
      { input },
    );
    const message = expect.stringContaining('unknown field "spec.workloadRef"');
    expect([rest.status, rest.at('errors.0.message')]).toEqual([400, message]);
    expect(graphql.at('errors.0.message')).toEqual(message);
  });

  it('include budgets and quotas', async () => {
    const object = (apiVersion: string, kind: string, name: string, spec: object) => ({
      apiVersion,
      kind,
      metadata: { name, namespace: 'shop', uid: name },
      spec,
    });
    const owner = { kind: 'StatefulSet', name: 'db' };
    const stored = await send(
      service,
      '/api/v1/clusters/guarded/snapshots?createCluster=true',
      listOf([
        node('a'),
        pod('shop/db-0', 'a', {}, owner),
        object('apps/v1', 'StatefulSet', 'db', { replicas: 1 }),
        object('policy/v1', 'PodDisruptionBudget', 'all', { selector: {}, minAvailable: '100%' }),
        object('v1', 'ResourceQuota', 'none', { hard: { pods: '0' } }),
      ]),
    );
    expect(stored.status).toBe(201);
    const path = '/api/v1/clusters/guarded/findings?view=findings';
    expect((await service.request('GET', `${path}&code=budget-never-allows`)).json).toMatchObject({
      items: [
        {
          severity: 'warning',
          subject: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'all' },
          field: 'spec.minAvailable',
          message: expect.stringContaining('requires the only wanted pod'),
          budgets: ['shop/all'],
          occurrences: { kind: 'Pod', count: 1, examples: ['shop/db-0'] },
        },
      ],
    });
    expect((await service.request('GET', `${path}&code=quota-admits-no-pod`)).json).toMatchObject({
      items: [{ severity: 'info', subject: { kind: 'ResourceQuota', name: 'none' }, field: 'spec.hard[pods]' }],
    });
  });

  it('of a manifest without pods are refused', async () => {
    const answer = await service.request('POST', '/api/v1/findings', { manifest: { apiVersion: 'v1', kind: 'Node' } });
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ code: 'unsupported-kind' }] } });
  });

  it('report a broad toleration and one of everything (five-ways-of-fuzzy-matching)', async () => {
    const broad = await judge(manifest([{ operator: 'Exists', effect: 'NoSchedule' }]));
    expect(broad.map(({ code }) => code)).toContain('broad-toleration');
    const everything = await judge(manifest([{ operator: 'Exists' }]));
    const found = everything.find(({ code }) => code === 'tolerates-everything');
    expect(found?.message).toMatch(/cordon/);
    const refused = await judge(manifest([{ key: 'key1', operator: 'Exists', value: 'value1', effect: 'NoSchedule' }]));
    expect(refused.find(({ code }) => code === 'refused-by-api-server')?.message).toMatch(/refused, not ignored/);
  });

  it('explain that a toleration permits and does not attract, and suggest a selector (fpga-pod)', async () => {
    const node = (name: string, more: object) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: { 'kubernetes.io/hostname': name, ...(name === 'node-fpga-1' && { hardware: 'fpga' }) },
      },
      ...more,
    });
    await store(service, 'fpga', [
      node('node-1', {}),
      node('node-fpga-1', { spec: { taints: [{ key: 'hardware', value: 'fpga', effect: 'NoSchedule' }] } }),
    ]);
    const tolerations = [{ key: 'hardware', operator: 'Equal', value: 'fpga', effect: 'NoSchedule' }];
    const found = (await judge(manifest(tolerations), 'fpga')).find(({ code }) => code === 'pool-not-selected');
    expect(found?.message).toMatch(/permit|allow/i);
    const selectors = (found?.suggestions ?? []).map(({ nodeSelector }) => nodeSelector);
    expect(selectors).toContainEqual({ hardware: 'fpga' });
  });
});

describe('the catalogue of well-known taints', () => {
  const KEYS = [
    ['node.kubernetes.io/not-ready', /Ready condition is False/],
    ['node.kubernetes.io/unreachable', /Ready condition is Unknown/],
    ['node.kubernetes.io/memory-pressure', /MemoryPressure/],
    ['node.kubernetes.io/disk-pressure', /DiskPressure/],
    ['node.kubernetes.io/pid-pressure', /PIDPressure/],
    ['node.kubernetes.io/network-unavailable', /NetworkUnavailable/],
    ['node.kubernetes.io/unschedulable', /cordon/],
    ['node.cloudprovider.kubernetes.io/uninitialized', /cloud/],
    ['node.kubernetes.io/out-of-service', /down|off/],
  ] as const;
  it.each(KEYS)('well-known-taints: %s', async (key, words) => {
    const answer = await get(`/api/v1/well-known-taints?key=${encodeURIComponent(key)}`);
    expect(items<{ key: string; legacy: boolean }>(answer)).toMatchObject([{ key, legacy: false }]);
    expect(answer.at('items.0.when')).toMatch(words);
  });

  it('well-known-taints: the cloud-controller-manager removes uninitialized', async () => {
    const answer = await get('/api/v1/well-known-taints?key=node.cloudprovider.kubernetes.io/uninitialized');
    expect(answer.at('items.0.removedBy')).toMatch(/cloud-controller-manager/);
  });

  it.each([
    'node.kubernetes.io/out-of-disk',
    'node.alpha.kubernetes.io/notReady',
    'node.alpha.kubernetes.io/unreachable',
  ])('well-known-taints: %s is a legacy key', async (key) => {
    expect(items(await get(`/api/v1/well-known-taints?key=${key}`))).toMatchObject([{ key, legacy: true }]);
  });

  it('has no entry for an unknown key, and is paged', async () => {
    expect(items(await get('/api/v1/well-known-taints?key=my/own'))).toEqual([]);
    const page = await get('/api/v1/well-known-taints?limit=5');
    expect(items(page)).toHaveLength(5);
    expect(page.at('remainingItemCount')).toBeGreaterThan(5);
  });
});

describe('across clusters', () => {
  interface Part {
    cluster: string;
    result: { basis: { cluster: string }; items: { key: string }[] } | null;
    error: { code: string; status: number } | null;
  }

  it.each(['taints', 'findings'])('%s are listed cluster by cluster, each with its own error', async (what) => {
    const parts = items<Part>(await get(`/api/v1/${what}?clusterSelector=env%3Dprod`));
    expect(parts.map(({ cluster, result, error }) => [cluster, result?.basis.cluster, error?.code])).toEqual([
      ['eks', 'eks', undefined],
      ['empty', undefined, 'no-snapshot'],
      ['small', 'small', undefined],
    ]);
  });

  it('lists are paged by cluster, with a limit of items for each', async () => {
    const first = await get('/api/v1/taints?clusterSelector=env%3Dprod&limit=2&perCluster=1');
    expect(items<Part>(first).map(({ cluster }) => cluster)).toEqual(['eks', 'empty']);
    const token = first.at('continue') as string;
    const next = await get(`/api/v1/taints?clusterSelector=env%3Dprod&limit=2&perCluster=1&continue=${token}`);
    expect(items<Part>(next).map(({ cluster, result }) => [cluster, result?.items.length])).toEqual([['small', 1]]);
    expect((await get('/api/v1/taints?clusterSelector=a b')).status).toBe(400);
  });

  it('findings are filtered in each cluster', async () => {
    const parts = items<{ result: { items: { code: string }[] } | null }>(
      await get('/api/v1/findings?view=findings&clusterSelector=env%3Dprod&code=pod-node-absent'),
    );
    const codes = parts.flatMap(({ result }) => result?.items.map(({ code }) => code) ?? []);
    expect(new Set(codes)).toEqual(new Set(['pod-node-absent']));
  });
});

describe('an invalid filter is named', () => {
  it.each([
    ['nodes?labelSelector=a%20b', 'labelSelector'],
    ['nodes?fieldSelector=spec.nodeName%3Dx', 'fieldSelector'],
    ['nodes?taint=a%3Db%3Dc', 'taint'],
    ['nodes?untoleratedBy=x', 'untoleratedBy'],
    ['pods?fieldSelector=status.qosClass%3Dx', 'fieldSelector'],
    ['pods?toleratesTaint=key', 'toleratesTaint'],
    ['pods?node=x', 'node'],
    ['findings?maxAge=soon', 'maxAge'],
    ['nodes?revision=1&at=2026-01-01T00:00:00Z', 'at'],
  ])('%s', async (path, field) => {
    const answer = await get(`${SMALL}/${path}`);
    expect(answer.status).toBe(400);
    expect(answer.at('errors.0.field')).toBe(field);
  });

  it('as is a pod that is not stored', async () => {
    expect((await get(`${SMALL}/nodes?untoleratedBy=x/y`)).status).toBe(404);
    expect((await get(`${SMALL}/nodes?revision=9`)).at('code')).toBe('revision-not-found');
    const old = [{ ...SMALL_CLUSTER[0] }];
    const path = '/api/v1/clusters/old/snapshots?createCluster=true&capturedAt=2020-01-01T00:00:00Z';
    await send(service, path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: old }));
    expect((await get('/api/v1/clusters/old/nodes?maxAge=1h')).at('code')).toBe('snapshot-too-old');
    expect((await get('/api/v1/clusters/old/nodes')).status).toBe(200);
  });
});

describe('GraphQL', () => {
  it('returns the same for a cluster, with its nodes’ pods and its pods’ nodes', async () => {
    const { json } = await service.graphql(
      `query ($taints: [JSON!]) { cluster(name: "small") {
        nodes(first: 2, taint: ["gpu"]) { totalCount basis { revision } pageInfo { hasNextPage }
          nodes { name taints { text } pods { nodes { name boundNode { name } } } } }
        pods(namespace: "s") { nodes { name boundNode { name } } }
        node(name: "b") { podCount }
        pod(namespace: "t", name: "db-0") { boundNode { name pods { totalCount } } }
        taintSets(first: 1) { nodes { nodes examples } }
        tolerationSets(first: 1) { nodes { pods tolerations { tolerationSeconds } } }
        taints { nodes { key toleratedBy { pods } } }
        findings(code: pod_node_absent) { counts { warning } nodes { code severity } }
        podsAllowed(input: { taints: $taints }, allowed: true) { pods { allowed } nodes { workload { name } } }
      } }`,
      { taints: ['gpu=a100:NoSchedule'] },
    );
    expect(json).toMatchObject({
      data: {
        cluster: {
          nodes: {
            totalCount: 3,
            basis: { revision: 1 },
            pageInfo: { hasNextPage: true },
            nodes: [
              { name: 'b', pods: { nodes: [{ name: 'db-0', boundNode: { name: 'b' } }] } },
              { name: 'c', pods: { nodes: [] } },
            ],
          },
          pods: {
            nodes: [
              { name: 'three', boundNode: null },
              { name: 'two', boundNode: null },
            ],
          },
          node: { podCount: 1 },
          pod: { boundNode: { name: 'b', pods: { totalCount: 1 } } },
          taintSets: { nodes: [{ nodes: 2, examples: ['b', 'e'] }] },
          tolerationSets: { nodes: [{ pods: 3, tolerations: [{ tolerationSeconds: null }] }] },
          taints: { nodes: [{ key: 'gpu', toleratedBy: { pods: 1 } }, { key: 'slow' }] },
          findings: { counts: { warning: 1 }, nodes: [{ code: 'pod_node_absent', severity: 'warning' }] },
          podsAllowed: { pods: { allowed: 3 }, nodes: [{ workload: { name: 'db' } }, { workload: { name: 'one' } }] },
        },
      },
    });
  });

  it('pages with cursors', async () => {
    const page = (after: string | null) =>
      service.graphql(
        `query ($after: String) { cluster(name: "small") {
          pods(first: 3, after: $after) { nodes { name } pageInfo { endCursor } } } }`,
        { after },
      );
    const first = await page(null);
    const next = await page(first.at('data.cluster.pods.pageInfo.endCursor') as string);
    expect(next.at('data.cluster.pods.nodes')).toEqual([{ name: 'db-1' }, { name: 'db-2' }, { name: 'one' }]);
  });

  it('queries clusters, a manifest, and the catalogue', async () => {
    const { json } = await service.graphql(
      `query ($manifest: KubernetesObject!) {
        taints(clusterSelector: "env=prod") { nodes { cluster taints { totalCount } error { code } } }
        findings(clusterSelector: "env=prod", severity: warning, first: 1) { totalCount nodes { findings { counts { info } } } }
        manifestFindings(input: { manifest: $manifest }) { basis { revision } findings { code } }
        wellKnownTaints(key: "node.kubernetes.io/not-ready") { nodes { effects } }
      }`,
      {
        manifest: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { tolerations: [{ operator: 'Exists' }] },
        },
      },
    );
    expect(json).toMatchObject({
      data: {
        taints: {
          nodes: [
            { cluster: 'eks', error: null },
            { cluster: 'empty', taints: null, error: { code: 'no-snapshot' } },
            { cluster: 'small', taints: { totalCount: 2 }, error: null },
          ],
        },
        findings: { totalCount: 3, nodes: [{ findings: { counts: { info: 0 } } }] },
        manifestFindings: { basis: null },
        wellKnownTaints: { nodes: [{ effects: ['NoSchedule', 'NoExecute'] }] },
      },
    });
  });

  it('refuses pages and queries that are too large', async () => {
    const large = await service.graphql('{ cluster(name: "small") { nodes(first: 1000000) { totalCount } } }');
    expect(large.at('errors.0.extensions.code')).toBe('invalid-request');
    const wide = await service.graphql(
      '{ clusters(first: 1000) { nodes { nodes(first: 1000) { nodes { pods(first: 1000) { nodes { name } } } } } } }',
    );
    expect(wide.at('errors.0.extensions.code')).toBe('graphql-limit-exceeded');
  });
});
