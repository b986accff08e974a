import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
const GKE = 'cloud.google.com/gke-nodepool';

beforeAll(async () => {
  service = await startTestService();
  await store(service, 'c', [...SMALL_CLUSTER, node('x', { metadata: { name: 'x', labels: { [GKE]: 'batch' } } })]);
  const pool = {
    nodes: { matchLabels: { pool: 'gpu' } },
    taints: ['gpu=a100:NoSchedule'],
    labels: { pool: 'gpu' },
    users: { namespaces: ['t'] },
  };
  expect((await service.request('PUT', '/api/v1/clusters/c/pools/gpus', pool)).status).toBe(201);
});
afterAll(() => service.close());

interface Group {
  readonly taints: readonly { readonly text: string }[] | null;
  readonly pools: readonly string[] | null;
  readonly label: string | null;
  readonly nodes: number;
  readonly names: object;
}

describe('the groups of nodes', () => {
  it('have equal taints, the largest first, with room and names', async () => {
    const answer = await service.request('GET', '/api/v1/clusters/c/node-groups');
    expect(answer.status).toBe(200);
    const groups = answer.at('groups') as readonly Group[];
    expect(groups.map(({ taints, nodes }) => [taints!.map(({ text }) => text), nodes])).toEqual([
      [[], 2],
      [['gpu=a100:NoSchedule'], 2],
      [['gpu=t4:NoSchedule', 'slow:PreferNoSchedule'], 1],
      [['slow:PreferNoSchedule'], 1],
    ]);
    expect(groups[3]).toMatchObject({ nodes: 1, ready: 1, unschedulable: 1, names: { shared: [0], rest: ['d'] } });
    expect(answer.at('groups.0.room')).toMatchObject([
      { resource: 'cpu', allocatable: 8000 },
      {},
      { allocatable: 220 },
    ]);
  });

  it('are declared pools, or those that a provider names', async () => {
    const query = '{ cluster(name: "c") { nodeGroups(by: pool) { groups { pools label nodes } } } }';
    expect((await service.graphql(query)).at('data.cluster.nodeGroups.groups')).toEqual([
      { pools: ['gpus'], label: null, nodes: 3 },
      { pools: [], label: null, nodes: 2 },
      { pools: ['batch'], label: GKE, nodes: 1 },
    ]);
  });
});
