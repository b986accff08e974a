import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const CLUSTER = '/api/v1/clusters/prod';
/** Values that occur nowhere but in taints and tolerations. */
const SECRETS = ['quokka', 'quoll', 'numbat', 'wombat-9'];
const POOL = { key: 'example.com/pool', value: 'quokka', effect: 'NoSchedule' };
const TAINTED = { spec: { taints: [POOL, { key: 'tier', value: 'numbat', effect: 'NoExecute' }] } };
const tolerating = (value: string, effect = 'NoSchedule'): object => ({
  tolerations: [{ key: 'example.com/pool', operator: 'Equal', value, effect }],
});
const FORMERLY = [node('a'), pod('d/x', 'a', tolerating('quoll'))];
const OBJECTS = [
  node('a'),
  node('b', TAINTED),
  node('c', { spec: { taints: [{ key: 'tier', value: 'wombat-9', effect: 'PreferNoSchedule' }] } }),
  pod('d/x', 'a', tolerating('quokka')),
  pod('d/y', 'b', tolerating('quoll')),
  pod('d/z', 'c', tolerating('quokka', 'NoExecute')),
];
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

const ASKED_AT = '2126-05-04T12:00:00Z';
/** Of one taint it tolerates the value, and of the other any. */
const TIMED = { key: 'tier', operator: 'Equal', value: 'quokka', effect: 'NoExecute', tolerationSeconds: 60 };

