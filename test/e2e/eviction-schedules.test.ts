import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import {
  both,
  on,
  podsOf,
  SetClock,
  shownMoment,
  tolerates,
  TestSchedules,
  withMore,
  type ShownPod,
} from '../support/eviction-schedules.js';
import { startTestService, type TestService } from '../support/service.js';

const clock = new SetClock();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock });
});
afterAll(() => service.close());

let made = 0;
const newCluster = (): TestSchedules => new TestSchedules(service, `c${++made}`);

const NOON = '2026-05-04T12:00:00Z';
const afterNoon = (seconds: number): string =>
  new Date(Date.parse(NOON) + seconds * 1000).toISOString().replace('.000Z', 'Z');
const tainting = (nodes: readonly string[], ...taints: string[]): object => ({
  asOf: NOON,
  scenario: { changes: [{ editNodes: { nodes, taints } }] },
});

describe('a taint that a scenario adds', () => {
  let schedules: TestSchedules;
  beforeAll(async () => {
    schedules = newCluster();
    await schedules.store(
      [
        node('a'),
        node('b'),
        on('a', 'none'),
        on('a', 'five', [tolerates('other'), tolerates('m', 300)]),
        on('a', 'ever', [tolerates('m')]),
        on('a', 'short-first', [tolerates('m', 60), tolerates('m', 600), tolerates('m')]),
        on('a', 'all', [{ operator: 'Exists' }]),
        on('a', 'other-effect', [{ key: 'm', operator: 'Exists', effect: 'NoSchedule' }]),
        on('a', 'two', [tolerates('m', 120), tolerates('n', 30)]),
        on('a', 'zero', [tolerates('m', 0)]),
        on('a', 'negative', [tolerates('m', -5)]),
        on('b', 'elsewhere'),
      ],
      '2026-05-04T11:00:00Z',
    );
  });

  it('evicts immediately, later or never, by the first toleration that matches', async () => {
    const answer = await both(schedules, tainting(['a'], 'm=x:NoExecute'));
    const shown = [...podsOf(answer).values()].map(({ name, action, at, base, taints }) => [
      name,
      action,
      shownMoment(at),
      base?.known ?? null,
      taints[0]!['toleration'],
      taints[0]!['seconds'],
    ]);
    expect(shown).toEqual([
      ['negative', 'now', NOON, 'question', 'spec.tolerations[0]', -5],
      ['none', 'now', NOON, 'question', null, null],
      ['other-effect', 'now', NOON, 'question', null, null],
      ['zero', 'now', NOON, 'question', 'spec.tolerations[0]', 0],
      ['short-first', 'at', afterNoon(60), 'question', 'spec.tolerations[0]', 60],
      ['two', 'at', afterNoon(120), 'question', 'spec.tolerations[0]', 120],
      ['five', 'at', afterNoon(300), 'question', 'spec.tolerations[1]', 300],
      ['all', 'never', null, null, 'spec.tolerations[0]', null],
      ['ever', 'never', null, null, 'spec.tolerations[0]', null],
    ]);
    expect(answer.at('counts')).toEqual({ pods: 10, marked: 0, now: 4, at: 3, never: 2 });
  });

  it('is explained: what applies, what decides, what would keep the pod', async () => {
    const answer = await both(schedules, tainting(['a'], 'm=x:NoExecute', 'n:NoExecute', 'k:NoSchedule'));
    const pods = podsOf(answer);
    expect(pods.get('two')).toMatchObject({
      action: 'at',
      at: { earliest: afterNoon(30), latest: afterNoon(30) },
      because: 'n:NoExecute is tolerated for 30 s by the first toleration that matches it.',
      base: { earliest: NOON, latest: NOON, known: 'question' },
      taints: [
        { taint: 'm=x:NoExecute', toleration: 'spec.tolerations[0]', seconds: 120, decides: false },
        { taint: 'n:NoExecute', toleration: 'spec.tolerations[1]', seconds: 30, decides: true },
      ],
      overdue: false,
      cancelled: null,
      mayHaveLeftSince: null,
      keptWithout: { anyOf: [], allOf: ['m=x:NoExecute', 'n:NoExecute'] },
      secondsToOutlast: null,
      disruption: { kind: 'taintEviction', reason: 'DeletionByTaintManager' },
    });
    expect(pods.get('ever')).toMatchObject({
      action: 'now',
      because: 'No toleration matches n:NoExecute.',
      taints: [
        { taint: 'm=x:NoExecute', toleration: 'spec.tolerations[0]', seconds: null, decides: false },
        { taint: 'n:NoExecute', toleration: null, seconds: null, decides: true },
      ],
      keptWithout: { anyOf: ['n:NoExecute'], allOf: [] },
    });
    expect(pods.get('all')).toMatchObject({
      action: 'never',
      at: null,
      because: 'Every NoExecute taint of its node is tolerated forever.',
      base: null,
      departure: null,
      keptWithout: null,
      disruption: null,
      notes: [],
    });
    expect(answer.at('changes')).toEqual({
      total: 1,
      items: [
        {
          at: NOON,
          moment: { earliest: NOON, latest: NOON },
          node: 'a',
          added: ['m=x:NoExecute', 'n:NoExecute', 'k:NoSchedule'],
          removed: [],
          why: 'Set by the scenario.',
        },
      ],
    });
  });

  it('is counted by time, minute and node', async () => {
    const answer = await schedules.schedule(tainting(['a', 'b'], 'm=x:NoExecute'));
    const at = (seconds: number): object => ({ earliest: afterNoon(seconds), latest: afterNoon(seconds) });
    const items = (...pairs: [number, number][]): object => ({
      total: pairs.length,
      items: pairs.map(([seconds, pods]) => ({ at: at(seconds), pods })),
    });
    expect(answer.at('moments')).toEqual(items([0, 5], [60, 1], [120, 1], [300, 1]));
    expect(answer.at('minutes')).toEqual({
      total: 4,
      items: [
        { minute: NOON, pods: 5 },
        { minute: afterNoon(60), pods: 1 },
        { minute: afterNoon(120), pods: 1 },
        { minute: afterNoon(300), pods: 1 },
      ],
    });
    expect(answer.at('nodes')).toEqual({
      total: 2,
      items: [
        { node: 'a', marked: 0, now: 4, at: 3, never: 2, first: at(0), last: at(300) },
        { node: 'b', marked: 0, now: 1, at: 0, never: 0, first: at(0), last: at(0) },
      ],
    });
  });

  it('does nothing if it has another effect or no pod is on the node', async () => {
    const answer = await schedules.schedule(tainting(['a'], 'm=x:NoSchedule', 'n=x:PreferNoSchedule'));
    expect(answer.at('counts')).toEqual({ pods: 10, marked: 0, now: 0, at: 0, never: 0 });
    expect([answer.at('items'), answer.at('moments.total'), answer.at('nodes.total')]).toEqual([[], 0, 0]);
  });

  it('applies to pods that the scenario adds to the node, and not to those that it removes', async () => {
    const move = { movePods: { pods: ['d/elsewhere'], nodeName: 'a' } };
    const remove = { removePods: { pods: ['d/none'] } };
    const taint = { editNodes: { nodes: ['a'], taints: ['m=x:NoExecute'] } };
    const pods = await schedules.pods({ asOf: NOON, scenario: { changes: [move, remove, taint] } });
    expect(pods.get('elsewhere')).toMatchObject({ node: 'a', action: 'now', at: { latest: NOON } });
    expect(pods.has('none')).toBe(false);
  });
});

