import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../support/dice.js';
import { node, pod } from '../support/dumps.js';
import { inOneOrder, membersOf, podsOfGroup, type ShownGroup } from '../support/expand-group.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { processorTime } from '../support/processor-time.js';

const AT = '/api/v1/clusters/shop';

const wants = (cpu: string): object => ({ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] });
const pending = (key: string, cpu: string, more: object = {}, owner?: { kind: string; name: string }): object =>
  pod(key, '', { ...wants(cpu), ...more }, owner);
const manifest = (name: string, cpu: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { ...wants(cpu), ...more },
});
const GPU = { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] };

const CLUSTER = [
  node('a'),
  node('g', { spec: GPU }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'team', name: 'few' },
    spec: { hard: { pods: '1' } },
    status: { hard: { pods: '1' }, used: { pods: '0' } },
  },
  { apiVersion: 'v1', kind: 'LimitRange', metadata: { namespace: 'other', name: 'none' }, spec: { limits: [] } },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 5 },
  { ...pod('default/old', 'a', wants('1')), status: { phase: 'Running' } },
  pending('default/low-0', '2', {}, { kind: 'ReplicaSet', name: 'low' }),
  pending('default/low-1', '2', {}, { kind: 'ReplicaSet', name: 'low' }),
  pending('default/first', '1', { priority: 10 }),
  pending('default/gated', '1', { schedulingGates: [{ name: 'wait' }] }),
  pending('default/other', '1', { schedulerName: 'volcano' }),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const VIEWS: Readonly<Record<string, string>> = { 'queue-runs': 'pods', capacities: 'nodes' };

/** Requests the view of single items, if there are several views. */
function ask(path: string, body: object, query = ''): Promise<Answer> {
  const view = VIEWS[path] === undefined ? '' : `${query === '' ? '?' : '&'}view=${VIEWS[path]}`;
  return service.request('POST', `${AT}/${path}${query}${view}`, body);
}

const TEXT = '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).';

