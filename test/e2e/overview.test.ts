import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
const EVICTING = { key: 'maintenance', effect: 'NoExecute' };
const LEAVING = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };

beforeAll(async () => {
  service = await startTestService();
  await store(service, 'small', SMALL_CLUSTER, '&source=cron');
  await store(service, 'small', SMALL_CLUSTER.slice(1), '&allowRemovals=true');
  await store(service, 'evicting', [
    node('a', { spec: { taints: [EVICTING] } }),
    node('b', { spec: { taints: [EVICTING], unschedulable: true } }),
    pod('t/leaves', 'a', { tolerations: [LEAVING] }),
    pod('t/goes', 'a', {}),
  ]);
});
afterAll(() => service.close());

const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
  service.request('GET', `/api/v1/clusters/${path}`, undefined, headers);

describe('the overview of a cluster', () => {
  it("has the data of a dashboard's first page in one response", async () => {
    const answer = await get('small/overview?revision=1');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      basis: { cluster: 'small', revision: 1 },
      snapshot: { kind: 'snapshot', source: 'cron' },
      nodes: { total: 5, ready: 5, notReady: 0, unschedulable: 1, tainted: 4 },
      taints: [
        { key: 'gpu', value: 'a100', effect: 'NoSchedule', nodes: 2 },
        { key: 'slow', value: '', effect: 'PreferNoSchedule', nodes: 2 },
        { key: 'gpu', value: 't4', effect: 'NoSchedule', nodes: 1 },
      ],
      distinctTaints: 3,
      pods: {
        total: 7,
        pending: 1,
        unscheduled: 1,
        byPhase: [
          { phase: 'Running', pods: 5 },
          { phase: 'Pending', pods: 1 },
          { phase: 'Succeeded', pods: 1 },
        ],
      },
      unconfirmedNodes: 0,
      objects: [
        { kind: 'Pod', objects: 7 },
        { kind: 'Node', objects: 5 },
      ],
    });
    const resources = answer.at('resources') as { resource: string; allocatable: number; requested: number }[];
    expect(resources).toContainEqual({ resource: 'cpu', allocatable: 20_000, requested: 0 });
    const counts = (await get('small/findings?revision=1')).at('counts');
    expect(answer.at('findings')).toEqual(counts);
  });

  it('is that of the requested revision, with an ETag', async () => {
    const head = await get('small/overview');
    expect([head.at('basis.revision'), head.at('nodes.total')]).toEqual([2, 4]);
    const etag = head.headers.get('etag')!;
    expect((await get('small/overview', { 'if-none-match': etag })).status).toBe(304);
    expect(await get('nowhere/overview')).toMatchObject({ status: 404, json: { code: 'cluster-not-found' } });
  });

  it('is the same in GraphQL', async () => {
    const query =
      '{ cluster(name: "small") { overview(revision: 1) { nodes { total unschedulable } taints { key nodes } objects { kind objects } } } }';
    const answer = await service.graphql(query);
    const { nodes, taints, objects } = (await get('small/overview?revision=1')).json as {
      nodes: { total: number; unschedulable: number };
      taints: { key: string; nodes: number }[];
      objects: object[];
    };
    expect(answer.at('data.cluster.overview')).toEqual({
      nodes: { total: nodes.total, unschedulable: nodes.unschedulable },
      taints: taints.map((taint) => ({ key: taint.key, nodes: taint.nodes })),
      objects,
    });
  });
});

interface Names {
  readonly shared: number[];
  readonly rest: string[];
}

interface Matrix {
  readonly taints: { text: string }[];
  readonly nodeGroups: { taints: number[]; nodes: number; names: { shared: number[]; rest: string[] } }[];
  readonly podGroups: {
    tolerations: { text: string }[];
    pods: number;
    workloads: number;
    cells: number[];
    tolerating: number[] | null;
    members: { names: Names; pods: number[] } | null;
  }[];
  readonly outcomes: { verdict: string; taints: number[]; tolerationSeconds: number | null; refusesNew: boolean }[];
}

