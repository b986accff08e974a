import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SetClock } from '../support/eviction-schedules.js';
import { inOneOrder, podsOfGroup, type ShownGroup } from '../support/expand-group.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';
const READY = [{ type: 'Ready', status: 'True' }];

interface Owner {
  readonly kind: string;
  readonly name: string;
}
const owned = (key: string, on: string, spec: object, owner: Owner | null, more: object = {}): object => {
  const made = pod(key, on, { containers: [{ name: 'c', image: 'i' }], ...spec }) as { metadata: object };
  const ownerReferences =
    owner === null ? [] : [{ apiVersion: 'apps/v1', ...owner, uid: `${owner.kind}-${owner.name}`, controller: true }];
  return {
    ...made,
    metadata: { ...made.metadata, labels: { app: key.replace(/.*\/|-\d+$/g, '') }, ownerReferences, ...more },
    status: { phase: 'Running', conditions: READY },
  };
};
const workload = (kind: string, name: string, replicas: number): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: 's', name, uid: `${kind}-${name}` },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: { spec: { containers: [] } } },
});
const budget = (name: string, spec: object, status?: object): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 's', name, generation: 1 },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
  ...(status === undefined ? {} : { status }),
});
const WEB: Owner = { kind: 'ReplicaSet', name: 'web' };

const CLUSTER = [
  node('a'),
  node('b'),
  node('c'),
  node('d'),
  owned('s/web-0', 'a', { containers: [{ name: 'c', image: 'i', resources: { requests: { memory: '100Mi' } } }] }, WEB),
  owned('s/web-1', 'b', { terminationGracePeriodSeconds: 10 }, WEB),
  owned(
    's/db-0',
    'a',
    { tolerations: [{ key: 'drain', operator: 'Exists', tolerationSeconds: 90, effect: 'NoExecute' }] },
    {
      kind: 'StatefulSet',
      name: 'db',
    },
  ),
  owned('s/agent-0', 'a', { priority: 2000001000 }, { kind: 'DaemonSet', name: 'agent' }),
  owned('s/bare-0', 'c', {}, null),
  workload('ReplicaSet', 'web', 2),
  workload('StatefulSet', 'db', 1),
  workload('DaemonSet', 'agent', 0),
  budget(
    'web',
    { minAvailable: '40%' },
    {
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      disruptionsAllowed: 1,
      observedGeneration: 1,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          observedGeneration: 1,
        },
      ],
    },
  ),
  budget(
    'db',
    { maxUnavailable: 0 },
    { currentHealthy: 3, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 2, observedGeneration: 1 },
  ),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock: new SetClock() });
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const post = (path: string, body: object): Promise<Answer> =>
  service.request('POST', `${AT}/${path}${path === 'drains' ? '?view=pods' : ''}`, body);
const seconds = (from: unknown, to: unknown): number => (Date.parse(String(to)) - Date.parse(String(from))) / 1000;