describe('an eviction', () => {
  let shop: TestSchedules;
  const owner = (kind: string, name: string): { kind: string; name: string } => ({ kind, name });
  const web = (name: string, nodeName: string, tolerations: readonly object[] = []): object =>
    withMore(pod(`d/${name}`, nodeName, { tolerations }, owner('ReplicaSet', 'web')), {
      metadata: { labels: { app: 'web' } },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  const replicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'd', uid: 'web', labels: { app: 'web' } },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } } },
  };
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'd' },
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
  };
  beforeAll(async () => {
    shop = newCluster();
    await shop.store(
      [
        node('a'),
        node('b'),
        node('dead', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }),
        replicaSet,
        budget,
        web('web-1', 'a'),
        web('web-2', 'a', [tolerates('m', 60)]),
        web('web-3', 'b', [tolerates('m', 600)]),
        withMore(on('a', 'critical', [], { priority: 2_000_001_000, priorityClassName: 'system-node-critical' }), {}),
        withMore(on('a', 'mirror'), { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
        withMore(on('a', 'done'), { status: { phase: 'Succeeded' } }),
        on('a', 'slow', [], { terminationGracePeriodSeconds: 600 }),
        on('a', 'abrupt', [], { terminationGracePeriodSeconds: 0 }),
        withMore(on('a', 'leaving'), {
          metadata: { deletionTimestamp: '2026-05-04T11:00:20Z', deletionGracePeriodSeconds: 30 },
          status: {
            conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
          },
        }),
        pod('d/db-0', 'dead', {}, owner('StatefulSet', 'db')),
        on('dead', 'plain'),
      ],
      '2026-05-04T11:00:00Z',
    );
  });
  const taintAll = tainting(['a', 'b', 'dead'], 'm=x:NoExecute');
  const at = (seconds: number): object => ({ earliest: afterNoon(seconds), latest: afterNoon(seconds) });

  it('is counted by workload, down to the last replica', async () => {
    const answer = await both(shop, taintAll);
    const workloads = answer.at('workloads.items') as { workload: { name: string } }[];
    expect(workloads.find(({ workload }) => workload.name === 'web')).toEqual({
      workload: { kind: 'ReplicaSet', namespace: 'd', name: 'web' },
      replicas: 3,
      now: 1,
      at: 2,
      firstLoss: at(0),
      lastReplica: at(600),
    });
    const some = await shop.schedule(tainting(['a'], 'm=x:NoExecute'));
    const web = (some.at('workloads.items') as { workload: { name: string } }[]).find(
      ({ workload }) => workload.name === 'web',
    );
    expect(web).toMatchObject({ replicas: 3, now: 1, at: 1, firstLoss: at(0), lastReplica: null });
  });

  it('violates budgets, at a time that is explained', async () => {
    const answer = await both(shop, tainting(['a'], 'm=x:NoExecute'));
    expect(answer.at('budgets')).toEqual({
      total: 1,
      items: [
        {
          namespace: 'd',
          name: 'web',
          leaving: 2,
          currentHealthy: 3,
          desiredHealthy: 2,
          brokenAt: at(60),
          text: expect.stringContaining('minAvailable 2 of 3'),
        },
      ],
    });
    const only = await shop.schedule(tainting(['b'], 'm=x:NoExecute'));
    expect(only.at('budgets.items.0')).toMatchObject({ leaving: 1, brokenAt: null });
  });

  it.each([
    ['web-1', /^A PodDisruptionBudget selects it but does not protect it/],
    ['critical', /priority 2000001000 does not protect it/],
    ['mirror', /static pod: the API object is deleted and the kubelet recreates it/],
    ['done', /It has ended \(Succeeded\); its object is deleted immediately/],
  ])('is not prevented for %s, and the note says so', async (name, note) => {
    const { action, notes } = (await shop.pods(taintAll)).get(name)!;
    expect([action, notes]).toEqual(['now', [expect.stringMatching(note)]]);
  });

  it('names the budgets that select a pod beside it', async () => {
    const pods = await shop.pods(taintAll);
    expect([pods.get('web-1')!.budgets, pods.get('plain')!.budgets]).toEqual([['d/web'], []]);
  });

  it.each<[string, object]>([
    ['web-1', { gracePeriodSeconds: 30, gone: at(30), by: 'kubelet', note: null }],
    ['slow', { gracePeriodSeconds: 600, gone: at(600), by: 'kubelet', note: null }],
    ['abrupt', { gracePeriodSeconds: 0, gone: at(0), by: 'apiServer', note: null }],
    ['done', { gracePeriodSeconds: 0, gone: at(0), by: 'apiServer', note: null }],
    [
      'plain',
      { gracePeriodSeconds: 30, gone: null, by: null, note: expect.stringMatching(/stays Terminating until the node/) },
    ],
    [
      'db-0',
      { gone: null, by: null, note: expect.stringMatching(/Until then its StatefulSet does not create a replacement/) },
    ],
  ])('ends later than it is marked: %s', async (name, departure) => {
    const { departure: found } = (await shop.pods(taintAll)).get(name)!;
    expect(found).toMatchObject({ marked: at(0), ...departure });
  });

  it('is forced on a node that is out of service, whatever its grace period', async () => {
    const pods = await shop.pods(tainting(['dead'], 'node.kubernetes.io/out-of-service=shutdown:NoExecute'));
    expect(pods.get('db-0')).toMatchObject({
      action: 'now',
      departure: { gone: { earliest: NOON, latest: afterNoon(20) }, by: 'podGarbageCollector' },
    });
  });

  it('that has begun already is attributed', async () => {
    const answer = await both(shop, taintAll);
    expect(podsOf(answer).get('leaving')).toMatchObject({
      action: 'marked',
      at: { earliest: '2026-05-04T10:59:50Z', latest: '2026-05-04T10:59:50Z' },
      because: 'The pod is already being deleted.',
      departure: { gracePeriodSeconds: 30, gone: { latest: '2026-05-04T11:00:20Z' }, by: 'kubelet' },
      keptWithout: null,
      disruption: { kind: 'apiEviction', reason: 'EvictionByEvictionAPI' },
    });
    expect(answer.at('counts')).toMatchObject({ marked: 1 });
    expect((answer.at('items') as ShownPod[])[0]!.name).toBe('leaving');
  });
});

