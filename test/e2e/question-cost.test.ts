import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { processorTime } from '../support/processor-time.js';

const NODES = 1200;
const AT = '/api/v1/clusters/wide';

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const entries = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(many(count, (index) => [`example.com/r${index}`, value]));
const podOf = (spec: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT: '0' });
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'd' } },
    ...many(NODES, (index) => node(`n${String(index).padStart(4, '0')}`)),
    pod('d/x', 'n0001'),
  ];
  expect((await send(service, `${AT}/snapshots?createCluster=true`, list(objects))).status).toBe(201);
});
afterAll(() => service.close());

const ask = (path: string, body: object): Promise<Answer> => service.request('POST', `${AT}/${path}`, body);

const LARGE: readonly (readonly [what: string, manifest: object, field: string])[] = [
  [
    'extended resources',
    podOf({ containers: [{ name: 'c', image: 'i', resources: { requests: entries(20_000, '1') } }] }),
    'spec.containers[0].resources.requests',
  ],
  [
    'distinct resources in many containers',
    podOf({
      containers: many(20, (c) => ({
        name: `c${c}`,
        image: 'i',
        resources: { requests: Object.fromEntries(many(50, (r) => [`example.com/c${c}-r${r}`, '1'])) },
      })),
    }),
    'spec.containers',
  ],
  [
    'tolerations',
    podOf({ tolerations: many(9000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
    'spec.tolerations',
  ],
  [
    'volumes',
    podOf({ volumes: many(9000, (i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName: `c${i}` } })) }),
    'spec.volumes',
  ],
  ['containers', podOf({ containers: many(8000, (i) => ({ name: `c${i}`, image: 'i' })) }), 'spec.containers'],
  [
    'preferred terms',
    podOf({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: many(10_000, (i) => ({
            weight: 1,
            preference: { matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] },
          })),
        },
      },
    }),
    'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution',
  ],
  [
    'spread constraints',
    podOf({
      topologySpreadConstraints: many(500, (i) => ({
        topologyKey: `k${i}`,
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
      })),
    }),
    'spec.topologySpreadConstraints',
  ],
  ['labels', podOf({}, { labels: entries(5000, 'v') }), 'metadata.labels'],
  [
    'ports',
    podOf({ containers: [{ name: 'c', image: 'i', ports: many(5000, (i) => ({ containerPort: i + 1 })) }] }),
    'spec.containers[0].ports',
  ],
];

describe('a manifest with more of something than any real one', () => {
  it.each(LARGE)('is refused by every question, naming the field: %s', async (_, manifest, field) => {
    const scenario = { changes: [{ addPods: { pod: manifest } }] };
    const questions: readonly (readonly [string, object])[] = [
      ['placements', { pod: manifest }],
      ['queue-runs', { pods: [{ id: 'a', pod: manifest }] }],
      ['capacities', { pod: manifest }],
      ['preemptions', { pod: manifest }],
      ['nodes/search', { pod: manifest }],
      ['pod-resources', { pod: manifest }],
      ['placement-comparisons', { against: { scenario } }],
    ];
    for (const [path, body] of questions) {
      const answer = await ask(path, body);
      expect([path, answer.status]).toEqual([path, 422]);
      const errors = answer.at('errors') as { code: string; field: string }[];
      expect(errors.map(({ code }) => code)).toContain('FieldValueTooMany');
      expect(errors.some((error) => error.field.endsWith(field))).toBe(true);
    }
    for (const path of ['admission-reviews', 'quota-reviews', 'placements/batch']) {
      const body = path === 'admission-reviews' ? { pod: manifest } : { items: [{ id: 'a', pod: manifest }] };
      const answer = await ask(path, body);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('Too many: ');
    }
    const found = await ask('findings', { manifest });
    expect([found.status, found.at('findings.0.code'), found.at('findings.0.field')]).toEqual([
      200,
      'refused-by-api-server',
      field,
    ]);
  });
});

