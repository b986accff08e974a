import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store, UNUSED_POLICIES } from '../support/small-cluster.js';
import type { QuotaRecording } from '../conformance/folders/quota-recording.js';

const AT = '/api/v1/clusters/shop';

const namespace = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...more },
});
const quota = (key: string, hard: object, used: object, spec: object = {}): object => {
  const [in_, name] = key.split('/');
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: in_, name },
    spec: { hard, ...spec },
    status: { hard, used },
  };
};
const manifest = (name: string, requests: object, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...more },
});
const workload = (kind: string, name: string, replicas: number, requests: object): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: 'team', name, uid: `${kind}-${name}` },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] },
    },
  },
});
const owned = (key: string, owner: { kind: string; name: string }, cpu: string): object => ({
  ...pod(key, 'a', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] }, owner),
  status: { phase: 'Running' },
});

const CLUSTER = [
  node('a'),
  ...UNUSED_POLICIES,
  namespace('team'),
  namespace('counted'),
  namespace('closing'),
  { ...namespace('gone'), status: { phase: 'Terminating' } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'team', name: 'default' } },
  { apiVersion: 'v1', kind: 'LimitRange', metadata: { namespace: 'other', name: 'none' }, spec: { limits: [] } },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 5 },
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata-fc' },
    handler: 'kata-fc',
    overhead: { podFixed: { memory: '120Mi', cpu: '250m' } },
  },
  quota('team/team-quota', { 'requests.cpu': '10', pods: '20' }, { 'requests.cpu': '8', pods: '5' }),
  quota(
    'counted/objects',
    { 'count/deployments.apps': '1', 'count/replicasets.apps': '1' },
    {
      'count/deployments.apps': '0',
      'count/replicasets.apps': '1',
    },
  ),
  workload('StatefulSet', 'db', 3, { cpu: '500m' }),
  workload('Deployment', 'mixed', 2, { cpu: '1' }),
  ...[0, 1, 2].map((ordinal) => owned(`team/db-${ordinal}`, { kind: 'StatefulSet', name: 'db' }, '500m')),
  owned('team/mixed-a', { kind: 'Deployment', name: 'mixed' }, '1'),
  owned('team/mixed-b', { kind: 'Deployment', name: 'mixed' }, '2'),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const ask = (body: object): Promise<Answer> => service.request('POST', `${AT}/quota-reviews`, body);