describe('a queue run', () => {
  it('places the pods of a group together or not at all if the profile has the coscheduling plugin', async () => {
    const groups = ['g', 'wide'].map((name, index) => ({
      apiVersion: 'scheduling.x-k8s.io/v1alpha1',
      kind: 'PodGroup',
      metadata: { name, namespace: 'default' },
      spec: { minMember: 2 + index * 40 },
    }));
    await store(service, 'groups', [
      node('a'),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
      ...groups,
      // Of the same name in the other API group.
      {
        apiVersion: 'scheduling.k8s.io/v1alpha2',
        kind: 'PodGroup',
        metadata: { name: 'g', namespace: 'default' },
        spec: { schedulingPolicy: { gang: { minCount: 9 } } },
      },
    ]);
    const member = (id: string, group: string, replicas: number): object => ({
      id,
      replicas,
      pod: { ...manifest(id, '1'), metadata: { name: id, labels: { 'scheduling.x-k8s.io/pod-group': group } } },
    });
    const configuration = {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Coscheduling' }] } } }],
    };
    const pods = [member('few', 'wide', 41), member('more', 'wide', 1), member('two', 'g', 2)];
    const path = '/api/v1/clusters/groups/queue-runs?view=pods';
    const together = await service.request('POST', path, { pods, configuration });
    expect(together.json).toMatchObject({
      totals: { placed: 2, unplaced: 42 },
      podGroups: [
        { source: 'Coscheduling', name: 'wide', minimum: 42, treatment: 'allOrNothing', pods: 42, placed: 0 },
        { name: 'g', minimum: 2, treatment: 'allOrNothing', pods: 2, placed: 2 },
      ],
    });
    const alone = await service.request('POST', path, { pods });
    expect(alone.json).toMatchObject({ podGroups: [{ treatment: 'independent' }, { treatment: 'independent' }] });
  });

  it('places pending pods by priority and time, one after another, and lists gated ones separately', async () => {
    const answer = await ask('queue-runs', {});
    expect(answer.status).toBe(200);
    const items = answer.at('items') as {
      name: string;
      outcome: string;
      node: string | null;
      message: string | null;
    }[];
    const [totals, waiting, outcome, ofOtherSchedulers] = ['totals', 'waiting', 'outcome', 'ofOtherSchedulers'].map(
      (path) => answer.at(path),
    );
    expect(items.map(({ name, outcome: became, node: on, message }) => [name, became, on, message])).toEqual([
      ['first', 'placed', 'a', null],
      ['low-0', 'placed', 'a', null],
      ['low-1', 'unplaced', null, TEXT],
      ['gated', 'gated', null, 'Scheduling is blocked due to non-empty scheduling gates'],
    ]);
    expect({ totals, waiting, outcome, ofOtherSchedulers }).toEqual({
      totals: { placed: 2, unplaced: 1, unknown: 0, gated: 1, error: 0, notTried: 0 },
      waiting: 4,
      outcome: 'complete',
      ofOtherSchedulers: 1,
    });
    expect(answer.at('taints')).toEqual([{ taint: 'gpu=yes:NoSchedule', pods: 1 }]);
    expect(answer.at('workloads.0')).toEqual({
      id: null,
      workload: { kind: 'ReplicaSet', namespace: 'default', name: 'low' },
      placed: 1,
      unknown: 0,
      unplaced: 1,
      gated: 0,
      error: 0,
      notTried: 0,
    });
  });

  it('finds single changes that unblock pods, and quotas that keep pods out', async () => {
    const pods = [{ id: 'team', namespace: 'team', pod: manifest('t', '0'), replicas: 3 }];
    const answer = await ask('queue-runs', { unblocking: true, pods });
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.at('refused')).toEqual([
      {
        id: 'team',
        by: 'ResourceQuota',
        message: 'pods "t" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
        pods: 2,
        raises: [{ quota: 'few', resource: 'pods', from: '1', to: '3', text: 'few pods 1 -> 3' }],
      },
    ]);
    const changes = answer.at('unblocking.changes') as { summary: string; unblocks: number; blocks: number }[];
    expect(changes.map(({ summary, unblocks, blocks }) => [summary, unblocks, blocks])).toEqual([
      ['raise few pods 1 -> 3', 2, 0],
      ['remove the taint gpu=yes:NoSchedule from 1 node', 1, 0],
      ['add 1 node like a', 1, 0],
      ['add a toleration for gpu=yes:NoSchedule to ReplicaSet default/low', 1, 0],
    ]);
    expect(answer.at('unblocking.isPartial')).toBe(false);
  });

  it('pages the decisions of one run', async () => {
    const first = await ask('queue-runs', {}, '?limit=3');
    const token = first.at('continue') as string;
    const second = await ask('queue-runs', {}, `?limit=3&continue=${encodeURIComponent(token)}`);
    expect([first.at('remainingItemCount'), second.at('items.0.name'), second.at('continue')]).toEqual([
      1,
      'gated',
      null,
    ]);
    const other = await ask('queue-runs', { pending: false }, `?continue=${encodeURIComponent(token)}`);
    expect([other.status, other.at('code')]).toEqual([400, 'invalid-continue-token']);
  });

  it('has groups by default: unplaced pods by cause, then placed ones', async () => {
    const answer = await service.request('POST', `${AT}/queue-runs`, {});
    expect(answer.json).toMatchObject({ items: [], continue: null, remainingItemCount: 0 });
    const low = { kind: 'ReplicaSet', namespace: 'default', name: 'low' };
    const bare = (name: string) => ({ kind: 'Pod', namespace: 'default', name });
    expect(answer.at('groups')).toMatchObject([
      {
        count: 1,
        outcome: 'unplaced',
        message: TEXT,
        reasons: [
          { code: 'UntoleratedTaint', nodes: 1 },
          { code: 'InsufficientResource', nodes: 1 },
        ],
        workloads: [{ workload: low, count: 1, pods: ['low-1'] }],
        columns: [],
      },
      { count: 1, outcome: 'gated', workloads: [{ workload: bare('gated') }] },
      {
        count: 2,
        outcome: 'placed',
        node: 'a',
        message: null,
        workloads: [
          { workload: bare('first'), pods: ['first'], values: { priority: 10 } },
          { workload: low, pods: ['low-0'], values: { priority: 0 } },
        ],
        columns: [{ name: 'position', values: [0, 1] }],
      },
    ]);
  });

  it.each([1, 2, 3])('loses nothing in groups (seed %i)', async (seed) => {
    const dice = new Dice(seed);
    const pods = Array.from({ length: 12 }, (_, index) => ({
      id: `w${index}`,
      pod: manifest(`w${index}`, dice.one(['100m', '700m', '2', '9']), {
        priority: dice.below(3),
        ...(dice.chance(50) && { tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
      }),
      replicas: 1 + dice.below(6),
    }));
    const question = {
      pods,
      admission: 'skip',
      scenario: { changes: [{ addNodes: { like: 'a', name: 'b', count: 2 } }] },
    };
    const one = (await ask('queue-runs', question, '?limit=1000')).at('items') as { pods: number }[];
    const groups = (await service.request('POST', `${AT}/queue-runs?limit=1000`, question)).at(
      'groups',
    ) as ShownGroup[];
    expect(inOneOrder(groups.flatMap(podsOfGroup))).toEqual(inOneOrder(one));
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    expect(sum(groups.map(({ count }) => count))).toBe(sum(one.map(({ pods: count }) => count)));
    expect(groups.length).toBeLessThan(one.length);
  });

  it('pages the groups of one run, with separate tokens', async () => {
    const at = `${AT}/queue-runs?limit=2`;
    const first = await service.request('POST', at, {});
    expect([(first.at('groups') as object[]).length, first.at('remainingItemCount')]).toEqual([2, 1]);
    const token = encodeURIComponent(first.at('continue') as string);
    const second = await service.request('POST', `${at}&continue=${token}`, {});
    expect(second.json).toMatchObject({ groups: [{ outcome: 'placed', count: 2 }], continue: null });
    const other = await ask('queue-runs', {}, `?limit=2&continue=${token}`);
    expect([other.status, other.at('code')]).toEqual([400, 'invalid-continue-token']);
    const none = await service.request('POST', `${AT}/queue-runs?view=nodes`, {});
    expect([none.status, none.at('errors.0.field')]).toEqual([400, 'view']);
  });

  it('has both views in GraphQL, each computed on request', async () => {
    const { json } = await service.graphql(
      `query ($input: QueueRunInput!) { cluster(name: "shop") { queueRun(input: $input, first: 1) {
        totalCount nodes { name } groups(first: 1) { totalCount nodes { outcome count workloads { pods } } pageInfo { hasNextPage } }
      } } }`,
      { input: {} },
    );
    expect(json).toEqual({
      data: {
        cluster: {
          queueRun: {
            totalCount: 4,
            nodes: [{ name: 'first' }],
            groups: {
              totalCount: 3,
              nodes: [{ outcome: 'unplaced', count: 1, workloads: [{ pods: ['low-1'] }] }],
              pageInfo: { hasNextPage: true },
            },
          },
        },
      },
    });
  });

  it('is partial when its time is over, and handles a million pods', async () => {
    const pods = [
      { id: 'many', pod: manifest('m', '1m', { tolerations: [{ operator: 'Exists' }] }), replicas: 1_000_000 },
    ];
    const used = processorTime();
    const whole = await ask('queue-runs', { pending: false, pods, admission: 'skip' });
    expect(used()).toBeLessThan(15);
    expect(whole.at('totals')).toEqual({ placed: 219, unplaced: 999_781, unknown: 0, gated: 0, error: 0, notTried: 0 });
    const nodes = Array.from({ length: 40 }, (_, index) => ({
      addNodes: { like: 'a', name: `n${index}`, count: 100 },
    }));
    const partial = await ask('queue-runs', {
      pending: false,
      pods: [{ ...pods[0], pod: manifest('m', '1m', { topologySpreadConstraints: [] }) }],
      timeBudgetMs: 50,
      scenario: { changes: nodes },
    });
    expect(partial.status).toBe(200);
    expect(partial.at('outcome')).toBe('partial');
    expect(partial.at('totals.notTried')).toBeGreaterThan(0);
  });

  it('reports its progress line by line on request', async () => {
    const response = await fetch(`${service.url}${AT}/queue-runs?view=pods`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: '{}',
    });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { progress?: { waiting: number }; result?: { items: object[] } });
    expect(lines[0]?.progress?.waiting).toBe(4);
    expect(lines.at(-1)?.result?.items).toHaveLength(4);
    const missing = await fetch(`${service.url}/api/v1/clusters/none/queue-runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: '{}',
    });
    expect(missing.status).toBe(404);
  });

  it('makes the same random choices for the same seed', async () => {
    const scenario = { changes: [{ addNodes: { like: 'a', name: 'b', count: 20 } }] };
    const pods = [{ id: 'x', pod: manifest('x', '1'), replicas: 1 }];
    const nodes = new Set<unknown>();
    for (const seed of [1, 1, 2, 3, 4]) {
      const answer = await ask('queue-runs', { pending: false, pods, seed, scenario, admission: 'skip' });
      nodes.add(answer.at('items.0.node'));
      if (seed === 1) expect(nodes.size).toBe(1);
    }
    expect(nodes.size).toBeGreaterThan(1);
  });

  it('names all errors', async () => {
    const pods = [
      { id: 'bad', pod: manifest('b', 'much') },
      { id: 'bound', pod: manifest('c', '1', { nodeName: 'a' }) },
      { id: 'set', pod: { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' }, spec: daemonSpec() } },
    ];
    const answer = await ask('queue-runs', { pods });
    expect([answer.status, answer.at('code')]).toEqual([422, 'invalid-object']);
    const pointers = (answer.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers).toEqual([
      '/pods/0/pod/spec/containers/0/resources/requests/cpu',
      '/pods/1/pod/spec/nodeName',
      '/pods/2/pod/kind',
    ]);
    const budgets = await ask('queue-runs', { timeBudgetMs: 0, changesTried: 1000, pods: [{ id: 'x' }], seed: -1 });
    expect(budgets.status).toBe(400);
    expect((budgets.at('errors') as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'changesTried',
      'pods[0].pod',
      'seed',
      'timeBudgetMs',
    ]);
    const many = await ask('queue-runs', {
      pods: [1, 2].map((id) => ({ id: String(id), pod: manifest('m', '1'), replicas: 600_000 })),
    });
    expect([many.status, many.at('errors.0.message')]).toEqual([
      400,
      'contain 1200000 pods in total; at most 1000000 are allowed',
    ]);
  });
});

function daemonSpec(): object {
  return {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
}

describe('a capacity', () => {
  it('refuses an invalid label key, with all other errors', async () => {
    const answer = await ask('capacities', { groupBy: ['zone', 'a b'] });
    expect([answer.status, (answer.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)]).toEqual([
      400,
      ['', '/groupBy/1'],
    ]);
  });

  it('shows how many replicas fit, where, and what stops the next', async () => {
    const answer = await ask('capacities', { pod: manifest('w', '700m'), taints: true, groupBy: ['zone'] });
    expect(answer.status).toBe(200);
    expect(answer.at('replicas')).toBe(4);
    expect(answer.at('method')).toBe('byNode');
    expect(answer.at('next.message')).toBe(TEXT);
    expect(answer.at('items')).toEqual([
      { node: 'a', replicas: 4, stops: [{ plugin: 'NodeResourcesFit', message: 'Insufficient cpu' }] },
      { node: 'g', replicas: 0, stops: [{ plugin: 'TaintToleration', message: 'node(s) had untolerated taint(s)' }] },
    ]);
    expect(answer.at('breakdown')).toEqual([
      {
        kind: 'taints',
        name: 'none',
        nodes: 1,
        open: 1,
        replicas: 4,
        stops: [{ plugin: 'NodeResourcesFit', message: 'Insufficient cpu', nodes: 1 }],
      },
      {
        kind: 'taints',
        name: 'gpu=yes:NoSchedule',
        nodes: 1,
        open: 0,
        replicas: 0,
        stops: [{ plugin: 'TaintToleration', message: 'node(s) had untolerated taint(s)', nodes: 1 }],
      },
      {
        kind: 'label',
        name: 'no zone',
        nodes: 2,
        open: 1,
        replicas: 4,
        stops: [
          { plugin: 'NodeResourcesFit', message: 'Insufficient cpu', nodes: 1 },
          { plugin: 'TaintToleration', message: 'node(s) had untolerated taint(s)', nodes: 1 },
        ],
      },
    ]);
    expect(answer.at('taints')).toEqual({
      candidates: 1,
      pendingOmitted: 0,
      costs: [
        {
          taint: 'gpu=yes:NoSchedule',
          nodes: 1,
          toleratingPods: 0,
          otherPods: 0,
          resources: [
            { resource: 'cpu', allocatable: '4', free: '4' },
            { resource: 'memory', allocatable: '16Gi', free: '16Gi' },
            { resource: 'pods', allocatable: '110', free: '110' },
          ],
          pendingHelped: 0,
          frees: 5,
          isCertain: true,
          toleration: { key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' },
        },
      ],
    });
  });

  it('has groups of nodes by what stops the next replica', async () => {
    const scenario = { changes: [{ addNodes: { like: 'a', name: 'b', count: 3 } }] };
    const question = { pod: manifest('w', '700m'), scenario };
    const one = (await ask('capacities', question)).at('items') as { replicas: number }[];
    const answer = await service.request('POST', `${AT}/capacities`, question);
    expect(answer.json).toMatchObject({ items: [], continue: null, remainingItemCount: 0 });
    const groups = answer.at('groups') as (ShownGroup & { nodes: string[]; totalReplicas: number })[];
    expect(groups).toEqual([
      {
        count: 4,
        totalReplicas: 19,
        replicas: null,
        stops: [{ plugin: 'NodeResourcesFit', message: 'Insufficient cpu' }],
        nodes: ['b-0001', 'b-0002', 'b-0003', 'a'],
        columns: [{ name: 'replicas', values: [5, 5, 5, 4] }],
      },
      {
        count: 1,
        totalReplicas: 0,
        replicas: 0,
        stops: [{ plugin: 'TaintToleration', message: 'node(s) had untolerated taint(s)' }],
        nodes: ['g'],
        columns: [],
      },
    ]);
    const expanded = groups.flatMap(({ nodes, count, columns, replicas, stops }) =>
      membersOf({ count, columns, replicas, stops }, nodes.length).map((member, place) => ({
        node: nodes[place],
        ...member,
      })),
    );
    expect(inOneOrder(expanded)).toEqual(inOneOrder(one));
  });

  it('has tokens that fit the same question only', async () => {
    const scenario = { changes: [{ addNodes: { like: 'a', name: 'b', count: 3 } }] };
    const question = { pod: manifest('w', '700m'), scenario, groupBy: ['zone'] };
    const first = await ask('capacities', question, '?limit=2');
    const next = (changed: object): Promise<Answer> =>
      ask('capacities', { ...question, ...changed }, `?limit=2&continue=${String(first.at('continue'))}`);
    expect((await next({})).at('items')).toHaveLength(2);
    const configuration = {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [{ schedulerName: 'default-scheduler' }],
    };
    for (const other of [{ groupBy: ['zone', 'pool'] }, { configuration }, { taints: true }, { timeBudgetMs: 7 }]) {
      expect(await next(other)).toMatchObject({ status: 400, json: { code: 'invalid-continue-token' } });
    }
  });

  it('places replicas that affect each other one after another', async () => {
    const apart = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'w' } } },
          ],
        },
      },
      tolerations: [{ operator: 'Exists' }],
    };
    const one = { ...manifest('w', '0', apart), metadata: { name: 'w', labels: { app: 'w' } } };
    const named = (name: string) => ({ editNodes: { nodes: [name], labels: { 'kubernetes.io/hostname': name } } });
    const answer = await ask('capacities', { pod: one, scenario: { changes: [named('a'), named('g')] } });
    expect([answer.status, answer.at('method'), answer.at('replicas')]).toEqual([200, 'run', 2]);
    expect(answer.at('next.message')).toBe("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
  });

  it('refuses unreadable input', async () => {
    const none = await ask('capacities', {});
    expect([none.status, none.at('errors.0.message')]).toEqual([
      400,
      'give exactly one of pod, workload, podRef, workloadRef',
    ]);
    const bad = await ask('capacities', { pod: manifest('w', 'much') });
    expect([bad.status, bad.at('errors.0.pointer')]).toEqual([422, '/pod/spec/containers/0/resources/requests/cpu']);
    const gone = await ask('capacities', { podRef: { name: 'nobody' } });
    expect(gone.status).toBe(404);
  });
});

describe('a comparison', () => {
  const untainted = { changes: [{ editNodes: { nodes: ['g'], taints: ['gpu:NoSchedule-'] } }] };

  it('shows which pods fit in a scenario', async () => {
    const answer = await ask('placement-comparisons', { against: { scenario: untainted } });
    expect(answer.status).toBe(200);
    expect(answer.at('counts')).toEqual({ stays: 1, moves: 1, fitsNoMore: 0, fitsNow: 1, neither: 1, unclear: 0 });
    const items = answer.at('items') as { name: string; difference: string; before: Side; after: Side }[];
    expect(items.map(({ name, difference, before, after }) => [name, difference, before.node, after.node])).toEqual([
      ['first', 'moves', 'a', 'g'],
      ['low-1', 'fitsNow', null, 'g'],
      ['gated', 'neither', null, null],
    ]);
    expect(items[1]?.before.message).toBe(TEXT);
  });

  it('removes selected pods from their nodes on both sides', async () => {
    const scenario = { changes: [{ resizeNodes: { nodes: ['a'], allocatable: { cpu: '1' } } }] };
    const body = { selection: { namespace: 'default' }, against: { scenario }, differences: ['fitsNoMore'] };
    const answer = await ask('placement-comparisons', body);
    expect(answer.status).toBe(200);
    expect(answer.at('counts.fitsNoMore')).toBe(2);
    const names = (answer.at('items') as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['low-0', 'old'].sort());
  });

  it('shows which pods move under another profile', async () => {
    const configuration = {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [
        { schedulerName: 'default-scheduler', plugins: { multiPoint: { disabled: [{ name: 'TaintToleration' }] } } },
      ],
    };
    const answer = await ask('placement-comparisons', { against: { configuration } });
    expect(answer.status).toBe(200);
    expect(answer.at('counts')).toEqual({ stays: 1, moves: 1, fitsNoMore: 0, fitsNow: 1, neither: 1, unclear: 0 });
    const bad = await ask('placement-comparisons', { against: { configuration: { ...configuration, nope: 1 } } });
    expect([bad.status, bad.at('errors.0.pointer')]).toEqual([400, '/against/configuration/nope']);
    const none = await ask('queue-runs', { configuration, schedulerName: 'volcano' });
    expect([none.status, none.at('errors.0.code')]).toEqual([400, 'unknown-scheduler']);
  });

  it('refuses an invalid selector and an unknown revision', async () => {
    const selector = await ask('placement-comparisons', { against: {}, selection: { labelSelector: 'a in (' } });
    expect(selector.status).toBe(400);
    const revision = await ask('placement-comparisons', { against: { revision: 999 } });
    expect(revision.status).toBe(404);
  });
});

interface Side {
  readonly node: string | null;
  readonly message: string | null;
}

describe('REST and GraphQL', () => {
  it('give the same results', async () => {
    const rest = await ask('queue-runs', { unblocking: true });
    const graphql = await service.graphql(
      `{ cluster(name: "shop") {
           queueRun(input: { unblocking: true }) {
             outcome waiting totals { placed unplaced unknown gated error notTried } queueReasons { plugin code message pods }
             taints { taint pods } unblocking { tried candidates isPartial changes { kind summary unblocks blocks } }
             nodes { name outcome node feasible tied total message preemption pods }
           }
           capacity(input: { podRef: { name: "low-0" } }) { replicas method isComplete next { message } nodes { node replicas } }
           placementComparison(input: { against: {} }) { pods counts { neither stays } nodes { name difference } }
         } }`,
    );
    expect(graphql.at('errors')).toBeUndefined();
    const run = graphql.at('data.cluster.queueRun') as Record<string, unknown> & { nodes: { name: string }[] };
    expect(run['totals']).toEqual(rest.at('totals'));
    expect(run['queueReasons']).toEqual(rest.at('queueReasons'));
    const items = rest.at('items') as Record<string, unknown>[];
    expect(run.nodes).toEqual(
      items.map(({ name, outcome, node: on, feasible, tied, total, message, preemption, pods }) => ({
        name,
        outcome,
        node: on,
        feasible,
        tied,
        total,
        message,
        preemption,
        pods,
      })),
    );
    const capacity = await ask('capacities', { podRef: { name: 'low-0' } });
    expect(graphql.at('data.cluster.capacity')).toEqual({
      replicas: capacity.at('replicas'),
      method: capacity.at('method'),
      isComplete: true,
      next: { message: capacity.at('next.message') },
      nodes: (capacity.at('items') as { node: string; replicas: number }[]).map(({ node: name, replicas }) => ({
        node: name,
        replicas,
      })),
    });
    expect(graphql.at('data.cluster.placementComparison.counts')).toEqual({ neither: 2, stays: 2 });
  });
});

describe('a response about a scheduler', () => {
  const CONFIGURATION = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [{ schedulerName: 'default-scheduler' }, { schedulerName: 'packing' }],
  };
  const named = (schedulerName: string): object => manifest('asked', '1', { schedulerName });
  const served = (schedulerName: string): object => ({
    schedulerName,
    profile: schedulerName,
    source: 'stored',
    outOfTreePlugins: [],
    note: null,
  });
  const unserved = (whose: string): object => ({
    schedulerName: 'volcano',
    profile: 'default-scheduler',
    source: 'stored',
    outOfTreePlugins: [],
    note: `No profile of the stored configuration is named volcano, so nothing schedules ${whose}. The response uses the default profile.`,
  });
  const asked = (path: string, body: object): Promise<Answer> =>
    service.request('POST', `/api/v1/clusters/declared/${path}`, body);

  beforeAll(async () => {
    await store(service, 'declared', CLUSTER);
    const declared = await service.request('PUT', '/api/v1/clusters/declared/scheduler-configuration', CONFIGURATION);
    expect(declared.status).toBe(200);
  });

  it.each([
    ['a queue run', 'queue-runs', (schedulerName: string) => ({ schedulerName }), 'its pods'],
    ['a capacity', 'capacities', (schedulerName: string) => ({ pod: named(schedulerName) }), 'this pod'],
    ['a comparison', 'placement-comparisons', (schedulerName: string) => ({ schedulerName, against: {} }), 'its pods'],
    ['a preemption', 'preemptions', (schedulerName: string) => ({ pod: named(schedulerName) }), 'this pod'],
  ])('names the profile in %s, and that nobody schedules pods with a scheduler name without one', async (...given) => {
    const [, path, body, whose] = given;
    const packing = await asked(path, body('packing'));
    expect(packing.status).toBe(200);
    expect(packing.at('scheduler')).toEqual(served('packing'));
    const volcano = await asked(path, body('volcano'));
    expect(volcano.status).toBe(200);
    expect(volcano.at('scheduler')).toEqual(unserved(whose));
    // Without a stored configuration, nothing is known about schedulers.
    expect((await ask(path, body('volcano'))).at('scheduler')).toBeNull();
  });

  it('names the profile of each side of a comparison', async () => {
    const configuration = { ...CONFIGURATION, profiles: [{ schedulerName: 'volcano' }] };
    const answer = await asked('placement-comparisons', { schedulerName: 'volcano', against: { configuration } });
    expect([answer.at('scheduler'), answer.at('againstScheduler')]).toEqual([
      unserved('its pods'),
      { ...served('volcano'), source: 'given' },
    ]);
  });

  it('names the profile over GraphQL', async () => {
    const members = 'schedulerName profile source outOfTreePlugins note';
    const answer = await service.graphql(
      `query ($pod: KubernetesObject!) { cluster(name: "declared") {
           queueRun(input: { schedulerName: "volcano" }) { scheduler { ${members} } }
           capacity(input: { pod: $pod }) { scheduler { ${members} } }
           placementComparison(input: { against: {}, schedulerName: "volcano" }) {
             scheduler { ${members} } againstScheduler { ${members} }
           }
           preemption(input: { pod: $pod }) { scheduler { ${members} } }
         } }`,
      { pod: named('volcano') },
    );
    expect(answer.at('data.cluster')).toEqual({
      queueRun: { scheduler: unserved('its pods') },
      capacity: { scheduler: unserved('this pod') },
      placementComparison: { scheduler: unserved('its pods'), againstScheduler: unserved('its pods') },
      preemption: { scheduler: unserved('this pod') },
    });
  });
});

it.each([
  ['a queue run', 'queue-runs', {}, 'pods'],
  ['a capacity', 'capacities', { pod: manifest('w', '1') }, 'nodes'],
  ['a placement', 'placements', { pod: manifest('w', '1') }, 'nodes'],
])('%s has its view in the query or in the body', async (_, path, body, view) => {
  const at = `${AT}/${path}`;
  const [inQuery, inBody, groups] = await Promise.all([
    service.request('POST', `${at}?view=${view}`, body),
    service.request('POST', at, { ...body, view }),
    service.request('POST', at, body),
  ]);
  expect(inQuery.at('items')).toBeInstanceOf(Array);
  expect(inBody.at('items')).toEqual(inQuery.at('items'));
  expect(groups.at('groups')).toBeInstanceOf(Array);
  const wrong = await service.request('POST', at, { ...body, view: 'none' });
  expect([wrong.status, wrong.at('errors.0.pointer')]).toEqual([400, '/view']);
});

describe('what is not known of a pod', () => {
  const QUEUE = { 'kueue.x-k8s.io/queue-name': 'team-a' };
  const CASES: readonly [string, string, object, object, string][] = [
    [
      'a queue of Kueue',
      'queued',
      QUEUE,
      {},
      'when the pod is created, Kueue admits it by the quota of queue team-a, which is not modelled',
    ],
    [
      'ResourceClaims that were never loaded',
      'claiming',
      {},
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
      'DynamicResources cannot be evaluated: the pod has resource claims (never loaded: ResourceClaim)',
    ],
  ];
  const stored = (key: string, on: string, labels: object, spec: object): object => {
    const one = pod(key, on, { ...wants('1'), ...spec }, { kind: 'ReplicaSet', name: key.slice(8, -2) });
    const { metadata } = one as { metadata: object };
    return { ...one, metadata: { ...metadata, labels }, status: { phase: on === '' ? 'Pending' : 'Running' } };
  };
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'default', name: 'q' },
    spec: { hard: { 'requests.cpu': '99' } },
    status: { hard: { 'requests.cpu': '99' }, used: { 'requests.cpu': '0' } },
  };
  const asked = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await service.request(method, `/api/v1/clusters/unsure/${path}`, body);
    expect([answer.status, answer.at('errors')]).toEqual([200, undefined]);
    return answer;
  };

  beforeAll(async () => {
    await store(service, 'unsure', [
      node('a'),
      node('b'),
      quota,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
      stored('default/gang-0', 'a', {}, { schedulingGroup: { podGroupName: 'training' } }),
      stored('default/gang-1', '', {}, { schedulingGroup: { podGroupName: 'training' } }),
      ...CASES.flatMap(([, name, labels, spec]) => [
        stored(`default/${name}-0`, 'a', labels, spec),
        stored(`default/${name}-1`, '', labels, spec),
      ]),
    ]);
  });

  it('names the queue of Kueue in a queue run where only the Job does', async () => {
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'train', namespace: 'default', labels: QUEUE },
      spec: { parallelism: 2, completions: 2, template },
    };
    const body = { pending: false, pods: [{ id: 'train', pod: job, replicas: 2 }], admission: 'skip' };
    const queue = await asked('POST', 'queue-runs', body);
    expect(queue.at('totals.unknown')).toBe(2);
    expect(queue.at('podGroups')).toMatchObject([{ source: 'Kueue', name: 'team-a', treatment: 'unknown', pods: 2 }]);
  });

  it('is nothing where the pod is of a group while the gate GenericWorkload is off: placed alone wherever it is asked', async () => {
    const labels = {};
    const spec = { schedulingGroup: { podGroupName: 'training' } };
    const { spec: asksFor } = manifest('x', '1', spec) as { spec: object };
    const one = { ...manifest('x', '1'), metadata: { name: 'x', namespace: 'default', labels }, spec: asksFor };
    for (const admission of ['run', 'skip']) {
      const placement = await asked('POST', 'placements', { pod: one, admission });
      expect(placement.at('summary')).toMatchObject({ feasible: 2, unknown: 0 });
    }
    const stored = await asked('POST', 'placements', { podRef: { namespace: 'default', name: 'gang-1' } });
    expect(stored.at('summary')).toMatchObject({ feasible: 2, unknown: 0 });
    const queue = await asked('POST', 'queue-runs', {
      pending: false,
      pods: [{ id: 'x', pod: one }],
      admission: 'skip',
    });
    expect([queue.at('totals.placed'), queue.at('podGroups')]).toEqual([1, []]);
    const gate = await asked('POST', 'gates', { manifests: [one], proposeChanges: false });
    expect(gate.at('workloads.0')).toMatchObject({ bound: 1 });
    expect(JSON.stringify(gate.at('reasons'))).not.toContain('GangScheduling');
    const changes = [{ editNodes: { nodes: ['a'], taints: ['broken:NoExecute'] } }];
    const schedule = await asked('POST', 'eviction-schedules', { landing: true, scenario: { changes } });
    const landings = schedule.at('landing.pods.items') as readonly { name: string }[];
    expect(landings.find(({ name }) => name === 'gang-0')).toMatchObject({ chosen: 'b' });
  });

  it.each(CASES)('is said alike wherever it is asked: %s', async (_, name, labels, spec, message) => {
    const { spec: asksFor } = manifest('x', '1', spec) as { spec: object };
    const one = { ...manifest('x', '1'), metadata: { name: 'x', namespace: 'default', labels }, spec: asksFor };
    const skip = { admission: 'skip' };
    const placement = await asked('POST', 'placements', { pod: one, ...skip });
    expect(placement.at('summary')).toMatchObject({ feasible: 0, infeasible: 0, unknown: 2 });
    expect(placement.at('rollup.0.message')).toBe(message);
    // Admission drops the group of a pod while its feature gates are off.
    const admitted = await asked('POST', 'placements', { pod: one });
    expect(admitted.at('summary')).toMatchObject({ feasible: 0, infeasible: 0, unknown: 2 });
    expect(admitted.at('rollup.0.message')).toBe(message);
    const capacity = await asked('POST', 'capacities', { pod: one, ...skip });
    expect([capacity.at('replicas'), capacity.at('isComplete'), capacity.at('next.message')]).toEqual([0, false, null]);
    expect(capacity.at('next.reasons.0.message')).toBe(message);
    const queue = await asked('POST', 'queue-runs', { pending: false, pods: [{ id: 'x', pod: one }], ...skip });
    expect(queue.at('totals')).toMatchObject({ placed: 0, unplaced: 0, unknown: 1 });
    expect(queue.at('groups.0')).toMatchObject({ outcome: 'unknown', message: null, reasons: [{ message }] });
    expect(queue.at('groups.0.uncertain')).toEqual([placement.at('rollup.0.plugin')]);
    const gate = await asked('POST', 'gates', { manifests: [one], proposeChanges: false });
    expect(gate.at('verdict')).toBe('unknown');
    expect((gate.at('reasons') as readonly { message: string }[]).map((reason) => reason.message)).toContain(message);
    const changes = [{ editNodes: { nodes: ['a'], taints: ['broken:NoExecute'] } }];
    const schedule = await asked('POST', 'eviction-schedules', {
      landing: true,
      scenario: { changes },
    });
    // Only gang-0 takes room.
    expect(schedule.at('landing.timeline.items.0.free')).toEqual({ cpu: '3', memory: '16Gi' });
    const landings = schedule.at('landing.pods.items') as readonly { name: string }[];
    expect(landings.find((one) => one.name === `${name}-0`)).toMatchObject({
      verdict: 'unknown',
      unknownBecause: [{ message }],
    });
    const capacities = await asked('GET', 'quota-capacity');
    const waiting = capacities.at('items.0.waitingPods') as readonly { example: string }[];
    const ofName = waiting.find(({ example }) => example === `${name}-1`);
    expect(ofName).toMatchObject({ feasibleNodes: 0, unknownNodes: 2, message: null, reasons: [{ message }] });
  });
});
