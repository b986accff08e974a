import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, pod } from '../support/dumps.js';
import { SseReader } from '../support/event-reader.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

/** Values that no API server accepts and that `invalid=keep` stores; each consists of words that occur nowhere else. */
const VALUES = [
  'zebra quokka,numbat',
  `quoll"bilby'dugong`,
  '-taipan-',
  'wombat=koala:emu',
  'gecko\\skink\nmarlin',
  '{dingo: possum}',
  'bandicootü kowari',
  'galah:NoSchedule cassowary',
  'kookaburra'.repeat(20),
];
const FRAGMENTS = VALUES.flatMap((value) => value.match(/[a-z]{3,}/g) ?? []).filter((word) => word !== 'chedule');
const ASKED_AT = '2126-05-04T12:00:00Z';

const taint = (value: string, index: number, effect = 'NoSchedule'): object => ({ key: `k${index}`, value, effect });
const toleration = (value: string, index: number, effect = 'NoSchedule'): object => ({
  key: `k${index}`,
  operator: 'Equal',
  value,
  effect,
});
const CLUSTER = [
  node('plain'),
  ...VALUES.map((value, index) =>
    node(`n${index}`, { spec: { taints: [taint(value, index), taint(value, index, 'NoExecute')] } }),
  ),
  node('odd', { spec: { taints: [{ key: 'a key', value: 'echidna', effect: 'NoSchedule' }] } }),
  ...VALUES.map((value, index) => ({
    ...pod(`d/p${index}`, `n${index}`, {
      tolerations: [toleration(value, index), { ...toleration(value, index, 'NoExecute'), tolerationSeconds: 60 }],
    }),
    status: { phase: 'Running' },
  })),
  {
    ...pod('d/keyless', 'plain', { tolerations: [{ operator: 'Equal', value: 'platypus one' }] }),
    status: { phase: 'Running' },
  },
];
const ALL = [...FRAGMENTS, 'echidna', 'platypus'];
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

