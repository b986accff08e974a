import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.js';

const CLUSTER = '/api/v1/clusters/order';
const MIXED = '/api/v1/clusters/mixed';
const NAMES = ['a', 'b', 'c'];
const START = '2026-01-01T00:00:00Z';
const AS_OF = '2031-01-01T00:00:00Z';

const node = (name: string, cpu: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
});
const asking = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] };
const replicaSet = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: `of-${name}`,
  uid: `of-${name}`,
});
/** Pods that differ in nothing but their names; `b` has no controller. */
const pod = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...{ namespace: 'shop', name, uid: name, creationTimestamp: START },
    ...(name !== 'b' && { ownerReferences: [{ ...replicaSet(name), controller: true }] }),
  },
  spec: { ...asking, nodeName: 'full' },
  status: { phase: 'Running', startTime: START, conditions: [{ type: 'Ready', status: 'True' }] },
});
const owner = (name: string): object => {
  const { apiVersion, kind, ...metadata } = replicaSet(name);
  const labels = { app: name };
  const template = { metadata: { labels }, spec: asking };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion, kind, metadata: { ...metadata, namespace: 'shop' }, spec };
};
const KINDS = 'Node,Pod,ReplicaSet,PodDisruptionBudget';
const OBJECTS = [node('full', '3'), node('room', '1'), ...NAMES.map(pod), ...['a', 'c'].map(owner)];

const urgent = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'urgent', namespace: 'shop' },
  spec: { ...asking, priority: 9, nodeSelector: { 'kubernetes.io/hostname': 'full' } },
};
const evicting = { changes: [{ editNodes: { nodes: ['full'], taints: ['maintenance=true:NoExecute'] } }] };
const removing = { changes: [{ removeNodes: { nodes: ['full'] } }] };
const QUESTIONS: readonly (readonly [path: string, body: object])[] = [
  ['/preemptions', { pod: urgent, admission: 'skip' }],
  ['/eviction-schedules', { asOf: AS_OF, landing: true, scenario: evicting }],
  ['/placements', { pod: urgent, admission: 'skip', scenario: removing }],
  ['/queue-runs', { scenario: removing }],
  ['/drains', { nodes: ['full'], asOf: AS_OF, options: { force: true } }],
];

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await startTestService();
  other = await startTestService({ DATABASE_URL: service.databaseUrl });
});
afterAll(async () => {
  await other.close();
  await service.close();
});

const post = async (of: TestService, path: string, body: object, cluster = CLUSTER): Promise<string> => {
  const { status, text } = await of.request('POST', `${cluster}${path}`, body);
  expect([status < 300, text]).toEqual([true, text]);
  return text.replaceAll(/"(decisionId)":"[^"]*"|"ageSeconds":\d+/g, '');
};

const answers = async (of: TestService, revision: number): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const [path, body] of QUESTIONS) found.push(await post(of, `${path}?revision=${revision}`, body));
  return found;
};

describe('pods that are equal but for their names', () => {
  it('are evicted, placed and listed in one order, however the state came into memory', async () => {
    await post(service, `/snapshots?createCluster=true&kinds=${KINDS}`, {
      apiVersion: 'v1',
      kind: 'List',
      items: OBJECTS,
    });
    const before = await answers(service, 1);
    const delta = { stream: 's', allowRemovals: true };
    const deletions = [{ kind: 'Pod', namespace: 'shop', name: 'a' }];
    await post(service, '/deltas', { ...delta, sequence: 1, deletions });
    await post(service, '/deltas', { ...delta, sequence: 2, upserts: [pod('a')] });
    // One has had the first revision from the beginning, and makes the third of it; the other loads the third, and makes the first of that.
    const after = await answers(service, 3);
    expect(await answers(other, 3)).toEqual(after);
    expect(await answers(other, 1)).toEqual(before);
    expect(before[0]).toContain('"victims":[{"namespace":"shop","name":"c"');
  });
});

/** Pods of one ReplicaSet that tolerate different taints. */
const tolerating = (name: string, key: string): object => ({
  ...pod('a'),
  metadata: { ...(pod('a') as { metadata: object }).metadata, name, uid: name },
  spec: { ...asking, nodeName: 'full', tolerations: [{ key, operator: 'Exists' }] },
});
const tainting = { nodes: ['full'], taints: ['dedicated=db:NoSchedule'], dryRun: true, reason: 'order' };

describe('pods of one workload that tolerate different taints', () => {
  it('are listed in one order in what a taint change does, however the state came into memory', async () => {
    const items = [node('full', '9'), owner('a'), tolerating('b', 'y'), tolerating('c', 'x'), tolerating('d', 'x')];
    await post(
      service,
      `/snapshots?createCluster=true&kinds=${KINDS}`,
      { apiVersion: 'v1', kind: 'List', items },
      MIXED,
    );
    const preview = async (of: TestService): Promise<unknown> =>
      (await of.request('POST', `${MIXED}/taint-changes`, tainting)).at('effects');
    const before = await preview(service);
    const delta = { stream: 's', allowRemovals: true };
    const deletions = [{ kind: 'Pod', namespace: 'shop', name: 'b' }];
    await post(service, '/deltas', { ...delta, sequence: 1, deletions }, MIXED);
    await post(service, '/deltas', { ...delta, sequence: 2, upserts: [tolerating('b', 'y')] }, MIXED);
    expect(await preview(service)).toEqual(before);
    expect(await preview(other)).toEqual(before);
    expect(before).toMatchObject({ workloads: { groups: [{ workloads: [{ pods: 2 }, { pods: 1 }] }] } });
  });
});