describe('a drain', () => {
  const options = { ignoreDaemonSets: true };

  it('compares each pod with NoExecute, and names the budget that blocks it', async () => {
    const answer = await post('drains', { nodes: ['a'], options });
    expect(answer.status).toBe(200);
    const rows = answer.at('items') as Record<string, Record<string, unknown>>[];
    expect(
      rows.map(({ name, decision, eviction, noExecute, difference, rolling }) => [
        name,
        decision?.['reason'],
        eviction?.['why'] ?? null,
        noExecute?.['action'],
        difference,
        rolling?.['outcome'] ?? null,
      ]),
    ).toEqual([
      ['agent-0', 'Warning', null, 'now', 'daemonSetPodStays', null],
      ['db-0', 'Okay', 'noDisruptionLeft', 'after', 'budgetNotAsked', 'blocked'],
      ['web-0', 'Okay', 'disruptionUsed', 'now', null, 'evicted'],
    ]);
    expect(answer.json).toMatchObject({
      endsAt: null,
      lengthSeconds: null,
      taint: { text: 'drain=true:NoExecute' },
      nodes: {
        total: 1,
        items: [
          { node: 'a', starts: true, outcome: 'blocked', warnings: ['ignoring DaemonSet-managed Pods: s/agent-0'] },
        ],
      },
      blocking: { total: 1, items: [{ budget: 's/db', why: 'neverAllows', pods: 1 }] },
      differences: [{ pods: 1 }, { pods: 1 }],
    });
    expect(answer.at('blocking.items.0.text')).toBe(
      'maxUnavailable 0 of 1 expected pod (StatefulSet db wants 1), so 1 must be healthy; 1 is healthy; no disruption is allowed',
    );
    expect(answer.at('items.1.noExecute')).toMatchObject({ afterSeconds: 90, toleration: 0 });
    expect(seconds(answer.at('startsAt'), answer.at('items.1.noExecute.at'))).toBe(90);
  });

  it('proceeds node by node within the budgets, and ends', async () => {
    const answer = await post('drains', {
      nodes: ['b', 'a', 'c'],
      options: { ...options, force: true, podSelector: 'app!=db' },
      rolling: { maxParallel: 1, replacementReadySeconds: 45 },
    });
    const nodes = answer.at('nodes.items') as { node: string; outcome: string; startsAt: string; endsAt: string }[];
    // b: web-1 takes 10 s to go. Its replacement is ready at 45; a asks at 10, 15, ... 45. c: 30 s.
    const start = answer.at('startsAt');
    expect(
      nodes.map((one) => [one.node, one.outcome, seconds(start, one.startsAt), seconds(start, one.endsAt)]),
    ).toEqual([
      ['b', 'drained', 0, 10],
      ['a', 'drained', 10, 75],
      ['c', 'drained', 75, 105],
    ]);
    expect(answer.at('lengthSeconds')).toBe(105);
    expect(answer.at('items.2')).toMatchObject({
      name: 'db-0',
      decision: null,
      difference: 'notSelected',
      rolling: null,
    });
    expect((answer.at('assumptions') as string[]).join(' ')).toContain('45 s after it is placed');
  });

  it("is refused in kubectl's words, and takes a scenario", async () => {
    const refused = await post('drains', { nodeSelector: '', options: {} });
    expect(refused.at('nodes.items.0.errors')).toEqual([
      'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): s/agent-0',
    ]);
    expect(refused.at('nodes.items.0.outcome')).toBe('refused');
    const scenario = { changes: [{ removePods: { pods: ['s/db-0', 's/agent-0'] } }] };
    const without = await post('drains', { nodes: ['a'], scenario });
    expect(without.json).toMatchObject({
      nodes: { items: [{ outcome: 'drained' }] },
      basis: { scenario: { changes: 1 } },
    });
  });

  it('is paged', async () => {
    const first = await service.request('POST', `${AT}/drains?view=pods&limit=2`, { nodes: ['a'], options });
    expect(first.at('remainingItemCount')).toBe(1);
    const next = await service.request(
      'POST',
      `${AT}/drains?view=pods&limit=2&continue=${String(first.at('continue'))}`,
      {
        nodes: ['a'],
        options,
      },
    );
    expect(next.json).toMatchObject({ items: [{ name: 'web-0' }], continue: null });
    const other = await service.request('POST', `${AT}/drains?view=pods&continue=${String(first.at('continue'))}`, {
      nodes: ['b'],
      options,
    });
    expect(other).toMatchObject({ status: 400, json: { code: 'invalid-continue-token' } });
  });

  it('has groups of equal pods by default, blocking ones first, without losing any', async () => {
    const question = { nodeSelector: '', options: { ...options, force: true } };
    const one = (await post('drains', question)).at('items') as object[];
    const answer = await service.request('POST', `${AT}/drains`, question);
    expect(answer.json).toMatchObject({ items: [], remainingItemCount: 0, continue: null });
    const groups = answer.at('groups') as ShownGroup[];
    expect(
      groups.map(({ count, rolling, workloads }) => [
        (rolling as { outcome: string } | null)?.outcome ?? null,
        count,
        (workloads as { pods: string[] }[]).map(({ pods }) => pods),
      ]),
    ).toEqual([
      ['blocked', 1, [['db-0']]],
      ['notReached', 1, [['web-1']]],
      ['notReached', 1, [['bare-0']]],
      ['evicted', 1, [['web-0']]],
      [null, 1, [['agent-0']]],
    ]);
    expect(inOneOrder(groups.flatMap(podsOfGroup))).toEqual(inOneOrder(one));
  });

  it.each<[string, object, string[]]>([
    ['nothing that says which nodes', {}, ['']],
    ['two ways at once', { nodes: ['a'], nodeSelector: 'x' }, ['']],
    [
      'everything that can be read without the cluster',
      { nodes: [], options: { podSelector: '=' }, taint: 'x:Never' },
      ['/nodes', '/options/podSelector', '/taint'],
    ],
    ['a taint that evicts nobody', { nodes: ['a'], taint: 'x=y:NoSchedule' }, ['/taint']],
    [
      'a taint with fields of its own',
      { nodes: ['a'], taint: { key: 'x', effect: 7, seconds: 1 } },
      ['/taint/effect', '/taint/seconds'],
    ],
    ['each node that is not there', { nodes: ['x', 'a', '__proto__'] }, ['/nodes/0', '/nodes/2']],
    ['it at its place in the list, whatever is named twice before', { nodes: ['a', 'a', 'x'] }, ['/nodes/2']],
    ['a selector that cannot be read', { nodeSelector: 'a b' }, ['/nodeSelector']],
    [
      'numbers out of range',
      { nodes: ['a'], rolling: { maxParallel: 0, replacementReadySeconds: -1 }, options: { timeoutSeconds: -1 } },
      ['/options/timeoutSeconds', '/rolling/maxParallel', '/rolling/replacementReadySeconds'],
    ],
  ])('names %s', async (_, body, pointers) => {
    const answer = await post('drains', body);
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid-request' } });
    const errors = answer.at('errors') as { pointer?: string }[];
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(pointers);
  });

  it('handles the largest numbers, and reports no time outside the calendar', async () => {
    const body = { nodes: ['b'], options: { gracePeriodSeconds: 2147483647 } };
    expect((await post('drains', body)).at('lengthSeconds')).toBe(2147483647);
    await store(service, 'long', [
      node('a'),
      node('b'),
      owned('s/web-0', 'a', { terminationGracePeriodSeconds: 9e15 }, WEB),
    ]);
    const answer = await service.request('POST', '/api/v1/clusters/long/drains?view=pods', { nodes: ['a'] });
    expect(answer.json).toMatchObject({
      endsAt: null,
      lengthSeconds: 9e15,
      nodes: { items: [{ outcome: 'drained', endsAt: null }] },
      items: [{ rolling: { outcome: 'evicted', goneAt: null } }],
    });
  });

  it('is the same in GraphQL', async () => {
    const { json } = await service.graphql(
      `query ($question: DrainInput!) { cluster(name: "shop") { drain(input: $question, first: 1) {
        endsAt basis { cluster } blocking { total items { budget why } } nodes { items { node outcome } }
        differences { difference pods } pods { totalCount nodes { name difference noExecute { action taint { text } } } pageInfo { hasNextPage } }
        groups(first: 2) { totalCount nodes { count rolling { outcome } workloads { pods } } pageInfo { hasNextPage } }
      } } }`,
      { question: { nodes: ['a'], options } },
    );
    expect(json).toMatchObject({
      data: {
        cluster: {
          drain: {
            endsAt: null,
            blocking: { total: 1, items: [{ budget: 's/db', why: 'neverAllows' }] },
            nodes: { items: [{ node: 'a', outcome: 'blocked' }] },
            pods: {
              totalCount: 3,
              nodes: [{ name: 'agent-0', difference: 'daemonSetPodStays', noExecute: { action: 'now' } }],
              pageInfo: { hasNextPage: true },
            },
            groups: {
              totalCount: 3,
              nodes: [
                { count: 1, rolling: { outcome: 'blocked' }, workloads: [{ pods: ['db-0'] }] },
                { count: 1, rolling: { outcome: 'evicted' }, workloads: [{ pods: ['web-0'] }] },
              ],
              pageInfo: { hasNextPage: true },
            },
          },
        },
      },
    });
  });
});

