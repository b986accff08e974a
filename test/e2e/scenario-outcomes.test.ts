import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';
const PATIENT = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };

const kata = (key: string, tolerations: object[] = []): object => ({
  ...pod(key, 'a', {
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '600m' } } }],
    runtimeClassName: 'kata',
    overhead: { cpu: '250m', memory: '120Mi' },
    tolerations,
  }),
  status: { phase: 'Running' },
});

const CLUSTER = [
  node('a', {
    status: { allocatable: { cpu: '2', memory: '16Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
  }),
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata' },
    handler: 'kata',
    overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
  },
  kata('team/patient', [PATIENT]),
  kata('team/one'),
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'team' },
    spec: { hard: { 'requests.cpu': '1800m' } },
    status: { hard: { 'requests.cpu': '1800m' }, used: { 'requests.cpu': '1700m' } },
  },
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
}, 120_000);
afterAll(() => service.close());

const ask = (changes: object[], query = ''): Promise<Answer> =>
  service.request('POST', `${AT}/scenario-outcomes${query}`, { scenario: { changes } });
const TAINT = { editNodes: { nodes: ['a'], taints: ['maintenance=true:NoExecute'] } };

describe('the outcome of a scenario', () => {
  it('counts evictions on both sides, and says when the first pod leaves', async () => {
    const answer = await ask([TAINT]);
    expect(answer.status).toBe(200);
    expect(answer.at('before.evictions')).toMatchObject({ pods: 2, now: 0, at: 0, never: 0, first: null });
    expect(answer.at('after.evictions')).toMatchObject({ pods: 2, now: 1, at: 1, never: 0 });
    const start = Date.parse(answer.at('asOf') as string);
    expect(Date.parse(answer.at('after.evictions.first.latest') as string)).toBe(start);
    expect([answer.at('before.nodes.tainted'), answer.at('after.nodes.tainted')]).toEqual([0, 1]);
    // The eviction schedule, asked for the same, says the same.
    const schedule = await service.request('POST', `${AT}/eviction-schedules`, {
      scenario: { changes: [TAINT] },
      asOf: answer.at('asOf'),
    });
    expect(answer.at('after.evictions')).toMatchObject(schedule.at('counts') as object);
  });

  it('shows what a multiple of an overhead costs, and which quotas end', async () => {
    const changes = [
      { editRuntimeClass: { name: 'kata', overheadFactor: 1.5 } },
      { readmitPods: { runtimeClass: 'kata' } },
    ];
    const answer = await ask(changes);
    expect(answer.at('before.overhead.scheduled.amounts')).toEqual([
      { resource: 'cpu', amount: 500 },
      { resource: 'memory', amount: 240 * 2 ** 20 },
    ]);
    expect(answer.at('after.overhead.scheduled.amounts')).toEqual([
      { resource: 'cpu', amount: 750 },
      { resource: 'memory', amount: 360 * 2 ** 20 },
    ]);
    expect(answer.at('before.quotas')).toEqual({ total: 1, over: 0, full: 0 });
    expect(answer.at('after.quotas')).toEqual({ total: 1, over: 1, full: 0 });
    const cpuOf = (side: string): unknown =>
      (answer.at(`${side}.resources`) as { resource: string; requested: number }[]).find(
        ({ resource }) => resource === 'cpu',
      )?.requested;
    expect([cpuOf('before'), cpuOf('after')]).toEqual([1700, 1950]);
  });

  it('rounds multiplied overheads up: to thousandths of a CPU, and to whole bytes', async () => {
    const outcome = async (factor: number): Promise<unknown> =>
      (
        await ask([
          { editRuntimeClass: { name: 'kata', overheadFactor: factor } },
          { readmitPods: { runtimeClass: 'kata' } },
        ])
      ).at('after.overhead.scheduled.amounts');
    // 250m * 0.333 = 83.25m, for each of two pods; 125829120 * 0.333 = 41901096.96.
    expect(await outcome(0.333)).toEqual([
      { resource: 'cpu', amount: 168 },
      { resource: 'memory', amount: 2 * 41901097 },
    ]);
    const none = await ask([
      { editRuntimeClass: { name: 'kata', overheadFactor: 0 } },
      { readmitPods: { runtimeClass: 'kata' } },
    ]);
    expect(none.status).toBe(200);
  });

  it('lists the codes of findings that come and go', async () => {
    const answer = await ask([{ editNodes: { nodes: ['a'], taints: ['dedicated=ml:NoSchedule'] } }]);
    const rows = answer.at('findings') as { code: string; before: number; after: number }[];
    expect(rows.length).toBeGreaterThan(0);
    const listed = async (scenario?: object): Promise<Map<string, number>> => {
      const query = scenario === undefined ? '' : `&scenario=${encodeURIComponent(JSON.stringify(scenario))}`;
      const { json } = await service.request('GET', `${AT}/findings?view=findings&limit=1000${query}`);
      const counts = new Map<string, number>();
      for (const { code } of (json as { items: { code: string }[] }).items)
        counts.set(code, (counts.get(code) ?? 0) + 1);
      return counts;
    };
    const before = await listed();
    const after = await listed({ changes: [{ editNodes: { nodes: ['a'], taints: ['dedicated=ml:NoSchedule'] } }] });
    for (const row of rows) {
      expect([row.code, row.before, row.after]).toEqual([
        row.code,
        before.get(row.code) ?? 0,
        after.get(row.code) ?? 0,
      ]);
      expect(row.before).not.toBe(row.after);
    }
  });

  it('is the same in GraphQL', async () => {
    const changes = [TAINT];
    const rest = await ask(changes, '?revision=1');
    const answer = await service.graphql(
      `query ($scenario: ScenarioInput!) { cluster(name: "shop") { scenarioOutcome(revision: 1, scenario: $scenario) {
        before { evictions { now at } nodes { tainted } } after { evictions { now at first { latest } } quotas { total over full } } } } }`,
      { scenario: { changes } },
    );
    expect(rest.json).toMatchObject(answer.at('data.cluster.scenarioOutcome') as object);
  });

  it('names every fault of the changes, and stores nothing', async () => {
    const answer = await ask([
      { editRuntimeClass: { name: 'kata', overheadFactor: 2, withoutOverhead: true } },
      { editRuntimeClass: { name: 'kata', overheadFactor: 1001 } },
      { editRuntimeClass: { name: 'gone', overheadFactor: 2 } },
    ]);
    expect(answer.status).toBe(422);
    expect((answer.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      expect.stringMatching(/changes\/0\/editRuntimeClass$/),
      expect.stringMatching(/changes\/1\/editRuntimeClass\/overheadFactor$/),
      expect.stringMatching(/changes\/2\/editRuntimeClass\/name$/),
    ]);
    expect((await service.request('POST', `${AT}/scenario-outcomes`, {})).status).toBe(400);
  });
});
