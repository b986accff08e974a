import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (const cluster of ['one', 'two']) {
    const path = `/api/v1/clusters/${cluster}/snapshots?createCluster=true`;
    expect((await send(service, path, list(OBJECTS))).status).toBe(201);
  }
});
afterAll(() => service.close());

const labelled = (name: string, pool: string, cpu: string): object => ({
  ...node(name),
  metadata: { name, labels: { pool, 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu, memory: '16Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
});
const asking = (cpu: string, more: object = {}): object => ({
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, ...more }, limits: more } }],
});
const OWNER = { kind: 'ReplicaSet', name: 'web' };

/** a: 2 of 2 CPUs taken by d/web and d/alone; b: nothing taken of 2. */
const OBJECTS = [
  labelled('a', 'plain', '2'),
  labelled('b', 'plain', '2'),
  { ...pod('d/web', 'a', asking('1'), OWNER), status: { phase: 'Running' } },
  { ...pod('d/alone', 'a', asking('1')), status: { phase: 'Running' } },
];

const ONE = '/api/v1/clusters/one';
const manifest = (spec: object, name = 'asked'): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec,
});
const GPU_POOL = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'gpu', labels: { pool: 'gpu' } },
  spec: { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] },
  status: { capacity: { cpu: '8', memory: '32Gi', pods: '110', 'nvidia.com/gpu': '4' } },
};

const scenarioOf = (...changes: object[]): object => ({ changes });
const inQuery = (scenario: object): string => `scenario=${encodeURIComponent(JSON.stringify(scenario))}`;
const get = (path: string, scenario: object): Promise<Answer> =>
  service.request('GET', `${path}${path.includes('?') ? '&' : '?'}${inQuery(scenario)}`);

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const got = await answer;
  if (got.status !== 200) throw new Error(got.text);
  return got;
}

/** The nodes that can take a pod, by name. */
async function feasible(spec: object, scenario?: object): Promise<string> {
  const body = {
    pod: manifest(spec),
    view: 'nodes',
    verdict: 'feasible',
    ...(scenario === undefined ? {} : { scenario }),
  };
  const answer = await ok(service.request('POST', `${ONE}/placements`, body));
  return (answer.at('items') as { node: string }[]).map((one) => one.node).join(' ');
}

describe('a placement in a scenario', () => {
  const small = asking('500m');
  const gpu = { ...asking('1', { 'nvidia.com/gpu': 1 }), tolerations: [{ operator: 'Exists' }] };
  const cases: readonly [string, object, object, string][] = [
    ['a taint keeps it off', small, scenarioOf({ editNodes: { nodes: ['b'], taints: ['k=v:NoSchedule'] } }), ''],
    [
      'what a change sets, a later one takes away',
      small,
      scenarioOf(
        { editNodes: { allNodes: true, taints: ['k=v:NoSchedule'] } },
        { editNodes: { labelSelector: 'pool=plain', taints: ['k-'] } },
      ),
      'b',
    ],
    ['a cordon keeps it off', small, scenarioOf({ editNodes: { nodes: ['b'], unschedulable: true } }), ''],
    [
      'a label draws it',
      { ...small, nodeSelector: { tier: 'x' } },
      scenarioOf({ editNodes: { nodes: ['b'], labels: ['tier=x'] } }),
      'b',
    ],
    ['nodes of a template take it', gpu, scenarioOf({ addNodes: { node: GPU_POOL, count: 2 } }), 'gpu-0001 gpu-0002'],
    [
      'a node like another takes it',
      small,
      scenarioOf({ addNodes: { like: 'b', name: 'c', taints: [], labels: { zone: 'z' } } }),
      'b c',
    ],
    ['a node is gone', small, scenarioOf({ removeNodes: { nodes: ['b'] } }), ''],
    [
      'a node is larger, and another smaller',
      small,
      scenarioOf(
        { resizeNodes: { nodes: ['a'], allocatable: { cpu: 4 } } },
        { resizeNodes: { nodes: ['b'], allocatable: { cpu: '100m' } } },
      ),
      'a',
    ],
    [
      'pods fill a node',
      small,
      scenarioOf({ addPods: { pod: manifest(asking('1'), 'filler'), count: 2, nodeName: 'b' } }),
      '',
    ],
    ['pods like another fill a node', small, scenarioOf({ addPods: { like: 'd/alone', count: 3, nodeName: 'b' } }), ''],
    ['a pod goes, and frees its node', small, scenarioOf({ removePods: { pods: ['d/alone'] } }), 'a b'],
    [
      'a pod moves, and frees its node',
      asking('1500m'),
      scenarioOf({ movePods: { namespace: 'd', labelSelector: '', nodeName: 'b' } }),
      'a',
    ],
    ['pods are taken off their nodes', asking('2'), scenarioOf({ movePods: { namespace: 'd', pending: true } }), 'a b'],
  ];
  it.each(cases)('%s', async (_, spec, scenario, expected) => {
    expect(await feasible(spec, scenario)).toBe(expected);
  });

  it('works for a stored pod, in a batch, and in every cluster', async () => {
    const scenario = scenarioOf({ editNodes: { nodes: ['b'], taints: ['k=v:NoSchedule'] } });
    const stored = await ok(get(`${ONE}/pods/d/web/placement?view=nodes&verdict=feasible`, scenario));
    expect((stored.at('items') as { node: string }[]).map((one) => one.node)).toEqual(['a']);
    const item = { id: 'x', pod: manifest(small) };
    const batch = await ok(service.request('POST', `${ONE}/placements/batch`, { items: [item], scenario }));
    expect(batch.at('items.0.placement.summary.feasible')).toBe(0);
    expect(batch.at('basis.scenario.changes')).toBe(1);
    const across = await ok(service.request('POST', '/api/v1/placements', { pod: manifest(small), scenario }));
    expect([across.at('items.0.placement.summary.feasible'), across.at('items.1.placement.summary.feasible')]).toEqual([
      0, 0,
    ]);
  });
});