interface Replacement {
  readonly verdict: string | null;
  readonly at: string | null;
  readonly landedAt: string | null;
}
interface Landing {
  readonly verdict: string | null;
  readonly replacementAt: string | null;
  readonly landedAt: string | null;
}
const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));

describe('a rolling drain of a cluster without room elsewhere', () => {
  const dump = (name: string): string =>
    readFileSync(new URL(`dumps/rolling-drain-${name}.json`, import.meta.url), 'utf8');
  const question = JSON.parse(dump('question')) as { nodes: string[] };
  const ask = (body: object, query = '?view=pods&limit=1000'): Promise<Answer> =>
    service.request('POST', `/api/v1/clusters/full/drains${query}`, body);

  beforeAll(async () => {
    const answer = await send(
      service,
      '/api/v1/clusters/full/snapshots?createCluster=true&capturedAt=2026-05-01T00:00:00Z',
      dump('cluster'),
    );
    expect(answer.status).toBe(201);
  });

  it('calls no node drained whose pods find no node, and blocks what waits for them', async () => {
    const answer = await ask(question);
    const nodes = answer.at('nodes.items') as { outcome: string; withoutNode: { items: object[] } }[];
    expect(nodes.map(({ outcome }) => outcome)).toEqual([
      'podsPending',
      'podsPending',
      'blocked',
      ...question.nodes.slice(3).map(() => 'notReached'),
    ]);
    expect(nodes.slice(0, 3).map(({ withoutNode }) => withoutNode)).toEqual([
      {
        total: 1,
        items: [
          {
            namespace: 'payments',
            name: 'ledger-2',
            why: '0/29 nodes are available: 12 node(s) had untolerated taint(s), 12 node(s) were unschedulable, 3 Insufficient memory, 5 Insufficient cpu.',
          },
        ],
      },
      ...['dlxyz', 'ccxyz'].map((suffix) => ({
        total: 1,
        items: [
          {
            namespace: 'shop',
            name: `web-5d9c7b8f6-${suffix}`,
            why: '0/29 nodes are available: 12 node(s) had untolerated taint(s), 12 node(s) were unschedulable, 5 Insufficient cpu.',
          },
        ],
      })),
    ]);
    expect(answer.json).toMatchObject({ endsAt: null, blocking: { items: [{ why: 'notEnoughHealthy', nodes: 1 }] } });
  });

  it('agrees with the landings of an eviction schedule of the same pods', async () => {
    const asOf = '2026-05-02T08:00:00Z';
    const nodes = question.nodes.slice(0, 1);
    const options = { ignoreDaemonSets: true, disableEviction: true };
    const drained = await ask({ nodes, asOf, options, rolling: {} });
    const rows = drained.at('items') as { name: string; rolling: { replacement: Replacement } | null }[];
    const scenario = { changes: [{ editNodes: { nodes, taints: ['drain=true:NoExecute'] } }] };
    const path = '/api/v1/clusters/full/eviction-schedules';
    const scheduled = await service.request('POST', path, { asOf, landing: true, scenario });
    const landings = new Map(
      (scheduled.at('landing.pods.items') as (Landing & { name: string })[]).map((pod) => [pod.name, pod]),
    );
    const leaving = rows.flatMap(({ name, rolling }) => (rolling === null ? [] : [{ name, ...rolling.replacement }]));
    expect(leaving).toHaveLength(5);
    expect(leaving.map(({ name, verdict, at, landedAt }) => [name, verdict, timeOf(at), timeOf(landedAt)])).toEqual(
      leaving.map(({ name }) => {
        const { verdict, replacementAt, landedAt } = landings.get(name)!;
        return [name, verdict, timeOf(replacementAt), timeOf(landedAt)];
      }),
    );
  });
});