describe('a quota review', () => {
  it('admits what fits, refuses the next pod in Kubernetes’ words, and names the quota to raise', async () => {
    const items = [{ id: 'a', namespace: 'team', pod: manifest('batch', { cpu: '250m' }), replicas: 18 }];
    const answer = await ask({ items });
    expect(answer.status).toBe(200);
    expect(answer.at('items.0')).toEqual({
      id: 'a',
      error: null,
      review: {
        kind: 'Pod',
        namespace: 'team',
        name: 'batch',
        outcome: 'partly',
        wanted: 18,
        admitted: 8,
        fits: 8,
        refusal: {
          by: 'ResourceQuota',
          status: 403,
          message:
            'pods "batch" is forbidden: exceeded quota: team-quota, requested: requests.cpu=250m, used: requests.cpu=10, limited: requests.cpu=10',
          causes: [],
        },
        raises: [
          {
            quota: 'team-quota',
            resource: 'requests.cpu',
            from: '10',
            to: '12500m',
            text: 'team-quota requests.cpu 10 -> 12500m',
          },
          { quota: 'team-quota', resource: 'pods', from: '20', to: '23', text: 'team-quota pods 20 -> 23' },
        ],
        rooms: [
          { quota: 'team-quota', resource: 'requests.cpu', hard: '10', used: '8', perPod: '250m', fits: 8 },
          { quota: 'team-quota', resource: 'pods', hard: '20', used: '5', perPod: '1', fits: 15 },
        ],
        charges: [
          { quota: 'team-quota', resource: 'pods', before: '5', after: '13' },
          { quota: 'team-quota', resource: 'requests.cpu', before: '8', after: '10' },
        ],
        undecided: [],
        notes: [],
      },
    });
  });

  it('charges the items one after another, and fails bad ones alone', async () => {
    const items = [
      { id: 'first', namespace: 'team', pod: manifest('a', { cpu: '1' }) },
      { id: 'bad', namespace: 'team', pod: manifest('b', { cpu: 'much' }) },
      { id: 'worse', pods: 1 },
      { id: 'second', namespace: 'team', pod: manifest('c', { cpu: '1500m' }) },
      { id: 'fewer', workloadRef: { kind: 'StatefulSet', namespace: 'team', name: 'db' }, replicas: 1 },
      { id: 'again', namespace: 'team', pod: manifest('c', { cpu: '1500m' }) },
      { id: 'elsewhere', namespace: 'default', pod: manifest('c', { cpu: '1500m' }), replicas: 1_000_000 },
    ];
    const answer = await ask({ items });
    const got = answer.at('items') as { id: string; review: { outcome: string; admitted: number } | null }[];
    expect(got.map(({ id, review }) => [id, review?.outcome ?? null, review?.admitted ?? null])).toEqual([
      ['first', 'admitted', 1],
      ['bad', 'refused', 0],
      ['worse', null, null],
      ['second', 'refused', 0],
      ['fewer', 'frees', -2],
      ['again', 'admitted', 1],
      ['elsewhere', 'admitted', 1_000_000],
    ]);
    expect(answer.at('items.1.review.refusal')).toMatchObject({ by: 'decoding', status: 400 });
    expect(answer.at('items.1.review.refusal.message')).toContain('quantities must match the regular expression');
    expect(answer.at('items.2.error')).toMatchObject({
      code: 'invalid-request',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: '/items/2/pods', code: 'unknown-field' })]),
    });
    expect(answer.at('items.3.review.refusal.message')).toBe(
      'pods "c" is forbidden: exceeded quota: team-quota, requested: requests.cpu=1500m, used: requests.cpu=9, limited: requests.cpu=10',
    );
    expect(answer.at('items.4.review.charges')).toEqual([
      { quota: 'team-quota', resource: 'pods', before: '6', after: '4' },
      { quota: 'team-quota', resource: 'requests.cpu', before: '9', after: '8' },
    ]);
    expect(answer.at('items.6.review.fits')).toBeNull();
  });

  it('passes the whole admission: overhead counts, and other plugins refuse too', async () => {
    const kata = manifest('k', { cpu: '500m' }, { runtimeClassName: 'kata-fc' });
    const items = [
      { id: 'overhead', namespace: 'team', pod: kata },
      { id: 'no class', namespace: 'team', pod: manifest('k', {}, { runtimeClassName: 'none' }) },
      { id: 'must', namespace: 'team', pod: manifest('m', {}) },
      { id: 'invalid', namespace: 'team', pod: manifest('m', { cpu: '1' }, { restartPolicy: 'Sometimes' }) },
      { id: 'nowhere', namespace: 'nowhere', pod: manifest('m', { cpu: '1' }) },
      { id: 'closing', namespace: 'gone', pod: manifest('m', { cpu: '1' }) },
    ];
    const answer = await ask({ items });
    const got = answer.at('items') as { review: { refusal: { by: string; status: number; message: string } | null } }[];
    expect(answer.at('items.0.review.rooms.0')).toMatchObject({ resource: 'requests.cpu', perPod: '750m', fits: 2 });
    expect(got.slice(1).map(({ review: { refusal } }) => [refusal?.by, refusal?.status, refusal?.message])).toEqual([
      ['RuntimeClass', 403, 'pods "k" is forbidden: pod rejected: RuntimeClass "none" not found'],
      ['ResourceQuota', 403, 'pods "m" is forbidden: failed quota: team-quota: must specify requests.cpu for: c'],
      [
        'validation',
        422,
        'Pod "m" is invalid: spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      ],
      ['NamespaceLifecycle', 404, 'namespaces "nowhere" not found'],
      [
        'NamespaceLifecycle',
        403,
        'pods "m" is forbidden: unable to create new content in namespace gone because it is being terminated',
      ],
    ]);
  });

  it('reviews workloads: their own count first, then their pods by the names that they will have', async () => {
    const items = [
      { id: 'sts', pod: workload('StatefulSet', 'web', 5, { cpu: '1' }) },
      {
        id: 'deployment',
        pod: { ...workload('Deployment', 'web', 2, {}), metadata: { namespace: 'counted', name: 'web' } },
      },
      {
        id: 'again',
        pod: { ...workload('Deployment', 'web', 2, {}), metadata: { namespace: 'counted', name: 'web' } },
      },
      { id: 'daemon', pod: { ...workload('DaemonSet', 'agent', 0, { cpu: '1' }), metadata: { name: 'agent' } } },
    ];
    const answer = await ask({ items });
    expect(answer.at('items.0.review')).toMatchObject({
      outcome: 'partly',
      admitted: 2,
      refusal: {
        message:
          'pods "web-2" is forbidden: exceeded quota: team-quota, requested: requests.cpu=1, used: requests.cpu=10, limited: requests.cpu=10',
      },
      raises: [{ text: 'team-quota requests.cpu 10 -> 13' }],
    });
    expect(answer.at('items.1.review')).toMatchObject({
      outcome: 'refused',
      refusal: {
        message:
          'replicasets.apps "web-xxxxxxxxxx" is forbidden: exceeded quota: objects, requested: count/replicasets.apps=1, used: count/replicasets.apps=1, limited: count/replicasets.apps=1',
      },
      charges: [{ resource: 'count/deployments.apps', before: '0', after: '1' }],
    });
    expect(answer.at('items.2.review.refusal.message')).toBe(
      'deployments.apps "web" is forbidden: exceeded quota: objects, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1',
    );
    expect(answer.at('items.3.review')).toMatchObject({
      wanted: 1,
      notes: ['it runs on 1 of 1 nodes'],
    });
  });

  it('reviews changes of replicas of stored workloads', async () => {
    const of = (kind: string, name: string) => ({ kind, namespace: 'team', name });
    const items = [
      { id: 'more', workloadRef: of('StatefulSet', 'db'), replicas: 9 },
      { id: 'same', workloadRef: of('StatefulSet', 'db'), replicas: 3 },
      { id: 'which', workloadRef: of('Deployment', 'mixed'), replicas: 1 },
      { id: 'none', workloadRef: of('Deployment', 'none'), replicas: 1 },
      { id: 'kind', workloadRef: of('DaemonSet', 'db'), replicas: 1 },
      { id: 'how many', workloadRef: of('StatefulSet', 'db') },
    ];
    const answer = await ask({ items });
    expect(answer.at('items.0.review')).toMatchObject({
      wanted: 6,
      admitted: 4,
      refusal: { message: expect.stringContaining('pods "db-7" is forbidden: exceeded quota') },
      raises: [{ text: 'team-quota requests.cpu 10 -> 11' }],
      notes: ['3 pods have not ended and are not being deleted'],
    });
    expect(answer.at('items.1.review')).toMatchObject({ outcome: 'unchanged', wanted: 0, charges: [] });
    expect(answer.at('items.2.review')).toMatchObject({ outcome: 'frees', admitted: 0, charges: [] });
    expect(answer.at('items.3.error.code')).toBe('object-not-found');
    expect(answer.at('items.4.error.errors')).toMatchObject([{ pointer: '/items/4/workloadRef/kind' }]);
    expect(answer.at('items.5.error.errors')).toMatchObject([{ pointer: '/items/5/replicas', code: 'required' }]);
  });

  it('compares with counted usage on request', async () => {
    const items = [{ id: 'a', namespace: 'team', pod: manifest('batch', { cpu: '1' }), replicas: 9 }];
    expect((await ask({ items })).at('items.0.review.fits')).toBe(2);
    // 3 * 500m and 3.
    expect((await ask({ items, usage: 'counted' })).at('items.0.review')).toMatchObject({
      fits: 5,
      rooms: [{ used: '4500m' }, { used: '5' }],
    });
  });

  it('does not guess about kinds that no snapshot has contained', async () => {
    const only = `/api/v1/clusters/bare/snapshots?createCluster=true&kinds=Node`;
    const taken = await service.request('POST', only, { apiVersion: 'v1', kind: 'List', items: [node('a')] });
    expect(taken.status).toBe(201);
    const items = [{ id: 'a', pod: manifest('batch', { cpu: '1' }) }];
    const answer = await service.request('POST', '/api/v1/clusters/bare/quota-reviews', { items });
    expect(answer.at('items.0.review.outcome')).toBe('unknown');
    const plugins = (answer.at('items.0.review.undecided') as { plugin: string }[]).map(({ plugin }) => plugin);
    expect(plugins).toContain('ResourceQuota');
  });

  it.each<[string, object, string]>([
    ['nothing', { id: 'a' }, ''],
    ['both', { id: 'a', pod: {}, workloadRef: { kind: 'Deployment', name: 'x' }, replicas: 1 }, ''],
    ['fewer than none', { id: 'a', pod: manifest('x', {}), replicas: -1 }, '/replicas'],
    ['more than a workload can have', { id: 'a', pod: manifest('x', {}), replicas: 2_147_483_648 }, '/replicas'],
    ['half a pod', { id: 'a', pod: manifest('x', {}), replicas: 0.5 }, '/replicas'],
    [
      'another namespace than its own',
      { id: 'a', namespace: 'b', pod: { ...manifest('x', {}), metadata: { name: 'x', namespace: 'c' } } },
      '/namespace',
    ],
    ['what makes no pods', { id: 'a', pod: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' } } }, '/pod/kind'],
  ])('names an item that requests %s', async (_, item, pointer) => {
    const answer = await ask({ items: [item, { id: 'good', pod: manifest('x', { cpu: '1' }) }] });
    expect(answer.status).toBe(200);
    expect((answer.at('items.0.error.errors') as { pointer: string }[])[0]?.pointer).toBe(`/items/0${pointer}`);
    expect(answer.at('items.1.review.outcome')).toBe('admitted');
  });

  it('handles negative and enormous amounts', async () => {
    const items = [
      { id: 'negative', namespace: 'team', pod: manifest('n', { cpu: '-1' }) },
      { id: 'enormous', namespace: 'team', pod: manifest('e', { cpu: '1e99999999999' }), replicas: 2_147_483_647 },
      { id: 'tiny', namespace: 'default', pod: manifest('t', { cpu: '1n' }), replicas: 2_147_483_647 },
    ];
    const answer = await ask({ items });
    expect(answer.at('items.0.review.refusal')).toMatchObject({
      by: 'validation',
      message: expect.stringContaining('must be greater than or equal to 0'),
    });
    expect(answer.at('items.1.review')).toMatchObject({ outcome: 'refused', fits: 0 });
    expect(answer.at('items.2.review')).toMatchObject({ outcome: 'admitted', fits: null });
  });

  it('is the same in GraphQL', async () => {
    const items = [
      { id: 'a', namespace: 'team', pod: manifest('batch', { cpu: '250m' }), replicas: 18 },
      { id: 'b', workloadRef: { kind: 'Deployment', namespace: 'team', name: 'none' }, replicas: 1 },
    ];
    const { json } = await service.graphql(
      `query ($items: [QuotaReviewItemInput!]!) { cluster(name: "shop") { quotaReview(input: { items: $items }) { items { id
        error { code } review { kind namespace name outcome wanted admitted fits refusal { by status message causes { type field message } }
        raises { quota resource from to text } rooms { quota resource hard used perPod fits }
        charges { quota resource before after } undecided { plugin missingKind why } notes } } } } }`,
      { items },
    );
    const rest = await ask({ items });
    expect(json).toEqual({
      data: {
        cluster: {
          quotaReview: {
            items: [
              { id: 'a', error: null, review: rest.at('items.0.review') },
              { id: 'b', error: { code: 'object-not-found' }, review: null },
            ],
          },
        },
      },
    });
  });
});

describe('the responses of a real API server to pods under quotas', () => {
  it('are reproduced over HTTP', async () => {
    const folder = 'test/conformance/recorded/quota';
    let pods = 0;
    let refusals = 0;
    for (const file of (await readdir(folder)).sort()) {
      const { input, observed } = JSON.parse(await readFile(`${folder}/${file}`, 'utf8')) as QuotaRecording;
      if (input.order !== 'quota-first' || observed.quotaCreates.some(({ code }) => code !== 201)) continue;
      const into = input.pods[0]?.metadata.namespace;
      if (into === undefined) continue;
      const cluster = file.replace('.json', '');
      const quotas = input.quotas.map((one) => {
        const hard = one.spec?.hard ?? {};
        const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
        return { ...one, metadata: { ...one.metadata, namespace: into }, status: { hard, used } };
      });
      const range = input.limitrange;
      const ranges = range === null ? [] : [{ ...range, metadata: { ...range.metadata, namespace: into } }];
      await store(service, cluster, [node('a'), namespace(into), ...quotas, ...input.extras, ...ranges]);
      const items = input.pods.map((one, index) => ({ id: String(index), namespace: into, pod: one }));
      const answer = await service.request('POST', `/api/v1/clusters/${cluster}/quota-reviews`, { items });
      for (const [index, recorded] of observed.podCreates.entries()) {
        const review = answer.at(`items.${index}.review`) as {
          outcome: string;
          refusal: { status: number; message: string } | null;
        };
        const got = `${file} ${index}: ${review.refusal?.status ?? 201} ${review.refusal?.message ?? ''}`;
        const wanted = `${file} ${index}: ${recorded.code} ${recorded.response?.message ?? ''}`;
        pods++;
        if (recorded.code !== 201) refusals++;
        // Several quotas are looked at in no certain order.
        if (input.quotas.length > 1 && recorded.code !== 201) expect(review.refusal?.status).toBe(recorded.code);
        else expect(got).toBe(wanted);
      }
    }
    expect(pods).toBeGreaterThan(20);
    expect(refusals).toBeGreaterThan(5);
  });
});