const namesOf = ({ shared, rest }: { shared: number[]; rest: string[] }): string[] =>
  rest.reduce<string[]>((names, end, at) => [...names, (names.at(-1) ?? '').slice(0, shared[at]) + end], []);

/** Cell by cell as text: tolerations on nodes, the verdict and its taints. */
const cellsOf = ({ taints, nodeGroups, podGroups, outcomes }: Matrix): string[] =>
  podGroups.flatMap(({ tolerations, cells }) =>
    cells.map((place, column) => {
      const { verdict, taints: places, tolerationSeconds, refusesNew } = outcomes[place]!;
      const who = tolerations.map(({ text }) => text).join(' ') || 'none';
      const where = namesOf(nodeGroups[column]!.names).join(' ');
      const why = places.map((at) => taints[at]!.text).join(' ');
      return `${who} on ${where}: ${[verdict, why, tolerationSeconds, refusesNew && 'refuses new'].filter((part) => part !== '' && part !== null && part !== false).join(', ')}`;
    }),
  );

describe('the node matrix', () => {
  it('has a verdict for each group of pods and of nodes, with the deciding taint', async () => {
    const answer = await get('small/node-matrix?revision=1');
    expect(answer.status).toBe(200);
    const matrix = answer.json as Matrix;
    const groups = matrix.nodeGroups.map(({ nodes, names }) => [nodes, namesOf(names).join(' ')]);
    expect(groups).toEqual([
      [2, 'b e'],
      [1, 'a'],
      [1, 'c'],
      [1, 'd'],
    ]);
    const none = cellsOf(matrix).filter((cell) => cell.startsWith('none'));
    expect(none).toEqual([
      'none on b e: refused, gpu=a100:NoSchedule, refuses new',
      'none on a: allowed',
      'none on c: refused, gpu=t4:NoSchedule, refuses new',
      'none on d: refused, node.kubernetes.io/unschedulable:NoSchedule, refuses new',
    ]);
    const all = matrix.podGroups.find(({ tolerations, pods }) => pods === 1 && tolerations.length === 1)!;
    expect(all.cells).toHaveLength(4);
  });

  it('shows which pods would be evicted and when, and which are discouraged', async () => {
    const evicting = (await get('evicting/node-matrix')).json as Matrix;
    const cells = cellsOf(evicting).map((cell) =>
      cell.replace(/^\S.* on/, (who) => (who === 'none on' ? who : 'some on')),
    );
    expect(cells.sort()).toEqual([
      'none on a: evicted, maintenance:NoExecute, 0, refuses new',
      'none on b: evicted, maintenance:NoExecute, 0, refuses new',
      'some on a: evicted, maintenance:NoExecute, 60',
      'some on b: evicted, maintenance:NoExecute, 60, refuses new',
    ]);
    await store(service, 'soft', [
      node('s', { spec: { taints: [{ key: 'slow', effect: 'PreferNoSchedule' }] } }),
      pod('t/p', 's', {}),
    ]);
    const soft = (await get('soft/node-matrix')).json as Matrix;
    expect(cellsOf(soft)).toEqual(['none on s: discouraged, slow:PreferNoSchedule']);
  });

  it('agrees with the pods that each node allows', async () => {
    const matrix = (await get('small/node-matrix?revision=1')).json as Matrix;
    for (const [column, { names }] of matrix.nodeGroups.entries()) {
      const [name = ''] = namesOf(names);
      const allowed = (await get(`small/nodes/${name}/pods-allowed?revision=1`)).at('pods') as { allowed: number };
      const may = matrix.podGroups.filter(({ cells }) => !matrix.outcomes[cells[column]!]!.refusesNew);
      expect({ name, pods: may.reduce((sum, { pods }) => sum + pods, 0) }).toEqual({ name, pods: allowed.allowed });
    }
  });

  it('can be limited to nodes and to a namespace', async () => {
    const matrix = (await get('small/node-matrix?revision=1&labelSelector=pool%3Dgpu&namespace=t')).json as Matrix;
    expect(matrix.nodeGroups.flatMap(({ names }) => namesOf(names))).toEqual(['b', 'e', 'c']);
    expect(matrix.podGroups.map(({ pods, workloads }) => [pods, workloads])).toEqual([
      [2, 1],
      [1, 1],
    ]);
    expect(await get('small/node-matrix?labelSelector=a%20b%20c')).toMatchObject({ status: 400 });
  });

  it('names every workload, and the toleration that matches each taint, if asked to', async () => {
    await store(service, 'detailed', [
      node('n', {
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'b', effect: 'NoExecute' },
          ],
        },
      }),
      pod('t/one', 'n', {
        tolerations: [
          { key: 'x', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      }),
      pod('t/two', 'n', {
        tolerations: [
          { key: 'x', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      }),
      pod('t/all', 'n', { tolerations: [{ operator: 'Exists' }] }),
    ]);
    const { taints, podGroups } = (await get('detailed/node-matrix?details=true')).json as Matrix;
    expect(taints.map(({ text }) => text)).toEqual(['a:NoSchedule', 'b:NoExecute']);
    const found = podGroups.map(({ members, tolerating }) => [namesOf(members!.names), members!.pods, tolerating]);
    expect(found).toEqual([
      [
        ['t/Pod/one', 't/Pod/two'],
        [1, 1],
        [-1, 1],
      ],
      [['t/Pod/all'], [1], [0, 0]],
    ]);
    const brief = (await get('detailed/node-matrix')).json as Matrix;
    expect(brief.podGroups.map(({ members, tolerating }) => [members, tolerating])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('is the same in GraphQL', async () => {
    const query =
      '{ cluster(name: "small") { nodeMatrix(revision: 1) { nodeGroups { nodes names { shared rest } } podGroups { pods cells } outcomes { verdict taints } } } }';
    const { nodeGroups, podGroups, outcomes } = (await get('small/node-matrix?revision=1')).json as Matrix;
    expect((await service.graphql(query)).at('data.cluster.nodeMatrix')).toEqual({
      nodeGroups: nodeGroups.map(({ nodes, names }) => ({ nodes, names })),
      podGroups: podGroups.map(({ pods, cells }) => ({ pods, cells })),
      outcomes: outcomes.map(({ verdict, taints }) => ({ verdict, taints })),
    });
  });

  it('takes less than 30 KB on the wire for 5,000 nodes, and refuses too many cells', async () => {
    const taints = (index: number): object[] => [{ key: 'pool', value: `p${index % 40}`, effect: 'NoSchedule' }];
    // An odd factor makes 5,000 distinct numbers of 16 bits.
    const name = (index: number): string => {
      const host = (index * 40_503) % 65_536;
      return `ip-10-0-${host >> 8}-${host % 256}.eu-west-1.compute.internal`;
    };
    const nodes = Array.from({ length: 5000 }, (_, index) => node(name(index), { spec: { taints: taints(index) } }));
    const pods = Array.from({ length: 200 }, (_, index) =>
      pod(`t/p${index}`, '', {
        tolerations: [{ key: 'pool', operator: 'Equal', value: `p${index}`, effect: 'NoSchedule' }],
      }),
    );
    await store(service, 'large', [...nodes, ...pods]);
    const response = await fetch(`${service.url}/api/v1/clusters/large/node-matrix`);
    const matrix = (await response.json()) as Matrix;
    expect(new Set(matrix.nodeGroups.flatMap(({ names }) => namesOf(names))).size).toBe(5000);
    const sizes = [gzipSync, brotliCompressSync].map((compress) => compress(JSON.stringify(matrix)).length);
    expect(Math.max(...sizes)).toBeLessThan(30_000);

    const own = Array.from({ length: 600 }, (_, index) => [
      node(`n${index}`, { spec: { taints: [{ key: `k${index}`, effect: 'NoSchedule' }] } }),
      pod(`t/p${index}`, '', { tolerations: [{ key: `k${index}`, operator: 'Exists' }] }),
    ]);
    await store(service, 'scattered', own.flat());
    const refused = await get('scattered/node-matrix');
    expect(refused).toMatchObject({ status: 422, json: { code: 'answer-too-large' } });
    expect(refused.at('detail')).toContain('360000 cells');
  });
});
