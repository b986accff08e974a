import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';
const GPU = { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' };

const namespace = (name: string, annotations: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
});
const quota = (namespaceName: string, hard: object): object => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: namespaceName, name: 'q' },
  spec: { hard },
  status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) },
});
const asking = (key: string, on: string, cpu: string, more: object = {}): object => ({
  ...pod(key, on, { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...more }),
  status: { phase: on === '' ? 'Pending' : 'Running' },
});

const CLUSTER = [
  node('plain'),
  node('gpu', { spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] } }),
  node('cordoned', { spec: { unschedulable: true } }),
  namespace('big'),
  namespace('ml'),
  namespace('small'),
  namespace('objects'),
  quota('big', { 'requests.cpu': '10', 'limits.cpu': '1', pods: '500' }),
  quota('ml', { 'requests.cpu': '8', 'requests.memory': '20Gi' }),
  quota('small', { 'requests.cpu': '1' }),
  quota('objects', { services: '3', pods: '9' }),
  asking('big/a', 'plain', '3'),
  asking('big/b-0', '', '2'),
  asking('big/b-1', '', '2'),
  asking('big/c', '', '100m'),
  asking('ml/train', 'gpu', '3', { tolerations: [GPU] }),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const get = (query = '') => service.request('GET', `${AT}/quota-capacity${query}`);

describe('quota capacity', () => {
  it('shows which quotas exceed the nodes, and why pods are pending despite free quota', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    const items = answer.at('items') as { namespace: string; holds: string; nodes: number }[];
    expect(items.map((one) => [one.namespace, one.holds, one.nodes])).toEqual([
      ['big', 'beyond', 1],
      ['ml', 'beyondFree', 2],
      ['small', 'within', 1],
    ]);
    expect(answer.at('items.0')).toMatchObject({
      groups: [
        { of: 'new', pods: 0, nodes: 1 },
        { of: 'stored', pods: 4, tolerations: [], nodes: 1 },
      ],
      resources: [
        { resource: 'pods', hard: '500', allocatable: '110', holds: 'beyond' },
        {
          resource: 'requests.cpu',
          hard: '10',
          used: '7100m',
          quotaFree: '2900m',
          allocatable: '4',
          free: '1',
          text: 'q allows 10 requests.cpu, but the 1 nodes available to its pods have 4',
        },
      ],
      waiting: 3,
      waitingPods: [
        {
          pods: 2,
          example: 'b-0',
          feasibleNodes: 0,
          message: expect.stringMatching(
            /^0\/3 nodes are available: 1 Insufficient cpu, 1 node\(s\) had untolerated taint/,
          ),
        },
        { pods: 1, example: 'c', feasibleNodes: 1, message: null },
      ],
    });
    expect(answer.at('items.1')).toMatchObject({
      groups: [
        { of: 'new', nodes: 1 },
        { of: 'stored', tolerations: [{ key: 'dedicated' }], nodes: 2 },
      ],
      resources: [
        { resource: 'requests.cpu', allocatable: '8', free: '2', quotaFree: '5', holds: 'beyondFree' },
        { resource: 'requests.memory', allocatable: '32Gi', free: '32Gi', holds: 'within' },
      ],
    });
    expect(answer.at('assumptions')).toHaveLength(3);
  });

  it('is filtered by namespace and by holds, and paged', async () => {
    const names = async (query: string) =>
      ((await get(query)).at('items') as { namespace: string }[]).map((one) => one.namespace);
    expect(await names('?holds=beyond&holds=within')).toEqual(['big', 'small']);
    expect(await names('?namespace=ml')).toEqual(['ml']);
    expect(await names('?namespace=objects')).toEqual([]);
    const first = await get('?limit=2');
    expect(await names(`?limit=2&continue=${String(first.at('continue'))}`)).toEqual(['small']);
    expect((await get('?holds=never')).status).toBe(400);
  });

  it('counts only the nodes of its pool for a new pod', async () => {
    const labelled = { ...node('gpu'), metadata: { name: 'gpu', labels: { dedicated: 'gpu' } } };
    await store(service, 'pooled', [node('plain'), labelled, namespace('ml'), quota('ml', { 'requests.cpu': '8' })]);
    const newPods = async () => {
      const answer = await service.request('GET', '/api/v1/clusters/pooled/quota-capacity');
      return (answer.at('items.0.groups') as { of: string; nodes: number }[]).find((one) => one.of === 'new')?.nodes;
    };
    expect(await newPods()).toBe(2);
    const pool = {
      nodes: { matchLabels: { dedicated: 'gpu' } },
      taints: ['dedicated=gpu:NoSchedule'],
      labels: { dedicated: 'gpu' },
      users: { namespaces: ['ml'] },
    };
    expect((await service.request('PUT', '/api/v1/clusters/pooled/pools/gpu', pool)).status).toBe(201);
    expect(await newPods()).toBe(1);
  });

  it('takes a scenario, and is the same in GraphQL', async () => {
    const scenario = { changes: [{ editNodes: { nodes: ['gpu'], taints: ['dedicated-'] } }] };
    const { json } = await service.graphql(
      `query ($scenario: ScenarioInput) { cluster(name: "shop") { quotaCapacity(scenario: $scenario) { totalCount
        nodes { namespace holds nodes waiting waitingPods { pods example feasibleNodes message }
          groups { of pods nodes nodeSelector } resources { quota resource hard used quotaFree allocatable free holds text } } } } }`,
      { scenario },
    );
    const rest = await get(`?scenario=${encodeURIComponent(JSON.stringify(scenario))}`);
    expect(rest.at('items.0')).toMatchObject({ namespace: 'big', nodes: 2 });
    expect(rest.json).toMatchObject({
      items: (json as { data: { cluster: { quotaCapacity: { nodes: object[] } } } }).data.cluster.quotaCapacity.nodes,
    });
  });
});