const tokens = { open: newToken(), withheld: newToken() };
const AT = '/api/v1/clusters/prod';
let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  const bindings = [
    { subjects: ['token:open'], clusters: ['*'], roles: ['admin'] },
    { subjects: ['token:withheld'], clusters: ['prod'], roles: ['change', 'audit'], taintValues: false },
  ];
  await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: '0' });
  const upload = (query: string, objects: readonly object[]): Promise<Answer> =>
    ask('open', 'POST', `${AT}/snapshots?invalid=keep&${query}`, list(objects));
  expect(
    (await upload('createCluster=true', [...CLUSTER.slice(0, 1), ...VALUES.map((_, index) => node(`n${index}`))]))
      .status,
  ).toBe(201);
  expect((await upload('', CLUSTER)).status).toBe(201);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (name: keyof typeof tokens, method: string, path: string, body?: object | string): Promise<Answer> =>
  service.request(method, path, body, {
    authorization: `Bearer ${tokens[name]}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  });

const leaked = (text: string): string[] => ALL.filter((fragment) => text.includes(fragment));

const READS = [
  'nodes',
  ...VALUES.map((_, index) => `nodes/n${index}`),
  'nodes/odd',
  'nodes/n0/pods-allowed',
  'pods',
  'pods/d/p1',
  'pods/d/keyless',
  'pods/d/p1/resources',
  'taints',
  'taint-sets',
  'toleration-sets',
  'findings?limit=1000',
  'diff?from=1&to=2',
  'diff?from=2&to=1',
  'snapshots/head',
  'pods/d/p0/placement?fixes=true',
  'taint-trail/records?limit=1000',
  ...VALUES.map((_, index) => `taint-trail/nodes/n${index}/history`),
  'taint-trail/fights',
  'nodes/n0/allocation?format=describe',
  'nodes/n1/allocation?format=describe',
  'pods/d/p1/resources?format=describe',
  'metrics',
];
const QUESTIONS: readonly (readonly [path: string, body: object])[] = [
  ['placements', { pod: POD, fixes: true }],
  ['placements/batch', { items: [{ id: 'a', pod: POD, detail: 'nodes' }] }],
  ['nodes/search', { pod: POD }],
  ['queue-runs', { pods: [{ id: 'a', pod: POD }] }],
  ['queue-runs?view=pods', { pods: [{ id: 'a', pod: POD }] }],
  ['capacities', { pod: POD, taints: true }],
  ['capacities?view=nodes', { pod: POD }],
  ['preemptions', { pod: POD }],
  ['eviction-schedules', { asOf: ASKED_AT, landing: true, outages: [{ nodes: ['n0'] }] }],
  [
    'eviction-schedules',
    { asOf: ASKED_AT, scenario: { changes: [{ editNodes: { nodes: ['plain'], taints: ['x:NoExecute'] } }] } },
  ],
  ['eviction-schedules', { view: 'pods', asOf: ASKED_AT, outages: [{ nodes: ['n0'] }] }],
  ['drains', { nodes: ['n0', 'n1'] }],
  ['drains?view=pods', { nodes: ['n0', 'n1'] }],
  [
    'taint-changes',
    { allNodes: true, perNode: true, dryRun: true, taints: ['k0:NoSchedule-', 'k1-', 'k2=other:NoSchedule'] },
  ],
  ['findings', { manifest: POD }],
  ['scenario-impacts', { scenario: { changes: [{ editNodes: { nodes: ['plain'], taints: ['x:NoExecute'] } }] } }],
];

describe('taint values that are not valid label values', () => {
  it.each(READS)('are withheld in: GET %s', async (path) => {
    const withheld = await ask('withheld', 'GET', `${AT}/${path}`);
    expect([withheld.status, leaked(withheld.text)]).toEqual([200, []]);
  });

  const rows = QUESTIONS.map(([path, body], index) => ({ path, body, index }));
  it.each(rows)('are withheld in: POST $path ($index)', async ({ path, body }) => {
    const withheld = await ask('withheld', 'POST', `${AT}/${path}`, body);
    expect([withheld.status, leaked(withheld.text)]).toEqual([200, []]);
  });

  it('are in unmasked responses', async () => {
    for (const path of ['nodes', 'pods', 'taints', 'findings?limit=1000', 'taint-trail/records?limit=1000']) {
      expect(leaked((await ask('open', 'GET', `${AT}/${path}`)).text).length).toBeGreaterThan(5);
    }
  });

  it.each([
    'cluster(name: "prod") { nodes { nodes { t: taints { text } } } }',
    'cluster(name: "prod") { findings(first: 1000) { nodes { message suggestions { text } } } }',
    'cluster(name: "prod") { n: describeNode(node: "n0") m: describeNode(node: "n4") p: describePod(namespace: "d", name: "p1") }',
    'cluster(name: "prod") { diff(from: "1", to: "2") { nodes { nodes { taintsAdded } } } }',
    'taintTrail(cluster: "prod") { records(first: 1000) { nodes { summary } } }',
    'taintTrail(cluster: "prod") { a: record(sequence: 1) { summary } b: record(sequence: 2) { summary } c: record(sequence: 3) { summary } }',
    'taintTrail(cluster: "prod") { a: history(node: "n0") { taints { taint { text } } } b: history(node: "n1") { taints { taint { text } } } }',
    'placement(cluster: "prod", input: { pod: {} }) { nodes(first: 100) { nodes { untoleratedTaints { text } fixes { pod { changes { yaml summary } } } reasons { message } } } }',
  ])('are withheld in GraphQL queries that select only text: %s', async (field) => {
    const query = field.startsWith('placement')
      ? `query ($pod: KubernetesObject!) { ${field.replace('pod: {}', 'pod: $pod')} }`
      : `{ ${field} }`;
    const variables = { pod: POD };
    const open = await ask('open', 'POST', '/graphql', { query, variables });
    const withheld = await ask('withheld', 'POST', '/graphql', { query, variables });
    expect(open.at('errors')).toBeUndefined();
    expect(leaked(open.text).length).toBeGreaterThan(1);
    expect([withheld.at('errors'), leaked(withheld.text)]).toEqual([undefined, []]);
  });

  it('are withheld in changes that are made, stored and reverted', async () => {
    const body = { nodes: ['n0'], reason: 'r', taints: ['k0-'] };
    const made = await ask('withheld', 'POST', `${AT}/taint-changes`, body);
    expect(made.status).toBe(201);
    const id = String(made.at('change.id'));
    const answers = [
      made,
      await ask('withheld', 'GET', `${AT}/taint-changes`),
      await ask('withheld', 'GET', `${AT}/taint-changes/${id}`),
      await ask('withheld', 'POST', `${AT}/taint-changes/${id}/revert`, { dryRun: true }),
      await ask('withheld', 'POST', `${AT}/taint-changes/${id}/revert`, { reason: 'back' }),
      await ask('withheld', 'GET', `${AT}/taint-trail/records?limit=1000`),
    ];
    for (const answer of answers) expect([answer.status < 500, leaked(answer.text)]).toEqual([true, []]);
    for (const fields of [
      'kubectl nodes { message jsonPatch { value } }',
      'nodes { difference { removed { text } } }',
    ]) {
      const query = `{ cluster(name: "prod") { taintChange(id: "${id}") { ${fields} } } }`;
      const graphql = await ask('withheld', 'POST', '/graphql', { query });
      expect([graphql.at('errors'), leaked(graphql.text)]).toEqual([undefined, []]);
    }
  });

  it('are withheld from a follower', async () => {
    const follow = (name: keyof typeof tokens): Promise<SseReader> =>
      SseReader.open(`${service.url}${AT}/events`, { authorization: `Bearer ${tokens[name]}` });
    const [open, withheld] = [await follow('open'), await follow('withheld')];
    const moved = CLUSTER.map((object) =>
      (object as { metadata: { name: string } }).metadata.name === 'plain'
        ? node('plain', { spec: { taints: VALUES.map((value, index) => taint(value, index, 'PreferNoSchedule')) } })
        : object,
    );
    const taken = await ask('open', 'POST', `${AT}/snapshots?invalid=keep`, list(moved));
    expect(taken.status).toBe(201);
    const changed = async (reader: SseReader): Promise<string> => {
      let text = '';
      // The last thing that changes is the node that got every taint.
      while (!text.includes('k8')) text += JSON.stringify(await reader.event());
      return text;
    };
    const [told, masked] = await Promise.all([changed(open), changed(withheld)]);
    open.cut();
    withheld.cut();
    expect(leaked(told).length).toBeGreaterThan(5);
    expect(leaked(masked)).toEqual([]);
  });
});

describe('changes by a caller from whom odd values are withheld', () => {
  const change = (body: object): Promise<Answer> =>
    ask('withheld', 'POST', `${AT}/taint-changes`, { nodes: ['n0', 'n4'], dryRun: true, ...body });
  it.each([
    ['a taint that is added', { taints: ['x=y:NoExecute'] }],
    ['a taint that is there', { taints: ['k0=other:NoSchedule'] }],
    ['a taint that gets another value', { taints: ['k0=other:NoSchedule', 'k4=other:NoExecute'], overwrite: true }],
    ['a taint that is removed', { taints: ['k0-'], perNode: true }],
    ['a cordon', { unschedulable: true }],
  ])('do not tell them: %s', async (_, body) => {
    expect(leaked((await change(body)).text)).toEqual([]);
  });

  it('do not tell them where a pool is declared', async () => {
    const pool = {
      nodes: { matchLabels: { a: 'b' } },
      taints: ['k0=other:NoSchedule'],
      labels: { a: 'b' },
      users: { namespaces: ['d'] },
    };
    const preview = await ask('withheld', 'PUT', `${AT}/pools/p`, { ...pool, dryRun: true });
    expect(preview.status).toBe(200);
    expect(leaked(preview.text)).toEqual([]);
  });

  it('do not tell them in the words of a GraphQL response alone', async () => {
    const query = `mutation { changeTaints(input: { cluster: "prod", nodes: ["n0"], taints: ["k0-"], dryRun: true }) {
      nodes { message operations jsonPatch { value } } kubectl effects { warnings { items { message taints } } } } }`;
    const answer = await ask('withheld', 'POST', '/graphql', { query });
    expect(answer.at('errors')).toBeUndefined();
    expect(leaked(answer.text)).toEqual([]);
  });
});