describe('the start of a drain', () => {
  const ask = (body: object, query = '') =>
    service.request('POST', `/api/v1/clusters/dated/drains?view=pods${query}`, { nodes: ['a'], ...body });

  beforeAll(async () => {
    const cluster = [node('a'), node('b'), owned('s/web-0', 'a', {}, WEB), workload('ReplicaSet', 'web', 1)];
    await store(service, 'dated', cluster, '&capturedAt=2026-05-01T00:00:00Z');
    await store(service, 'dated', [node('a')], '&capturedAt=2026-05-02T00:00:00Z&kinds=Node,Pod&allowRemovals=true');
  });

  it('is asOf, and all times are computed from it', async () => {
    const answer = await ask({ asOf: '2026-05-03T06:00:00Z' }, '&revision=1');
    expect(answer.json).toMatchObject({
      startsAt: '2026-05-03T06:00:00.000Z',
      endsAt: '2026-05-03T06:00:30.000Z',
      lengthSeconds: 30,
      nodes: { items: [{ outcome: 'drained', startsAt: '2026-05-03T06:00:00.000Z', withoutNode: { total: 0 } }] },
      items: [
        {
          noExecute: { at: '2026-05-03T06:00:00.000Z' },
          rolling: {
            evictedAt: '2026-05-03T06:00:00.000Z',
            goneAt: '2026-05-03T06:00:30.000Z',
            replacement: {
              verdict: 'feasible',
              never: null,
              at: '2026-05-03T06:00:00.000Z',
              node: 'b',
              landedAt: '2026-05-03T06:00:00.000Z',
              readyAt: '2026-05-03T06:01:00.000Z',
              message: null,
              unknownBecause: [],
            },
          },
        },
      ],
    });
  });

  it('is by default the time of a past state, or of the request', async () => {
    expect((await ask({}, '&revision=1')).at('startsAt')).toBe('2026-05-01T00:00:00.000Z');
    expect((await ask({}, '&at=2026-05-01T09:00:00Z')).at('startsAt')).toBe('2026-05-01T09:00:00.000Z');
    expect((await ask({})).at('startsAt')).toBe('2026-05-04T13:00:00.000Z');
  });

  it('is not before the state, and not too late', async () => {
    const early = await ask({ asOf: '2026-05-01T12:00:00Z', nodes: ['x'] });
    const codes = (answer: Answer) =>
      (answer.at('errors') as { pointer: string; code: string }[]).map(({ pointer, code }) => `${pointer} ${code}`);
    expect(codes(early)).toEqual(['/asOf before-the-state', '/nodes/0 object-not-found']);
    expect(codes(await ask({ asOf: '9800-01-01T00:00:00Z', nodes: [] }))).toEqual([
      '/nodes required',
      '/asOf too-late',
    ]);
  });
});

