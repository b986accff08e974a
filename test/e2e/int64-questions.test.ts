import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const GREATEST = '9223372036854775807';
const AT = '/api/v1/clusters/shop';

/** A placeholder for the greatest 64-bit integer, replaced when the body is sent. */
const LONG = '<greatest>';
const bare = (body: object | string): string =>
  (typeof body === 'string' ? body : JSON.stringify(body)).replaceAll(`"${LONG}"`, GREATEST);

const FOREVER = { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: LONG };
const SPEC = { containers: [{ name: 'c', image: 'i' }], tolerations: [FOREVER] };
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'd' }, spec: SPEC };
const OTHER = { ...SPEC, tolerations: [{ ...FOREVER, tolerationSeconds: '<less>' }] };

const CLUSTER = [
  node('a'),
  node('b', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'd' } },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'd', name: 'few' },
    spec: { hard: { pods: '9' } },
    status: { hard: { pods: '9' }, used: { pods: '4' } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'd', name: 'w' },
    spec: { selector: { matchLabels: { a: 'w' } }, template: { metadata: { labels: { a: 'w' } }, spec: SPEC } },
  },
  { ...pod('d/on-a', 'a', SPEC, { kind: 'ReplicaSet', name: 'w' }), status: { phase: 'Running' } },
  { ...pod('d/on-b', 'b', SPEC), status: { phase: 'Running' } },
  { ...pod('d/waits', '', SPEC), status: { phase: 'Pending' } },
  { ...pod('d/waits-too', '', OTHER), status: { phase: 'Pending' } },
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (const objects of [CLUSTER.slice(0, 3), CLUSTER]) {
    const body = bare(list(objects)).replaceAll('"<less>"', '9007199254740993');
    const taken = await send(service, `${AT}/snapshots?createCluster=true`, body);
    expect(taken.status).toBe(201);
  }
});
afterAll(() => service.close());

const ask = (method: string, path: string, body?: object): Promise<Answer> =>
  service.request(method, `${AT}/${path}`, body === undefined ? undefined : bare(body), {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  });

const SCENARIO = { changes: [{ editNodes: { nodes: ['a'], taints: ['k:NoExecute'] } }] };
const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    resource: { group: '', version: 'v1', resource: 'pods' },
    operation: 'CREATE',
    namespace: 'd',
    object: POD,
  },
};

/** Every question to which a pod with such a toleration can be brought, or that is answered from one that is stored. */
const QUESTIONS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', 'placements', { pod: POD, ranking: true, fixes: true }],
  ['POST', 'placements', { workload: CLUSTER[4] }],
  ['POST', 'placements/batch', { items: [{ id: 'a', pod: POD, detail: 'nodes' }] }],
  ['GET', 'pods/d/on-a/placement?fixes=true'],
  ['GET', 'pods/d/on-a/ranking'],
  ['GET', 'pods/d/on-a/resources'],
  ['GET', 'pods'],
  ['GET', 'toleration-sets'],
  ['GET', 'findings'],
  ['GET', 'diff?from=1&to=2'],
  ['GET', 'metrics'],
  ['GET', 'nodes/b/allocation'],
  ['GET', 'nodes/b/pods-allowed'],
  ['POST', 'pods-allowed', { taints: ['k:NoExecute'] }],
  ['POST', 'nodes/search', { pod: POD }],
  ['POST', 'findings', { manifest: POD }],
  ['POST', 'queue-runs', {}],
  ['POST', 'queue-runs', { pods: [{ id: 'a', pod: POD }] }],
  ['POST', 'queue-runs?view=pods', { pods: [{ id: 'a', pod: POD }] }],
  ['POST', 'capacities', { pod: POD, taints: true }],
  ['POST', 'placement-comparisons', { against: { scenario: SCENARIO } }],
  ['POST', 'preemptions', { pod: POD }],
  ['POST', 'pod-resources', { pod: POD }],
  ['POST', 'admission-reviews', { pod: POD }],
  ['POST', 'quota-reviews', { items: [{ id: 'a', pod: POD }] }],
  ['GET', 'quota-capacity'],
  ['POST', 'scenario-impacts', { scenario: SCENARIO }],
  ['POST', 'eviction-schedules', { landing: true, scenario: SCENARIO }],
  ['POST', 'eviction-schedules?format=csv', { landing: true, scenario: SCENARIO }],
  [
    'POST',
    'eviction-schedules',
    {
      asOf: '2126-05-04T12:00:00Z',
      events: [{ at: '2126-05-04T12:00:00Z', do: 'setTolerations', pod: 'd/on-b', tolerations: [FOREVER] }],
      outages: [{ nodes: ['a'] }],
    },
  ],
  ['POST', 'eviction-schedules', { view: 'pods', scenario: SCENARIO }],
  ['POST', 'drains', { nodes: ['b'] }],
  ['POST', 'drains?view=pods', { nodes: ['b'] }],
  ['POST', 'eviction-ranks', { node: 'b', signal: 'memory', usage: {} }],
  ['POST', 'taint-changes', { nodes: ['a'], taints: ['k:NoExecute'], reason: 'r', dryRun: true }],
  ['POST', 'webhooks/mutate-pods', REVIEW],
  ['POST', 'webhooks/validate-pods', REVIEW],
];

describe('a toleration of more than 2^53 seconds', () => {
  // Rows of one length: Jest would put its own callback in the place of a member that is not there.
  const rows = QUESTIONS.map(([method, path, body]) => ({ method, path, body }));
  it.each(rows)('is accepted: $method $path $body', async ({ method, path, body }) => {
    const answer = await ask(method, path, body);
    expect([answer.status, answer.status === 200 ? undefined : answer.text]).toEqual([200, undefined]);
  });

  it('distinguishes pods that differ in nothing else', async () => {
    const answer = await ask('POST', 'queue-runs', {});
    expect(answer.at('totals')).toMatchObject({ placed: 2, unplaced: 0 });
  });

  it('does not prevent a webhook from returning a patch', async () => {
    const pool = {
      nodes: { matchLabels: { none: 'yes' } },
      taints: ['house=yes:NoSchedule'],
      labels: { house: 'yes' },
      users: { namespaces: ['d'] },
    };
    expect((await ask('PUT', 'pools/house', pool)).status).toBe(201);
    const answer = await ask('POST', 'webhooks/mutate-pods', REVIEW);
    expect(answer.status).toBe(200);
    const patch = Buffer.from(String(answer.at('response.patch')), 'base64').toString();
    expect(patch).toContain('"key":"house"');
    expect((await ask('POST', 'placements', { pod: POD })).status).toBe(200);
    expect((await ask('PUT', 'pools/house', pool)).status).toBe(200);
  });
});