describe('reads of a scenario', () => {
  const scenario = scenarioOf(
    { addNodes: { node: GPU_POOL, names: ['g1', 'g2', 'g3'] } },
    { removeNodes: { nodes: ['a'] } },
    {
      addPods: {
        pod: manifest({ ...asking('1'), tolerations: [{ key: 'nvidia.com/gpus', operator: 'Exists' }] }, 'new'),
        count: 3,
      },
    },
  );

  it('name the scenario in their basis', async () => {
    const answer = await ok(get(`${ONE}/nodes`, scenario));
    expect(answer.at('basis.revision')).toBe(1);
    expect(answer.at('basis.scenario')).toEqual({
      changes: 3,
      hash: expect.stringMatching(/^[\w-]{22}$/),
      nodes: { added: 3, removed: 1, changed: 0 },
      pods: { added: 3, removed: 1, changed: 1 },
      notes: [
        'scenario.changes[1].removeNodes: pods that become pending with the same names, because their controllers would replace them: 1',
        'scenario.changes[1].removeNodes: pods without a controller that would replace them, which are deleted with their nodes: 1',
      ],
    });
    expect((await service.request('GET', `${ONE}/nodes`)).at('basis.scenario')).toBeNull();
  });

  it('cover nodes and pods, single and listed, page by page', async () => {
    const names = (answer: Answer): string =>
      (answer.at('items') as { name: string }[]).map(({ name }) => name).join(' ');
    const first = await ok(get(`${ONE}/nodes?limit=2`, scenario));
    expect(names(first)).toBe('b g1');
    const next = `${ONE}/nodes?limit=2&continue=${String(first.at('continue'))}`;
    expect(names(await ok(get(next, scenario)))).toBe('g2 g3');
    for (const other of [service.request('GET', next), get(next, scenarioOf({ removeNodes: { nodes: ['b'] } }))]) {
      expect((await other).at('code')).toBe('invalid-continue-token');
    }
    expect((await ok(get(`${ONE}/nodes/g3`, scenario))).at('node.allocatable')).toMatchObject({
      'nvidia.com/gpu': '4',
    });
    expect((await get(`${ONE}/nodes/a`, scenario)).at('code')).toBe('object-not-found');
    expect(names(await ok(get(`${ONE}/pods`, scenario)))).toBe('web new-0001 new-0002 new-0003');
    expect((await ok(get(`${ONE}/pods/d/web`, scenario))).at('pod.node')).toBeNull();
    const searched = await ok(service.request('POST', `${ONE}/nodes/search`, { pod: manifest(asking('1')), scenario }));
    expect(names(searched)).toBe('g1 g2 g3');
  });

  it('cover taints, tolerations, allowed pods and findings', async () => {
    expect((await ok(get(`${ONE}/taints`, scenario))).at('items.0')).toMatchObject({ key: 'nvidia.com/gpu', nodes: 3 });
    expect((await ok(get(`${ONE}/taint-sets`, scenario))).at('items.0')).toMatchObject({ nodes: 3 });
    expect((await ok(get(`${ONE}/toleration-sets`, scenario))).at('items.0')).toMatchObject({ pods: 3 });
    expect((await ok(get(`${ONE}/nodes/g1/pods-allowed`, scenario))).at('pods')).toMatchObject({ allowed: 0 });
    const allowed = { taints: ['nvidia.com/gpus=x:NoSchedule'], scenario };
    expect((await ok(service.request('POST', `${ONE}/pods-allowed`, allowed))).at('pods')).toMatchObject({
      allowed: 3,
    });
    const findings = await ok(get(`${ONE}/findings?view=findings&code=unmatched-toleration`, scenario));
    expect(findings.at('items.0.message')).toContain('nvidia.com/gpu');
    expect((await ok(service.request('GET', `${ONE}/findings?code=unmatched-toleration`))).at('items')).toEqual([]);
    const judged = {
      manifest: manifest({ ...asking('1'), tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] }),
    };
    const unmatched = async (body: object): Promise<boolean> =>
      ((await ok(service.request('POST', `${ONE}/findings`, body))).at('findings') as { code: string }[]).some(
        ({ code }) => code === 'unmatched-toleration',
      );
    expect([await unmatched(judged), await unmatched({ ...judged, scenario })]).toEqual([true, false]);
    const across = await ok(get('/api/v1/taints', scenario));
    expect(across.at('items.1.result.items.0.key')).toBe('nvidia.com/gpu');
  });

  it('cover the difference from the stored state', async () => {
    const found = await ok(get(`${ONE}/diff`, scenario));
    expect(found.at('from.revision')).toBe(1);
    expect(found.at('basis.scenario.changes')).toBe(3);
    expect(found.at('summary')).toMatchObject({
      nodes: { added: 3, removed: 1, changed: 0 },
      pods: { before: 2, after: 4, added: 3, removed: 1, moved: 1 },
    });
    const edited = await ok(
      get(`${ONE}/diff`, scenarioOf({ editNodes: { nodes: ['b'], taints: ['k=v:NoSchedule'] } })),
    );
    expect(edited.at('nodes')).toMatchObject([{ node: 'b', taintsAdded: ['k=v:NoSchedule'] }]);
  });
});