describe('a drain with replacements of an unknown controller', () => {
  it('does not know whether evictions that depend on them are granted, in REST and GraphQL', async () => {
    const clone = { kind: 'CloneSet', name: 'web', apiVersion: 'apps.kruise.io/v1alpha1' };
    const pods = ['a', 'b'].map((on, index) => owned(`s/web-${index}`, on, {}, clone));
    await store(service, 'clones', [node('a'), node('b'), node('c'), ...pods, budget('web', { minAvailable: 1 })]);
    const answer = await service.request('POST', '/api/v1/clusters/clones/drains?view=pods', { nodes: ['a', 'b'] });
    const because =
      "whether the replacement of pod s/web-0 becomes ready is not known: CloneSet web is no controller of Kubernetes' own: whether and when it creates another pod is not known";
    expect(answer.json).toMatchObject({
      endsAt: null,
      nodes: {
        items: [
          { node: 'a', outcome: 'unknown', unknownBecause: [because] },
          { node: 'b', outcome: 'unknown', endsAt: null, unknownBecause: [because] },
        ],
      },
      items: [
        { rolling: { outcome: 'evicted', replacement: { unknownBecause: [{ code: 'customController' }] } } },
        { rolling: { outcome: 'unknown', replacement: null } },
      ],
    });
    const { json } = await service.graphql(
      `{ cluster(name: "clones") { drain(input: { nodes: ["a", "b"] }) {
        nodes { items { outcome unknownBecause withoutNode { total } } }
        pods { nodes { rolling { outcome replacement { verdict unknownBecause { code } } } } } } } }`,
    );
    expect(json).toMatchObject({
      data: {
        cluster: {
          drain: {
            nodes: { items: [{ outcome: 'unknown', unknownBecause: [because] }, { outcome: 'unknown' }] },
            pods: {
              nodes: [{ rolling: { replacement: { verdict: 'unknown' } } }, { rolling: { outcome: 'unknown' } }],
            },
          },
        },
      },
    });
  });
});