describe('a part of a schedule', () => {
  let fleet: TestSchedules;
  const labelled = (name: string, labels: object): object => withMore(node(name), { metadata: { labels } });
  beforeAll(async () => {
    fleet = newCluster();
    const job = { kind: 'Job', name: 'batch' };
    await fleet.store(
      [
        labelled('a', { pool: 'x' }),
        labelled('b', { pool: 'x' }),
        labelled('c', { pool: 'y' }),
        ...['a', 'b', 'c'].flatMap((name) => [
          withMore(on(name, `${name}-now`), { metadata: { labels: { tier: 'web' } } }),
          on(name, `${name}-later`, [tolerates('m', 60)]),
          on(name, `${name}-never`, [tolerates('m')]),
          pod(`e/${name}-job`, name, { tolerations: [tolerates('m', 30)] }, job),
        ]),
      ],
      '2026-05-04T11:00:00Z',
    );
  });
  const all = tainting(['a', 'b', 'c'], 'm=x:NoExecute');
  const names = (answer: { at(path: string): unknown }): string[] => [...podsOf(answer).keys()];

  it('covers nodes by name or label only, also in its sums', async () => {
    const byName = await both(fleet, { ...all, nodes: ['b', 'b', 'a'] });
    expect(byName.at('counts')).toEqual({ pods: 8, marked: 0, now: 2, at: 4, never: 2 });
    expect(byName.at('nodes.total')).toBe(2);
    const byLabel = await both(fleet, { ...all, nodeSelector: 'pool=y' });
    expect(names(byLabel)).toEqual(['c-now', 'c-job', 'c-later', 'c-never']);
    const byBoth = await both(fleet, { ...all, nodes: ['a', 'c'], nodeSelector: 'pool!=y' });
    expect(names(byBoth)).toEqual(['a-now', 'a-job', 'a-later', 'a-never']);
    const none = await fleet.schedule({ ...all, nodes: [] });
    expect([none.at('counts.pods'), none.at('items')]).toEqual([0, []]);
  });

  it.each<[string, object, string[]]>([
    ['of a namespace', { namespace: 'e' }, ['a-job', 'b-job', 'c-job']],
    ['with labels', { labelSelector: 'tier in (web)' }, ['a-now', 'b-now', 'c-now']],
    ['of a workload', { workload: 'batch', workloadKind: 'Job' }, ['a-job', 'b-job', 'c-job']],
    ['of a kind of workload', { workloadKind: 'Job' }, ['a-job', 'b-job', 'c-job']],
    ['of no such workload', { workload: 'batch', workloadKind: 'Pod' }, []],
    ['that stay', { actions: ['never'] }, ['a-never', 'b-never', 'c-never']],
    [
      'that leave, of one namespace',
      { namespace: 'd', actions: ['at', 'now'] },
      ['a-now', 'b-now', 'c-now', 'a-later', 'b-later', 'c-later'],
    ],
    ['of no action at all', { actions: [] }, []],
  ])('lists the pods %s, and counts all', async (_, pods, expected) => {
    const answer = await both(fleet, { ...all, pods });
    expect(names(answer)).toEqual(expected);
    expect(answer.at('counts')).toEqual({ pods: 12, marked: 0, now: 3, at: 6, never: 3 });
  });

  it('is paged, soonest first, while the cluster changes', async () => {
    const pages: string[][] = [];
    let token: string | undefined;
    do {
      const answer = await fleet.schedule({ ...all, limit: 5, ...(token !== undefined && { continue: token }) });
      pages.push(names(answer));
      token = (answer.at('continue') as string | null) ?? undefined;
      expect(answer.at('remainingItemCount')).toBe(12 - pages.flat().length);
      if (pages.length === 1)
        await fleet.store([node('a')], '2026-05-04T12:30:00Z', '&kinds=Node,Pod&allowRemovals=true');
    } while (token !== undefined);
    expect(pages).toEqual([
      ['a-now', 'b-now', 'c-now', 'a-job', 'b-job'],
      ['c-job', 'a-later', 'b-later', 'c-later', 'a-never'],
      ['b-never', 'c-never'],
    ]);
  });

  it('is paged over GraphQL', async () => {
    const page = async (after?: string): Promise<{ at(path: string): unknown }> =>
      fleet.graphql({ ...all, limit: 7, ...(after !== undefined && { continue: after }) }, { revision: 1 });
    const first = await page();
    expect(first.at('data.evictionSchedule.pods.totalCount')).toBe(12);
    const second = await page(first.at('data.evictionSchedule.pods.pageInfo.endCursor') as string);
    expect(second.at('errors')).toBeUndefined();
    const { nodes, pageInfo } = second.at('data.evictionSchedule.pods') as {
      nodes: ShownPod[];
      pageInfo: object;
    };
    expect(nodes.map(({ name }) => name)).toEqual(['b-later', 'c-later', 'a-never', 'b-never', 'c-never']);
    expect(pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('refuses the next page of another request, or without a time', async () => {
    const { asOf, ...timeless } = all as { asOf: string; scenario: object };
    const query = '?revision=1';
    const token = (await fleet.schedule({ ...all, limit: 2 }, query)).at('continue');
    const more = { limit: 2, continue: token };
    const without = await fleet.ask({ ...timeless, ...more }, query);
    expect([without.status, without.at('errors')]).toEqual([
      400,
      [expect.objectContaining({ field: 'asOf', pointer: '/asOf', code: 'required' })],
    ]);
    const overGraphql = await fleet.graphql({ ...timeless, ...more }, { revision: 1 });
    expect(overGraphql.at('errors.0.extensions.errors')).toEqual([
      expect.objectContaining({ field: 'input.asOf', pointer: '/input/asOf', code: 'required' }),
    ]);
    for (const other of [
      { ...all, asOf: afterNoon(1) },
      { ...all, nodes: ['a'] },
      { ...all, pods: { namespace: 'd' } },
      { ...tainting(['a'], 'm=x:NoExecute'), asOf },
      { ...all, horizonSeconds: 1 },
      { ...all, landing: true },
    ]) {
      const answer = await fleet.ask({ ...other, ...more }, query);
      expect([answer.status, answer.at('code')]).toEqual([400, 'invalid-continue-token']);
    }
    expect((await fleet.ask({ ...all, ...more }, query)).status).toBe(200);
    const nonsense = await fleet.ask({ ...all, continue: 'x' });
    expect([nonsense.status, nonsense.at('code')]).toEqual([400, 'invalid-continue-token']);
  });

  it('is a CSV table of every requested pod', async () => {
    const answer = await fleet.schedule({ ...all, nodes: ['a'], limit: 1 }, '?revision=1&format=csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="eviction-schedule-c\d+\.csv"$/);
    const [header, ...lines] = answer.text.trimEnd().split('\r\n');
    expect(header).toBe(
      'action,earliest,latest,namespace,name,node,workloadKind,workload,taint,toleration,seconds,' +
        'baseEarliest,baseLatest,baseKnown,gracePeriodSeconds,gone,because,notLoaded',
    );
    expect(lines).toEqual([
      `now,${NOON},${NOON},d,a-now,a,Pod,a-now,m=x:NoExecute,,,${NOON},${NOON},question,30,${afterNoon(30)},No toleration matches m=x:NoExecute.,`,
      `at,${afterNoon(30)},${afterNoon(30)},e,a-job,a,Job,batch,m=x:NoExecute,spec.tolerations[0],30,${NOON},${NOON},question,30,${afterNoon(60)},m=x:NoExecute is tolerated for 30 s by the first toleration that matches it.,`,
      `at,${afterNoon(60)},${afterNoon(60)},d,a-later,a,Pod,a-later,m=x:NoExecute,spec.tolerations[0],60,${NOON},${NOON},question,30,${afterNoon(90)},m=x:NoExecute is tolerated for 60 s by the first toleration that matches it.,`,
      'never,,,d,a-never,a,Pod,a-never,,,,,,,,,Every NoExecute taint of its node is tolerated forever.,',
    ]);
    const bad = await fleet.ask(all, '?format=xml');
    expect([bad.status, bad.at('errors.0.field')]).toEqual([400, 'format']);
  });

  it('of an unknown cluster or revision is not found', async () => {
    expect((await newCluster().ask(all)).at('code')).toBe('cluster-not-found');
    expect((await fleet.ask(all, '?revision=99')).at('code')).toBe('revision-not-found');
  });
});
