import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
const TAINTS = [
  { key: 'gpu', value: 'a100', effect: 'NoExecute' },
  { key: 'slow', effect: 'PreferNoSchedule' },
];
const GPU = { key: 'gpu', operator: 'Exists', effect: 'NoExecute' };
const requesting = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '250m', memory: '1Gi' } } }] };

beforeAll(async () => {
  service = await startTestService();
  await store(service, 'c', [
    node('a', { spec: { unschedulable: true, taints: TAINTS } }),
    node('b'),
    { ...pod('t/evicted', 'a', requesting), status: { phase: 'Running', startTime: '2026-05-04T03:02:01Z' } },
    pod('t/later', 'a', { tolerations: [{ ...GPU, tolerationSeconds: 60 }] }),
    pod('s/stays', 'a', { tolerations: [{ operator: 'Exists' }] }, { kind: 'DaemonSet', name: 'stays' }),
    { ...pod('t/ended', 'a'), status: { phase: 'Succeeded' } },
    pod('t/elsewhere', 'b'),
  ]);
});
afterAll(() => service.close());

describe('the summary of a node', () => {
  it('has its room, its pods, and what its taints and its cordon mean for each', async () => {
    const answer = await service.request('GET', '/api/v1/clusters/c/nodes/a/summary');
    expect(answer.status).toBe(200);
    expect(answer.at('room')).toEqual([
      { resource: 'cpu', allocatable: 4000, requested: 250 },
      { resource: 'memory', allocatable: 16 * 2 ** 30, requested: 2 ** 30 },
      { resource: 'pods', allocatable: 110, requested: 3 },
    ]);
    expect((answer.at('taints') as { text: string }[]).map(({ text }) => text)).toEqual([
      'gpu=a100:NoExecute',
      'slow:PreferNoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    expect(answer.at('outcomes')).toEqual([
      { verdict: 'allowed', taints: [], tolerationSeconds: null, refusesNew: false },
      { verdict: 'evicted', taints: [0], tolerationSeconds: 0, refusesNew: true },
      { verdict: 'evicted', taints: [0], tolerationSeconds: 60, refusesNew: true },
    ]);
    const pods = answer.at('pods') as { namespace: string; name: string; outcome: number | null }[];
    expect(pods.map(({ namespace, name, outcome }) => [`${namespace}/${name}`, outcome])).toEqual([
      ['s/stays', 0],
      ['t/ended', null],
      ['t/evicted', 1],
      ['t/later', 2],
    ]);
    expect(pods[2]).toMatchObject({
      phase: 'Running',
      startedAt: '2026-05-04T03:02:01.000Z',
      cpu: 250,
      memory: 2 ** 30,
    });
    expect(answer.at('podTotal')).toBe(4);
  });

  it('is the same in GraphQL', async () => {
    const query = '{ cluster(name: "c") { nodeSummary(name: "b") { node { name } podTotal pods { name outcome } } } }';
    expect((await service.graphql(query)).at('data.cluster.nodeSummary')).toEqual({
      node: { name: 'b' },
      podTotal: 1,
      pods: [{ name: 'elsewhere', outcome: 0 }],
    });
  });

  it('names a node that is not there', async () => {
    const answer = await service.request('GET', '/api/v1/clusters/c/nodes/x/summary');
    expect([answer.status, answer.at('code')]).toEqual([404, 'object-not-found']);
  });
});
