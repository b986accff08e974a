import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

interface Item {
  readonly name: string;
  readonly headRevision: number | null;
  readonly link: { readonly state: string };
  readonly troubles: string[];
  readonly figures: {
    readonly revision: number;
    readonly nodes: { readonly total: number; readonly notReady: number };
    readonly pods: { readonly unscheduled: number };
    readonly findings: object;
  } | null;
}

let service: TestService;
const READY = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const FINE = [node('a', READY), { ...pod('t/runs', 'a'), status: { phase: 'Running' } }];

beforeAll(async () => {
  service = await startTestService();
  await store(service, 'small', SMALL_CLUSTER);
  await store(service, 'fine', FINE);
  await store(service, 'sick', [node('a', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })]);
  await service.request('PUT', '/api/v1/clusters/empty', { labels: { env: 'test' } });
});
afterAll(() => service.close());

const get = (query = ''): Promise<Answer> => service.request('GET', `/api/v1/fleet?${query}`);
const itemsOf = (answer: Answer): Item[] => answer.at('items') as Item[];
const named = (answer: Answer, name: string): Item => itemsOf(answer).find((item) => item.name === name)!;

describe('the fleet', () => {
  it('says nothing of what was not counted yet, and counts when it is asked to', async () => {
    const cold = await get('compute=0');
    expect(cold.status).toBe(200);
    expect(itemsOf(cold).map(({ figures }) => figures)).toEqual([null, null, null, null]);
    expect(cold.at('sums')).toMatchObject({ clusters: 4, nodes: 0, uncounted: 3 });
    const some = await get('compute=1');
    expect(some.at('sums.uncounted')).toBe(2);
    expect((await get()).at('sums')).toMatchObject({
      clusters: 4,
      uncounted: 0,
      outdated: 0,
      nodes: 7,
      unscheduled: 1,
    });
  });

  it('has the figures of the overview, kept for the next request', async () => {
    const kept = await get('compute=0');
    const overview = await service.request('GET', '/api/v1/clusters/small/overview');
    const { total, pending, unscheduled } = overview.at('pods') as Record<string, number>;
    expect(named(kept, 'small')).toMatchObject({
      headRevision: 1,
      link: { state: 'snapshots', message: null },
      figures: {
        revision: 1,
        nodes: overview.at('nodes'),
        pods: { total, pending, unscheduled },
        findings: overview.at('findings'),
      },
    });
  });

  it('has the most troubled cluster first, and says why', async () => {
    const troubled = await get('compute=0');
    expect(itemsOf(troubled).map(({ name, troubles }) => [name, troubles])).toEqual([
      ['sick', ['nodesNotReady']],
      ['small', ['podsUnscheduled']],
      ['empty', ['noState']],
      ['fine', []],
    ]);
    expect(troubled.at('sums.troubled')).toBe(3);
    const byName = await get('compute=0&order=name');
    expect(itemsOf(byName).map(({ name }) => name)).toEqual(['empty', 'fine', 'sick', 'small']);
  });

  it('is filtered by name, label and trouble, and paged', async () => {
    const namesOf = async (query: string): Promise<string[]> => itemsOf(await get(query)).map(({ name }) => name);
    expect(await namesOf('name=SI')).toEqual(['sick']);
    expect(await namesOf('labelSelector=env%3Dtest')).toEqual(['empty']);
    expect(await namesOf('trouble=podsUnscheduled')).toEqual(['small']);
    const first = await get('limit=3');
    const next = await get(`limit=3&continue=${encodeURIComponent(first.at('continue') as string)}`);
    expect([first, next].map((answer) => itemsOf(answer).length)).toEqual([3, 1]);
    expect(named(next, 'fine')).toBeDefined();
    const bad = await get('trouble=none&order=x&compute=21');
    expect([bad.status, (bad.at('errors') as object[]).length]).toEqual([400, 3]);
  });

  it('names the revision of figures that are not of the head, and counts anew', async () => {
    await store(service, 'fine', [...FINE, node('b', READY)]);
    const outdated = named(await get('compute=0'), 'fine');
    expect([outdated.headRevision, outdated.figures?.revision, outdated.figures?.nodes.total]).toEqual([2, 1, 1]);
    const renewed = named(await get(), 'fine');
    expect([renewed.headRevision, renewed.figures?.revision, renewed.figures?.nodes.total]).toEqual([2, 2, 2]);
  });

  it('is the same in GraphQL', async () => {
    const query =
      '{ fleet(first: 2, order: trouble) { sums { clusters } edges { node { name troubles figures { nodes { notReady } } } } } }';
    expect((await service.graphql(query)).at('data.fleet')).toEqual({
      sums: { clusters: 4 },
      edges: [
        { node: { name: 'sick', troubles: ['nodesNotReady'], figures: { nodes: { notReady: 1 } } } },
        { node: { name: 'small', troubles: ['podsUnscheduled'], figures: { nodes: { notReady: 0 } } } },
      ],
    });
  });
});