describe('a scenario over GraphQL', () => {
  const scenario = scenarioOf(
    { addNodes: { like: 'b', count: 1 } },
    { movePods: { pods: ['d/web'], nodeName: 'b-0001' } },
  );

  it('applies to every field, and to nested fields', async () => {
    const answer = await service.graphql(
      `query ($scenario: ScenarioInput!, $pod: KubernetesObject!) {
        cluster(name: "one") {
          nodes(scenario: $scenario, labelSelector: "pool=plain") {
            basis { scenario { changes hash nodes { added } } }
            nodes { name pods { nodes { name boundNode { name } } } }
          }
          node(scenario: $scenario, name: "b-0001") { pods { nodes { name } } }
          pod(scenario: $scenario, namespace: "d", name: "web") { boundNode { name } }
          taintSets(scenario: $scenario) { nodes { nodes } }
          podsAllowed(scenario: $scenario, input: { node: "b-0001" }) { pods { allowed } }
          findings(scenario: $scenario) { counts { error } }
          diff(scenario: $scenario) { from { revision } nodes { nodes { node change } } summary { pods { moved } } }
        }
        placement(cluster: "one", scenario: $scenario, input: { pod: $pod }) { summary { feasible } }
        placements(cluster: "one", scenario: $scenario, input: { items: [{ id: "x", pod: $pod }] }) { items { placement { summary { feasible } } } }
        placementsAcross(scenario: $scenario, input: { pod: $pod }) { nodes { placement { summary { feasible } } } }
        taints(scenario: $scenario) { nodes { taints { basis { scenario { changes } } } } }
      }`,
      { scenario, pod: manifest(asking('1')) },
    );
    expect(answer.at('errors')).toBeUndefined();
    const rest = await ok(get(`${ONE}/nodes`, scenario));
    const moved = { name: 'web', boundNode: { name: 'b-0001' } };
    expect(answer.at('data')).toEqual({
      cluster: {
        nodes: {
          basis: { scenario: { changes: 2, hash: rest.at('basis.scenario.hash'), nodes: { added: 1 } } },
          nodes: [
            { name: 'a', pods: { nodes: [{ name: 'alone', boundNode: { name: 'a' } }] } },
            { name: 'b', pods: { nodes: [] } },
            { name: 'b-0001', pods: { nodes: [moved] } },
          ],
        },
        node: { pods: { nodes: [{ name: 'web' }] } },
        pod: { boundNode: { name: 'b-0001' } },
        taintSets: { nodes: [{ nodes: 3 }] },
        podsAllowed: { pods: { allowed: 2 } },
        findings: { counts: { error: 0 } },
        diff: {
          from: { revision: 1 },
          nodes: { nodes: [{ node: 'b-0001', change: 'added' }] },
          summary: { pods: { moved: 1 } },
        },
      },
      placement: { summary: { feasible: 3 } },
      placements: { items: [{ placement: { summary: { feasible: 3 } } }] },
      placementsAcross: {
        nodes: [{ placement: { summary: { feasible: 3 } } }, { placement: { summary: { feasible: 3 } } }],
      },
      taints: {
        nodes: [
          { taints: { basis: { scenario: { changes: 2 } } } },
          { taints: { basis: { scenario: { changes: 2 } } } },
        ],
      },
    });
  });

  it('is refused if it is invalid', async () => {
    const bad = scenarioOf({ removeNodes: { nodes: ['x', 'y'] } });
    const query =
      'query ($scenario: ScenarioInput!) { cluster(name: "one") { nodes(scenario: $scenario) { totalCount } } }';
    const answer = await service.graphql(query, { scenario: bad });
    const rest = await get(`${ONE}/nodes`, bad);
    expect(answer.at('errors.0.extensions.code')).toBe('invalid-scenario');
    expect(answer.at('errors.0.extensions.errors')).toEqual(rest.at('errors'));
  });
});

