import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod as storedPod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const api = (cluster: string, path: string): string => `/api/v1/clusters/${cluster}/${path}`;

const sized = (name: string, cpu: string, spec: object = {}): object =>
  node(name, { spec, status: { allocatable: { cpu, memory: '8Gi', pods: '10' } } });

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'default' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
};

const of = (schedulerName: string): object => ({ ...POD, spec: { ...POD.spec, schedulerName } });

const configuration = (...profiles: object[]): object => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  profiles,
});

const PACKING = {
  schedulerName: 'packing',
  pluginConfig: [
    {
      name: 'NodeResourcesFit',
      args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
    },
  ],
};
const OUT_OF_TREE = {
  schedulerName: 'out-of-tree',
  plugins: {
    filter: { enabled: [{ name: 'AnyFilter' }] },
    score: { enabled: [{ name: 'LoadAware', weight: 2 }] },
  },
};

const NODES = [
  sized('a', '8'),
  sized('b', '4'),
  sized('c', '4', { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] }),
  sized('full', '500m'),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'plain', NODES);
  await store(service, 'configured', NODES);
  const declared = await service.request(
    'PUT',
    api('configured', 'scheduler-configuration'),
    configuration({ schedulerName: 'default-scheduler' }, PACKING, OUT_OF_TREE),
  );
  expect(declared.status).toBe(200);
});
afterAll(() => service.close());

const place = (cluster: string, body: object): Promise<Answer> =>
  service.request('POST', api(cluster, 'placements'), { pod: POD, ...body });

interface Place {
  readonly node: string;
  readonly rank: number;
  readonly total: number;
  readonly scores: readonly { readonly plugin: string; readonly weighted: number | null }[];
}
const places = (answer: Answer): readonly Place[] => answer.at('ranking.nodes') as readonly Place[];
const names = (answer: Answer): readonly string[] => places(answer).map((one) => one.node);

const RANKING = `nodeCount tied remainingItemCount uncertain assumptions failure { plugin message }
  nodes { node rank total scores { plugin weight raw normalized weighted formula terms { of amounts score } } }
  difference { ahead behind margin decidedBy scores { plugin ahead behind difference } }`;

describe('a ranking of the nodes of a placement', () => {
  it('is absent unless requested, as is the scheduler if nothing is known of it', async () => {
    expect((await place('plain', {})).json).toMatchObject({ ranking: null, scheduler: null });
  });

  it('has every node that can take the pod with totals that add up, and what decides between the first two', async () => {
    const answer = await place('plain', { ranking: true });
    expect(names(answer)).toEqual(['a', 'b', 'c']);
    for (const { total, scores } of places(answer)) {
      expect(scores.reduce((sum, { weighted }) => sum + (weighted ?? 0), 0)).toBe(total);
    }
    expect(answer.at('ranking')).toMatchObject({
      nodeCount: 3,
      tied: 1,
      uncertain: [],
      failure: null,
      difference: { ahead: 'a', behind: 'b', decidedBy: 'NodeResourcesFit' },
    });
  });

  it('is paged by rank', async () => {
    const answer = await place('plain', { ranking: true, rankingFrom: 1, rankingLimit: 1 });
    expect(answer.at('ranking')).toMatchObject({ nodes: [{ node: 'b', rank: 2 }], remainingItemCount: 1 });
    const beyond = await place('plain', { ranking: true, rankingFrom: 99 });
    expect(beyond.at('ranking')).toMatchObject({ nodes: [], remainingItemCount: 0 });
  });

  it('is the same over GraphQL, alone and in a batch', async () => {
    const rest = (await place('plain', { ranking: true, seed: 3 })).at('ranking');
    const one = await service.graphql(
      `query($pod: KubernetesObject!) { placement(cluster: "plain", input: { pod: $pod }) { scheduler { profile } ranking(seed: 3) { ${RANKING} } } }`,
      { pod: POD },
    );
    expect(one.at('data.placement')).toEqual({ scheduler: null, ranking: rest });
    const items = [{ id: 'x', pod: POD, ranking: true, seed: 3 }];
    const batch = await service.request('POST', api('plain', 'placements/batch'), { items });
    expect(batch.at('items.0.placement.ranking')).toEqual(rest);
  });

  it('for a pod that no node can take is empty', async () => {
    const spec = { containers: [{ name: 'c', resources: { requests: { cpu: '99' } } }] };
    const answer = await place('plain', { pod: { ...POD, spec }, ranking: true });
    expect(answer.at('ranking')).toMatchObject({ nodeCount: 0, tied: 0, nodes: [], difference: null });
  });
});