const tokens = { open: newToken(), withheld: newToken(), root: newToken() };
const BINDINGS = [
  { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
  { subjects: ['token:open'], clusters: ['*'], roles: ['change', 'audit', 'admit'] },
  { subjects: ['token:withheld'], clusters: ['prod'], roles: ['change', 'audit', 'admit'], taintValues: false },
  { subjects: ['token:withheld'], clusters: ['test'], roles: ['read'] },
];

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'withheld-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(file, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  service = await startTestService({ AUTH_FILE: file });
  for (const path of [CLUSTER, '/api/v1/clusters/test']) {
    expect((await ask('root', 'POST', `${path}/snapshots?createCluster=true`, list(FORMERLY))).status).toBe(201);
    expect((await ask('root', 'POST', `${path}/snapshots`, list(OBJECTS))).status).toBe(201);
  }
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (
  name: keyof typeof tokens,
  method: string,
  path: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  service.request(method, path, body, {
    authorization: `Bearer ${tokens[name]}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  });

/** A response without the members that differ each time. */
const lasting = (text: string): unknown =>
  JSON.parse(
    text
      .replaceAll(/"(decisionId|requestId)":"[^"]*"/g, '"$1":""')
      .replaceAll(/"ageSeconds":\d+/g, '"ageSeconds":0')
      .replaceAll(/"durationMs":[\d.]+/g, '"durationMs":0'),
  );
const masked = (text: string): string => SECRETS.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
}

describe('a caller from whom values are withheld', () => {
  const questions: readonly Question[] = [
    { path: `${CLUSTER}/nodes` },
    { path: `${CLUSTER}/nodes/b` },
    { path: `${CLUSTER}/nodes?taint=example.com/pool:NoSchedule` },
    { path: `${CLUSTER}/nodes/b/pods-allowed` },
    { path: `${CLUSTER}/pods` },
    { path: `${CLUSTER}/pods/d/y` },
    { path: `${CLUSTER}/pods/d/y/resources` },
    { path: `${CLUSTER}/nodes/b/allocation` },
    {
      method: 'POST',
      path: `${CLUSTER}/pod-resources`,
      body: { pod: { ...POD, spec: { ...POD.spec, ...tolerating('quoll') } } },
    },
    { path: `${CLUSTER}/taints` },
    { path: `${CLUSTER}/taint-sets` },
    { path: `${CLUSTER}/toleration-sets` },
    { path: `${CLUSTER}/findings` },
    { path: `${CLUSTER}/diff?from=1&to=2` },
    { path: `${CLUSTER}/snapshots/head` },
    { path: `${CLUSTER}/pods/d/y/placement?fixes=true` },
    { method: 'POST', path: `${CLUSTER}/placements`, body: { pod: POD, fixes: true } },
    { method: 'POST', path: `${CLUSTER}/placements`, body: { pod: POD, view: 'nodes', fixes: true } },
    {
      method: 'POST',
      path: `${CLUSTER}/placements`,
      body: { pod: { ...POD, spec: { ...POD.spec, ...tolerating('quoll') } } },
    },
    { method: 'POST', path: `${CLUSTER}/placements/batch`, body: { items: [{ id: 'a', pod: POD, detail: 'nodes' }] } },
    { method: 'POST', path: `${CLUSTER}/nodes/search`, body: { pod: POD } },
    {
      method: 'POST',
      path: `${CLUSTER}/findings`,
      body: { manifest: { ...POD, spec: { ...POD.spec, ...tolerating('quoll') } } },
    },
    { method: 'POST', path: `${CLUSTER}/eviction-schedules`, body: { asOf: ASKED_AT, landing: true } },
    { method: 'POST', path: `${CLUSTER}/eviction-schedules`, body: { asOf: ASKED_AT, view: 'pods' } },
    {
      method: 'POST',
      path: `${CLUSTER}/eviction-schedules`,
      body: {
        asOf: ASKED_AT,
        scenario: { changes: [{ editNodes: { nodes: ['a'], taints: ['tier=quoll:NoExecute'] } }] },
        events: [
          { at: ASKED_AT, do: 'setTaints', node: 'c', taints: ['tier=quokka:NoExecute', 'other=numbat:NoExecute'] },
          { at: ASKED_AT, do: 'setTolerations', pod: 'd/z', tolerations: [TIMED] },
        ],
        outages: [{ nodes: ['b'] }],
        landing: true,
      },
    },
    { method: 'POST', path: `${CLUSTER}/pods-allowed`, body: { taints: ['example.com/pool=quoll:NoSchedule'] } },
  ];
  it.each(questions)('gets the same answer with masks: $method $path', async ({ method = 'GET', path, body }) => {
    const open = await ask('open', method, path, body);
    const withheld = await ask('withheld', method, path, body);
    expect(open.status).toBe(200);
    expect(lasting(withheld.text)).toEqual(lasting(masked(open.text)));
    for (const secret of SECRETS) expect(withheld.text).not.toContain(secret);
  });

  it.each(['nodes/b/allocation?format=describe', 'pods/d/y/resources?format=describe', 'metrics'])(
    'gets masks in text: %s',
    async (path) => {
      const open = await ask('open', 'GET', `${CLUSTER}/${path}`);
      const withheld = await ask('withheld', 'GET', `${CLUSTER}/${path}`);
      expect(open.text).toMatch(/quokka|quoll|numbat/);
      expect(withheld.text).toBe(masked(open.text));
      for (const secret of SECRETS) expect(withheld.text).not.toContain(secret);
    },
  );

  it('gets masked text over GraphQL', async () => {
    const query = `{
      c: cluster(name: "prod") {
        n: describeNode(node: "b")
        p: describePod(namespace: "d", name: "y")
        m: metrics { page: text }
      }
    }`;
    const open = await ask('open', 'POST', '/graphql', { query });
    const withheld = await ask('withheld', 'POST', '/graphql', { query });
    expect(open.at('errors')).toBeUndefined();
    for (const secret of ['quokka', 'quoll', 'numbat']) expect(open.text).toContain(secret);
    expect(lasting(withheld.text)).toEqual(lasting(masked(open.text)));
  });

  it('gets masked objects by their ids, whatever aliases the query uses', async () => {
    const found = await ask('open', 'POST', '/graphql', {
      query: '{ cluster(name: "prod") { nodes { nodes { id } } pods { nodes { id } } } }',
    });
    const cluster = found.at('data.cluster') as Record<'nodes' | 'pods', { nodes: { id: string }[] }>;
    const ids = [...cluster.nodes.nodes, ...cluster.pods.nodes].map(({ id }) => id);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) {
      ... on Pod { one: tolerations { a: value } }
      ... on KubernetesNode { two: taints { b: value } }
      ...Both
    } }
    fragment Both on Node { ... on Node { ... on KubernetesNode { taints { text } } ... on Pod { tolerations { value } } } }`;
    const open = await ask('open', 'POST', '/graphql', { query, variables: { ids } });
    const withheld = await ask('withheld', 'POST', '/graphql', { query, variables: { ids } });
    expect(open.at('errors')).toBeUndefined();
    expect(open.text).toMatch(/quokka|quoll|numbat/);
    expect(withheld.json).toEqual(JSON.parse(masked(open.text)));
  });

  it('gets masks where the unmasked response has values', async () => {
    for (const path of ['nodes', 'pods', 'taints', 'taint-sets', 'toleration-sets', 'findings', 'diff?from=1&to=2']) {
      expect((await ask('open', 'GET', `${CLUSTER}/${path}`)).text).toMatch(/quokka|quoll|numbat/);
    }
    const { json } = await ask('withheld', 'GET', `${CLUSTER}/nodes/b`);
    expect(JSON.stringify(json)).toContain('"key":"example.com/pool","value":"***","effect":"NoSchedule"');
  });

  it('gets masks in GraphQL, whatever aliases the query uses', async () => {
    const query = `query ($pod: KubernetesObject!) {
      c: cluster(name: "prod") {
        taints { edges { node { key v: values } } }
        taintSets { edges { node { t: taints { v: value ...more } } } }
        tolerationSets { edges { node { tolerations { v: value } } } }
        nodes { edges { node { name spec: taints { value } } } }
        pods { edges { node { name tolerations { q: value } } } }
        findings { edges { node { m: message } } }
        diff(from: "1", to: "2") {
          nodes { edges { node { __typename node } } }
          tolerations { edges { node { before { key value text } after { key value text } } } }
        }
      }
      p: placement(cluster: "prod", input: { pod: $pod }) {
        nodes { edges { node { node x: untoleratedTaints { y: value t: text } fixes { pod { changes { yaml summary } } } } } }
      }
    }
    fragment more on Taint { e: effect }`;
    for (let times = 0; times < 10; times++) {
      const answers = await Promise.all(
        (['open', 'withheld'] as const).map((name) =>
          ask(name, 'POST', '/graphql', { query, variables: { pod: POD } }),
        ),
      );
      const [open, withheld] = answers as [Answer, Answer];
      expect(open.at('errors')).toBeUndefined();
      for (const secret of ['quokka', 'quoll', 'numbat']) expect(open.text).toContain(secret);
      expect(lasting(withheld.text)).toEqual(lasting(masked(open.text)));
      for (const secret of SECRETS) expect(withheld.text).not.toContain(secret);
    }
  });

  it('gets masks in errors', async () => {
    const body = {
      pod: { ...POD, spec: { ...POD.spec, tolerations: [{ key: 'a', operator: 'Exists', value: 'quokka' }] } },
    };
    const answer = await ask('withheld', 'POST', `${CLUSTER}/placements`, body);
    expect(answer.at('code')).toBe('invalid-object');
    expect(answer.text).not.toContain('quokka');
  });

  it('gets masks in changes and their previews', async () => {
    const change = (name: keyof typeof tokens, body: object): Promise<Answer> =>
      ask(name, 'POST', `${CLUSTER}/taint-changes`, { nodes: ['b'], reason: 'r', ...body });
    const taints = ['example.com/pool=quoll:NoSchedule', 'tier:NoExecute-'];
    const preview = await change('withheld', { taints, overwrite: true, dryRun: true });
    expect(preview.status).toBe(200);
    expect((await change('open', { taints, overwrite: true })).status).toBe(201);
    const changes = await ask('withheld', 'GET', `${CLUSTER}/taint-changes`);
    expect(changes.at('items.0.request.taints.0')).toBe('example.com/pool=***:NoSchedule');
    const stored = await ask('withheld', 'GET', `${CLUSTER}/taint-changes/${String(changes.at('items.0.id'))}`);
    expect(stored.status).toBe(200);
    const refused = await change('withheld', { taints });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    for (const { text } of [preview, changes, stored, refused]) {
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
  });

  it('gets masks in eviction schedules over GraphQL, and no CSV of one', async () => {
    const query = `query ($input: EvictionScheduleInput) {
      s: evictionSchedule(cluster: "prod", input: $input) {
        c: changes { items { was: removed will: added } }
        pods { nodes { name why: because t: taints { it: taint } keptWithout { any: anyOf all: allOf } } }
      }
    }`;
    const events = [{ at: ASKED_AT, do: 'setTaints', node: 'b', taints: ['tier=wombat-9:NoExecute'] }];
    const variables = { input: { asOf: ASKED_AT, events } };
    const open = await ask('open', 'POST', '/graphql', { query, variables });
    const withheld = await ask('withheld', 'POST', '/graphql', { query, variables });
    for (const secret of ['quoll', 'wombat-9']) expect(open.text).toContain(secret);
    expect(open.at('errors')).toBeUndefined();
    expect(lasting(withheld.text)).toEqual(lasting(masked(open.text)));
    const table = (name: keyof typeof tokens) =>
      ask(name, 'POST', `${CLUSTER}/eviction-schedules?format=csv`, { asOf: ASKED_AT, events });
    expect((await table('open')).text).toContain('wombat-9');
    const refused = await table('withheld');
    expect([refused.status, refused.at('code')]).toEqual([403, 'forbidden']);
    expect(refused.text).not.toContain('wombat-9');
  });

  it('gets masks in the errors of an eviction schedule request', async () => {
    const events = [
      {
        at: ASKED_AT,
        do: 'setTaints',
        node: 'b',
        taints: ['tier=numbat:Never', { key: 'k', value: 'quokka', effect: 'No' }],
      },
      { at: ASKED_AT, do: 'setTaints', node: 'b', taints: ['k=quoll:NoExecute', 'k=quokka:NoExecute'] },
      {
        at: ASKED_AT,
        do: 'setTolerations',
        pod: 'd/y',
        tolerations: [{ key: 'k', operator: 'Exists', value: 'quoll' }],
      },
    ];
    const answer = await ask('withheld', 'POST', `${CLUSTER}/eviction-schedules`, { asOf: ASKED_AT, events });
    expect(answer.status).toBe(400);
    for (const secret of SECRETS) expect(answer.text).not.toContain(secret);
  });

  it('gets the values of another cluster', async () => {
    expect((await ask('withheld', 'GET', '/api/v1/clusters/test/nodes')).text).toContain('quokka');
  });

  it('gets masks for all clusters in a response that includes one of them', async () => {
    const answer = await ask('withheld', 'GET', '/api/v1/taints');
    expect(answer.at('items.1.result.items.0.key')).toBe('example.com/pool');
    for (const secret of SECRETS) expect(answer.text).not.toContain(secret);
  });

  it.each([
    ['nodes?taint=tier=numbat', 'taint'],
    ['nodes?taint=tier&taint=example.com/pool=quokka:NoSchedule', 'taint'],
    ['pods?toleratesTaint=example.com/pool=quokka:NoSchedule', 'toleratesTaint'],
  ])('may not filter by values: %s', async (path, parameter) => {
    const answer = await ask('withheld', 'GET', `${CLUSTER}/${path}`);
    expect([answer.status, answer.at('code')]).toEqual([403, 'forbidden']);
    expect(answer.at('detail')).toContain(`so ${parameter} may contain only keys and effects`);
    expect((await ask('open', 'GET', `${CLUSTER}/${path}`)).status).toBe(200);
  });

  it('gets no 304 for the ETag of an unmasked response', async () => {
    const open = await ask('open', 'GET', `${CLUSTER}/nodes`);
    const again = { 'if-none-match': open.headers.get('etag') ?? '' };
    expect((await ask('open', 'GET', `${CLUSTER}/nodes`, undefined, again)).status).toBe(304);
    expect((await ask('withheld', 'GET', `${CLUSTER}/nodes`, undefined, again)).status).toBe(200);
  });
});

describe('a caller from whom values are withheld, and pools', () => {
  const HOUSE = {
    nodes: { matchLabels: { type: 'house' } },
    taints: ['example.com/pool=quokka:NoSchedule', 'tier=numbat:NoExecute'],
    labels: { 'kept-for': 'house' },
    users: { namespaces: ['house'] },
  };
  const podOf = (namespace: string, spec: object = {}): object => ({
    ...POD,
    metadata: { name: 'p', namespace },
    spec: { ...POD.spec, ...spec },
  });
  const INTRUDER = podOf('d', { tolerations: [{ operator: 'Exists' }] });
  const review = (namespace: string, object: object): object => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `uid-${namespace}`,
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      namespace,
      object,
    },
  });
  const webhook = (name: keyof typeof tokens, which: string, namespace: string, object: object): Promise<Answer> =>
    ask(name, 'POST', `${CLUSTER}/webhooks/${which}-pods`, review(namespace, object));

  beforeAll(async () => {
    const house = { ...node('h'), metadata: { name: 'h', labels: { type: 'house', 'kept-for': 'house' } } };
    expect((await ask('root', 'POST', `${CLUSTER}/snapshots`, list([...OBJECTS, house]))).status).toBe(201);
    expect((await ask('open', 'PUT', `${CLUSTER}/pools/house`, HOUSE)).status).toBe(201);
    expect((await webhook('open', 'mutate', 'house', podOf('house'))).at('response.patchType')).toBe('JSONPatch');
    expect((await webhook('open', 'validate', 'd', INTRUDER)).at('response.allowed')).toBe(false);
  });

  const questions: readonly (Question & { readonly status?: number })[] = [
    { path: `${CLUSTER}/pools` },
    { path: `${CLUSTER}/pools/house` },
    { path: `${CLUSTER}/pools/house/remaining-changes` },
    { path: `${CLUSTER}/findings` },
    { method: 'PUT', path: `${CLUSTER}/pools/house`, body: { ...HOUSE, dryRun: true } },
    { method: 'POST', path: `${CLUSTER}/admission-reviews`, body: { pod: podOf('house') } },
    { method: 'POST', path: `${CLUSTER}/admission-reviews`, body: { pod: INTRUDER } },
    {
      method: 'POST',
      path: `${CLUSTER}/placements`,
      body: { pod: podOf('house'), nodes: { names: ['h'] }, fixes: false },
    },
    { method: 'POST', path: `${CLUSTER}/placements`, body: { pod: INTRUDER }, status: 422 },
    { method: 'POST', path: `${CLUSTER}/findings`, body: { manifest: INTRUDER } },
    { method: 'POST', path: `${CLUSTER}/pod-resources`, body: { pod: podOf('house') } },
    { method: 'POST', path: `${CLUSTER}/quota-reviews`, body: { items: [{ id: 'a', pod: INTRUDER }] } },
  ];
  it.each(questions)(
    'gets the same answer with masks: $method $path',
    async ({ method = 'GET', path, body, status }) => {
      const open = await ask('open', method, path, body);
      const withheld = await ask('withheld', method, path, body);
      expect(open.status).toBe(status ?? 200);
      expect(lasting(withheld.text)).toEqual(lasting(masked(open.text)));
      for (const secret of SECRETS) expect(withheld.text).not.toContain(secret);
    },
  );

  it('gets masks over GraphQL', async () => {
    const query = `query ($pod: KubernetesObject!, $other: KubernetesObject!) { c: cluster(name: "prod") {
      pools { nodes { name t: taints { v: value text } } }
      r: remainingPoolChanges(name: "house") { l: lacking { t: taints } preview { k: kubectl } }
      a: admissionReview(input: { pod: $pod }) { p: pod s: steps { patch { v: value w: why } } }
      b: admissionReview(input: { pod: $other }) { refusal { m: message } } } }`;
    const variables = { pod: podOf('house'), other: INTRUDER };
    const open = await ask('open', 'POST', '/graphql', { query, variables });
    const withheld = await ask('withheld', 'POST', '/graphql', { query, variables });
    expect(open.at('errors')).toBeUndefined();
    for (const secret of ['quokka', 'numbat']) expect(open.text).toContain(secret);
    expect(lasting(withheld.text)).toEqual(lasting(masked(open.text)));
    for (const secret of SECRETS) expect(withheld.text).not.toContain(secret);
  });

  it('may not call the webhooks, whose patches must not be masked', async () => {
    for (const which of ['mutate', 'validate']) {
      const answer = await webhook('withheld', which, 'house', podOf('house'));
      expect([answer.status, answer.at('code')]).toEqual([403, 'forbidden']);
      for (const secret of SECRETS) expect(answer.text).not.toContain(secret);
    }
  });

  it('may not read their records, which show values of deleted pools', async () => {
    expect((await ask('open', 'DELETE', `${CLUSTER}/pools/house`)).status).toBe(200);
    expect((await ask('open', 'GET', `${CLUSTER}/admission-records`)).text).toContain('quokka');
    const withheld = await ask('withheld', 'GET', `${CLUSTER}/admission-records`);
    expect([withheld.status, withheld.at('code')]).toEqual([403, 'forbidden']);
    const query = '{ admissionRecords(cluster: "prod") { nodes { message patch { value } } } }';
    expect((await ask('open', 'POST', '/graphql', { query })).text).toContain('quokka');
    const graphql = await ask('withheld', 'POST', '/graphql', { query });
    expect(graphql.at('errors.0.extensions.code')).toBe('forbidden');
    for (const secret of SECRETS) expect(withheld.text + graphql.text).not.toContain(secret);
  });
});