describe('invalid scenarios', () => {
  it('name all errors of all changes, in kubectl’s words and with their pointers', async () => {
    const scenario = scenarioOf(
      { editNodes: { nodes: ['a', 'x'], taints: ['k:Never'] } },
      { addNodes: { like: 'a', names: ['b'] } },
      {},
      { removePods: { pods: ['d/web'] }, movePods: { pods: ['d/web'], pending: true } },
      { addPods: { pod: manifest({ containers: [{ name: 'c', resources: { requests: { cpu: '-1' } } }] }) } },
      { addPods: { like: 'alone' } },
      { addPods: { like: 'd/alone', pod: manifest(asking('1')) } },
      { addPods: { like: 'd/gone' } },
    );
    const expected = [
      ['/scenario/changes/0/editNodes/taints/0', 'invalid taint effect: Never, unsupported taint effect'],
      ['/scenario/changes/0/editNodes/nodes/1', 'nodes "x" not found'],
      ['/scenario/changes/1/addNodes/names/0', 'nodes "b" already exists'],
      ['/scenario/changes/2', 'specify exactly one of editNodes, addNodes,'],
      ['/scenario/changes/3', 'specify exactly one of editNodes, addNodes,'],
      [
        '/scenario/changes/4/addPods/pod/spec/containers/0/resources/requests/cpu',
        'must be greater than or equal to 0',
      ],
      ['/scenario/changes/5/addPods/like', 'must be namespace/name'],
      ['/scenario/changes/6/addPods', 'specify either pod (a manifest) or like (namespace/name of a pod)'],
    ];
    for (const answer of [
      await get(`${ONE}/nodes`, scenario),
      await service.request('POST', `${ONE}/placements`, { pod: manifest(asking('1')), scenario }),
    ]) {
      expect([answer.status, answer.at('code')]).toEqual([422, 'invalid-scenario']);
      const errors = answer.at('errors') as { pointer: string; message: string }[];
      expect(errors.map(({ pointer }) => pointer)).toEqual(expected.map(([pointer]) => pointer));
      errors.forEach(({ message }, index) => expect(message).toContain(expected[index]![1]!));
    }
  });

  it('with an invalid envelope are refused with all other errors of the request', async () => {
    const scenario = scenarioOf(
      { editNodes: { node: ['a'], overwrite: 'yes' } },
      { addNodes: { count: 0 }, drain: {} },
    );
    const faults = [
      '/scenario/changes/0/editNodes/node',
      '/scenario/changes/0/editNodes/overwrite',
      '/scenario/changes/1/addNodes/count',
      '/scenario/changes/1/drain',
    ];
    const posted = await service.request('POST', `${ONE}/placements`, { scenario, detail: 'much', pod: manifest({}) });
    expect([posted.status, posted.at('code')]).toEqual([400, 'invalid-request']);
    const pointersOf = (answer: Answer): string[] =>
      (answer.at('errors') as { pointer?: string }[]).flatMap(({ pointer }) => pointer ?? []).sort();
    expect(pointersOf(posted)).toEqual(['/detail', ...faults]);
    const got = await get(`${ONE}/nodes?limits=3`, scenario);
    expect([got.status, got.at('code')]).toEqual([400, 'invalid-request']);
    expect(pointersOf(got)).toEqual(faults);
    expect((got.at('errors') as { field: string }[]).map(({ field }) => field)).toContain('limits');
    const both = await service.request('POST', `${ONE}/placements?${inQuery(scenarioOf())}`, { pod: manifest({}) });
    expect(both.at('errors.0.code')).toBe('unknown-parameter');
  });

  it.each([
    ['is no JSON', '{"changes":', 'malformed-json'],
    ['says one member twice', '{"changes":[],"changes":[]}', 'malformed-json'],
    ['is no object', '7', 'isObject'],
    ['has no changes', '{}', 'required'],
    ['is longer than a parameter may be', JSON.stringify({ changes: [], x: 'x'.repeat(32 * 1024) }), 'maxLength'],
  ])('in a query are refused: one that %s', async (_, text, code) => {
    const answer = await service.request('GET', `${ONE}/nodes?scenario=${encodeURIComponent(text)}`);
    expect([answer.status, answer.at('errors.0.code')]).toEqual([400, code]);
  });

  it('are refused if they are too large', async () => {
    const many = scenarioOf(...Array.from({ length: 1001 }, () => ({ removePods: { namespace: 'none' } })));
    const large = scenarioOf({ addPods: { pod: manifest(asking('1')), count: 20_001 } });
    for (const scenario of [many, large]) {
      const answer = await service.request('POST', `${ONE}/placements`, { pod: manifest({}), scenario });
      expect([answer.status, answer.at('errors.0.code')]).toEqual([422, 'scenario-too-large']);
    }
  });

  it('may have the documented length in a query', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `a-name-that-is-rather-long-for-a-node-${i}`);
    const answer = await ok(get(`${ONE}/nodes?limit=1`, scenarioOf({ addNodes: { like: 'a', names } })));
    expect(answer.at('basis.scenario.nodes.added')).toBe(500);
  });
});

describe('a scenario is not stored', () => {
  afterEach(async () => {
    expect((await service.request('GET', `${ONE}/snapshots`)).at('items')).toHaveLength(1);
  });

  it('and the state without it is unchanged', async () => {
    const before = (await service.request('GET', `${ONE}/nodes`)).at('items');
    const scenario = scenarioOf(
      { editNodes: { allNodes: true, taints: ['k=v:NoExecute'], labels: ['x=y'] } },
      { addPods: { pod: manifest(asking('1'), 'filler'), count: 2, nodeName: 'b' } },
      { removeNodes: { nodes: ['a'] } },
    );
    expect(await feasible(asking('500m'), scenario)).toBe('');
    expect(await feasible(asking('500m'))).toBe('b');
    expect((await service.request('GET', `${ONE}/nodes`)).at('items')).toEqual(before);
    expect((await service.request('GET', `${ONE}/pods`)).at('items')).toHaveLength(2);
  });
});