describe('the profile that a pod is placed by', () => {
  it("is that of the pod's schedulerName", async () => {
    const usual = await place('configured', { ranking: true });
    expect(usual.at('scheduler')).toEqual({
      schedulerName: 'default-scheduler',
      profile: 'default-scheduler',
      source: 'stored',
      outOfTreePlugins: [],
      note: null,
    });
    const packing = await place('configured', { pod: of('packing'), ranking: true });
    expect(packing.at('scheduler')).toMatchObject({ profile: 'packing', source: 'stored' });
    const fit = (answer: Answer): unknown =>
      places(answer)
        .find((one) => one.node === 'b')!
        .scores.find(({ plugin }) => plugin === 'NodeResourcesFit');
    expect(fit(packing)).toMatchObject({ raw: 25 });
    expect(fit(usual)).toMatchObject({ raw: 81 });
  });

  it('is absent for a scheduler name without a profile, with a note', async () => {
    const answer = await place('configured', { pod: of('volcano') });
    expect(answer.at('scheduler')).toMatchObject({
      schedulerName: 'volcano',
      profile: 'default-scheduler',
      note: expect.stringContaining('nothing schedules this pod') as unknown,
    });
    expect((await place('plain', { pod: of('volcano') })).at('scheduler')).toBeNull();
  });

  it('makes out-of-tree plugins unknown by name, unless they are left out', async () => {
    const kept = await place('configured', { pod: of('out-of-tree'), ranking: true });
    expect(kept.at('summary')).toMatchObject({ feasible: 0, unknown: 3, infeasible: 1 });
    expect(kept.at('scheduler.outOfTreePlugins')).toEqual(['AnyFilter', 'LoadAware']);
    expect(kept.at('ranking')).toMatchObject({ nodeCount: 3, uncertain: ['AnyFilter', 'LoadAware'] });
    const left = await place('configured', {
      pod: of('out-of-tree'),
      ranking: true,
      scheduler: { outOfTreePlugins: 'leaveOut' },
    });
    expect(left.at('summary')).toMatchObject({ feasible: 3, unknown: 0 });
    expect(left.at('ranking.uncertain')).toEqual([]);
  });

  it('can be part of the request, by name or as the pod requires', async () => {
    const scheduler = { configuration: configuration(PACKING), schedulerName: 'packing' };
    const answer = await place('plain', { scheduler });
    expect(answer.at('scheduler')).toMatchObject({ profile: 'packing', source: 'given' });
    const graphql = await service.graphql(
      'query($s: SchedulerChoiceInput!, $pod: KubernetesObject!) { placement(cluster: "plain", input: { pod: $pod, scheduler: $s }) { scheduler { schedulerName profile source outOfTreePlugins note } } }',
      { s: scheduler, pod: POD },
    );
    expect(graphql.at('data.placement.scheduler')).toEqual(answer.at('scheduler'));
    const named = await place('configured', { scheduler: { schedulerName: 'packing' } });
    expect(named.at('scheduler')).toMatchObject({ profile: 'packing', source: 'stored' });
  });

  it.each([
    ['a name that no profile has', { schedulerName: 'none' }, ['/scheduler/schedulerName']],
    [
      'a configuration that is wrong, in every place',
      { configuration: configuration({ schedulerName: 'a', plugin: 1 }, { schedulerName: 'b', plugins: { x: {} } }) },
      ['/scheduler/configuration/profiles/0/plugin', '/scheduler/configuration/profiles/1/plugins/x'],
    ],
    ['a word that is none', { outOfTreePlugins: 'drop' }, ['/scheduler/outOfTreePlugins']],
  ])('is refused for %s', async (_, scheduler, pointers) => {
    const answer = await place('configured', { scheduler });
    expect(answer.status).toBe(400);
    expect((answer.at('errors') as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe('a stored pod', () => {
  const RUNNING = storedPod('default/web', 'b', { containers: POD.spec.containers });
  const ranking = (cluster: string, query = ''): Promise<Answer> =>
    service.request('GET', api(cluster, `pods/default/web/ranking${query}`));

  it('is ranked over GET too', async () => {
    await store(service, 'stored', [...NODES, RUNNING]);
    const answer = await service.request(
      'GET',
      api('stored', 'pods/default/web/placement?ranking=true&rankingLimit=2'),
    );
    expect(names(answer)).toEqual(['a', 'b']);
  });

  it('shows how its node ranks today, and what has changed since it was placed', async () => {
    const before = [sized('b', '4'), sized('c', '4')];
    await store(service, 'why', before);
    await store(service, 'why', [...before, RUNNING]);
    const then = await ranking('why');
    expect(then.json).toMatchObject({
      node: 'b',
      verdict: 'feasible',
      place: { node: 'b', rank: 1 },
      nodeCount: 2,
      tied: 2,
      aheadCount: 0,
      ahead: [],
      difference: null,
      changes: { revision: 2, isOldest: false, nodesAdded: 0, node: null, pods: { added: 0 } },
    });
    const tainted = sized('b', '4', { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
    const other = storedPod('default/other', 'c', { containers: POD.spec.containers });
    await store(service, 'why', [sized('a', '8'), tainted, sized('c', '4'), RUNNING, other]);
    const now = await ranking('why', '?limit=1');
    expect(now.json).toMatchObject({
      place: { node: 'b', rank: 3 },
      aheadCount: 2,
      ahead: [{ node: 'a', rank: 1 }],
      difference: { ahead: 'a', behind: 'b', decidedBy: 'TaintToleration' },
      changes: {
        revision: 2,
        nodesAdded: 1,
        nodesChanged: 1,
        aheadAdded: ['a'],
        aheadChanged: [],
        pods: { added: 1, removed: 0 },
        node: { node: 'b', taintsAdded: ['soft:PreferNoSchedule'] },
      },
    });
    const graphql = await service.graphql(
      `{ cluster(name: "why") { podRanking(namespace: "default", name: "web", limit: 1) { node verdict nodeCount tied aheadCount place { node rank total } ahead { node rank } difference { ahead behind margin decidedBy } changes { revision isOldest nodesAdded aheadAdded node { taintsAdded } pods { added } } } } }`,
    );
    expect(now.json).toMatchObject(graphql.at('data.cluster.podRanking') as object);
    expect((await ranking('why', '?revision=2')).json).toMatchObject({
      place: { rank: 1 },
      changes: { nodesAdded: 0 },
    });
  });

  it('shows why its node could not take it today', async () => {
    const hard = sized('b', '4', { taints: [{ key: 'hard', effect: 'NoSchedule' }] });
    await store(service, 'hard', [sized('a', '4'), hard, RUNNING]);
    expect((await ranking('hard')).json).toMatchObject({
      verdict: 'infeasible',
      reasons: [{ code: 'UntoleratedTaint' }],
      place: null,
      aheadCount: 1,
      changes: { isOldest: true },
    });
  });

  it('has no rank if it is on no node, and is not found if it does not exist', async () => {
    await store(service, 'pending', [...NODES, storedPod('default/web', '')]);
    expect((await ranking('pending')).json).toMatchObject({ node: null, place: null, changes: null, nodeCount: 4 });
    const missing = await service.request('GET', api('pending', 'pods/default/none/ranking'));
    expect([missing.status, missing.at('code')]).toEqual([404, 'object-not-found']);
  });
});