describe('a change of taints', () => {
  const words = (count: number): string[] => many(count, (i) => `k${i}=v:NoSchedule`);

  it('names at most 100 taints', async () => {
    for (const [path, body, status] of [
      ['taint-changes', { allNodes: true, dryRun: true, taints: words(101) }, 400],
      [
        'placements',
        { pod: podOf({}), scenario: { changes: [{ editNodes: { allNodes: true, taints: words(101) } }] } },
        422,
      ],
    ] as const) {
      const answer = await ask(path, body);
      expect([answer.status, answer.at('errors.0.code')]).toEqual([status, 'too-many-edits']);
    }
  });

  it('names at most 100 labels', async () => {
    const labels = Object.fromEntries(many(50_000, (i) => [`k${i}`, 'v']));
    const answer = await ask('placements', {
      pod: podOf({}),
      scenario: { changes: [{ editNodes: { allNodes: true, labels } }] },
    });
    expect([answer.status, answer.at('errors.0.code')]).toEqual([422, 'too-many-edits']);
  });

  it('is refused if it makes too many edits over its nodes', async () => {
    const answer = await ask('taint-changes', { allNodes: true, dryRun: true, taints: words(100) });
    expect([answer.status, answer.at('code')]).toEqual([422, 'budget-exceeded']);
    expect(answer.at('detail')).toContain(`${101 * NODES} edits and taints on ${NODES} nodes; at most 100000`);
  });

  it('shows 1,000 nodes in full and counts the others, in REST and GraphQL', async () => {
    const input = { allNodes: true, dryRun: true, taints: ['k=v:NoSchedule'] };
    const answer = await ask('taint-changes', input);
    expect([answer.status, (answer.at('nodes') as unknown[]).length, answer.at('nodesOmitted')]).toEqual([
      200,
      1000,
      NODES - 1000,
    ]);
    const query = `mutation ($i: TaintChangeInput!) {
      changeTaints(input: $i) { nodesOmitted nodes { node } } }`;
    const graphql = await service.graphql(query, { i: { cluster: 'wide', ...input } });
    expect([graphql.at('errors'), graphql.at('data.changeTaints.nodesOmitted')]).toEqual([undefined, NODES - 1000]);
  });

  it('lists the nodes that refuse it first', async () => {
    const nodes = [...many(NODES, (index) => `n${String(index).padStart(4, '0')}`), 'none'];
    const answer = await ask('taint-changes', { nodes, dryRun: true, perNode: true, taints: ['k=v:NoSchedule'] });
    expect([answer.at('nodes.0.node'), answer.at('nodes.0.outcome')]).toEqual(['none', 'refused']);
  });
});

describe('a scenario', () => {
  it('gives a node at most 1,000 taints', async () => {
    const changes = many(11, (change) => ({
      editNodes: { nodes: ['n0001'], taints: many(100, (i) => `c${change}-${i}=v:NoSchedule`) },
    }));
    const answer = await ask('placements', { pod: podOf({}), scenario: { changes } });
    expect([answer.status, answer.at('errors.0.code')]).toEqual([422, 'too-many-taints']);
  });

  it('with thousands of quotas is evaluated in good time', async () => {
    const quota = (index: number): object => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'd', name: `q${index}` },
      spec: { hard: { pods: '9' } },
    });
    const changes = many(3, (change) => ({ putObjects: { objects: many(1000, (i) => quota(change * 1000 + i)) } }));
    const used = processorTime();
    const answer = await ask('quota-reviews', { items: [{ id: 'a', pod: podOf({}) }], scenario: { changes } });
    expect(answer.status).toBe(200);
    expect(used()).toBeLessThan(10);
  });
});

describe('a response', () => {
  it('to a batch has no more reasons than one page', async () => {
    const items = many(1000, (index) => ({
      id: `${index}`,
      detail: 'nodes',
      pod: podOf({ nodeSelector: { a: `${index}` } }),
    }));
    const answer = await ask('placements/batch', { items });
    expect(answer.text.length).toBeLessThan(64 * 1024 * 1024);
    const codes = answer.status === 200 ? [answer.at('items.999.error.code')] : [answer.at('code')];
    expect(['budget-exceeded', 'answer-too-large']).toContain(codes[0]);
  });
});

describe('queued questions of a caller', () => {
  it('do not delay plain reads', async () => {
    const pods = many(20, (index) => ({ id: `${index}`, pod: podOf({}), replicas: 50 }));
    const running = many(40, (seed) => ask('queue-runs', { pods, seed: 1000 + seed }));
    let answered = 0;
    for (const each of running) void each.then(() => answered++);
    expect((await service.request('GET', `${AT}/nodes?limit=1`)).status).toBe(200);
    expect(answered).toBeLessThan(40);
    await Promise.all(running);
  });
});