describe('disruption budgets', () => {
  it('are listed as stored and as the controller would compute them', async () => {
    const answer = await service.request('GET', `${AT}/disruption-budgets`);
    expect(answer.json).toMatchObject({
      items: [
        {
          name: 'db',
          differs: ['currentHealthy', 'disruptionsAllowed', 'condition'],
          computed: { currentHealthy: 1, disruptionsAllowed: 0 },
          stored: { currentHealthy: 3, disruptionsAllowed: 2, condition: null },
        },
        {
          name: 'web',
          outcome: 'synced',
          differs: [],
          stored: { condition: { status: 'True', reason: 'SufficientPods' } },
          arithmetic: { rule: 'minAvailable', value: '40%', expectedPods: 2, pods: 1, expectedFrom: 'controllers' },
          text: 'minAvailable 40% of 2 expected pods (ReplicaSet web wants 2) rounds up to 1; 2 are healthy; 1 disruption is allowed',
        },
      ],
    });
    // The result depends on the time of the request.
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('can be selected by namespace and name, also in GraphQL', async () => {
    expect((await service.request('GET', `${AT}/disruption-budgets?namespace=other`)).at('items')).toEqual([]);
    expect((await service.request('GET', `${AT}/disruption-budgets?name=web`)).at('items.0.name')).toBe('web');
    const { json } = await service.graphql(
      '{ cluster(name: "shop") { disruptionBudgets(name: "db") { totalCount nodes { name text differs computed { desiredHealthy } } } } }',
    );
    expect(json).toMatchObject({
      data: {
        cluster: { disruptionBudgets: { totalCount: 1, nodes: [{ name: 'db', computed: { desiredHealthy: 1 } }] } },
      },
    });
  });
});

describe("the kubelet's ranking", () => {
  const usage = { 's/web-0': '200Mi', 's/db-0': 1048576, 's/agent-0': '9Gi', 's/elsewhere': 5 };

  it('has a reason for each rank', async () => {
    const answer = await post('eviction-ranks', { signal: 'memory', node: 'a', usage });
    expect(answer.json).toMatchObject({
      evicted: 's/web-0',
      counts: { ranked: 3, critical: 1, withoutStats: 0, ended: 0 },
      notOnNode: ['s/elsewhere'],
    });
    expect((answer.at('items') as { why: string }[]).map(({ why }) => why)).toEqual([
      'uses 200Mi of memory, more than the 100Mi that it requests; priority 0',
      'uses 1048576 of memory, more than the 0 that it requests; priority 0',
      'uses 9Gi of memory, more than the 0 that it requests; priority 2000001000; skipped: a pod of priority 2000000000 or more is never evicted',
    ]);
  });

  it('lists pods without stats, and is the same in GraphQL', async () => {
    const { json } = await service.graphql(
      `query ($question: EvictionRankInput!) { cluster(name: "shop") { evictionRank(input: $question) {
        evicted counts { withoutStats } pods { nodes { place name usage critical } } } } }`,
      { question: { signal: 'pid', node: 'a', usage: { 's/web-0': 12 } } },
    );
    expect(json).toMatchObject({
      data: {
        cluster: {
          evictionRank: {
            evicted: 's/db-0',
            counts: { withoutStats: 2 },
            pods: {
              nodes: [
                { place: 1, name: 'db-0', usage: null },
                { name: 'web-0', usage: '12' },
                { critical: 'priority' },
              ],
            },
          },
        },
      },
    });
  });

  it('names every invalid amount', async () => {
    const bad = { 's/web-0': 'much', 's/db-0': -1, 'a/b': [], 'x~/y': '1e99999999999', ok: 1 };
    const answer = await post('eviction-ranks', { signal: 'memory', node: 'a', usage: bad });
    expect(answer.status).toBe(400);
    const errors = answer.at('errors') as { pointer: string }[];
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/usage/s~1web-0',
      '/usage/s~1db-0',
      '/usage/a~1b',
      '/usage/x~0~1y',
    ]);
    expect(await post('eviction-ranks', { signal: 'cpu', node: 'a', usage })).toMatchObject({ status: 400 });
    expect(await post('eviction-ranks', { signal: 'disk', node: 'x', usage })).toMatchObject({ status: 404 });
  });
});

describe('kinds of disruptions', () => {
  it('are listed in a catalogue', async () => {
    const answer = await service.request('GET', '/api/v1/disruption-kinds');
    const kinds = answer.at('items') as { reason: string; budgets: string }[];
    expect(kinds.filter(({ budgets }) => budgets === 'respected').map(({ reason }) => reason)).toEqual([
      'EvictionByEvictionAPI',
    ]);
    const { json } = await service.graphql('{ disruptionKinds { kind reason } }');
    expect(json).toMatchObject({ data: { disruptionKinds: kinds.map(({ reason }) => ({ reason })) } });
  });

  it('are shown for a stored pod that names one', async () => {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    const gone = { ...owned('s/gone-0', 'a', {}, null), status: { phase: 'Running', conditions: [condition] } };
    await store(service, 'gone', [node('a'), gone, owned('s/here-0', 'a', {}, null)]);
    const answer = await service.request('GET', '/api/v1/clusters/gone/pods');
    expect(answer.at('items')).toMatchObject([
      {
        name: 'gone-0',
        disruption: { kind: 'taintEviction', reason: 'DeletionByTaintManager', stands: true, since: null },
      },
      { name: 'here-0', disruption: null },
    ]);
  });
});
