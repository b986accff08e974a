import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUESTIONS } from '../../src/api/questions/questions.js';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { isWrite, listOf, type Question } from '../../src/contract/question.js';
import { Dice } from '../support/dice.js';
import { list, node, pod } from '../support/dumps.js';
import { askableFields, QueryGenerator, type Samples } from '../support/graphql-questions.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

/** Values that occur nowhere but in taints and tolerations. */
const SECRETS = ['quokka', 'numbat', 'wombat-9', 'bilby possum'];
/** Values that are also names and terms; that of an invalid key is searched for wherever there is text. */
const TERMS = ['NoSchedule', 'node-1', 'default', 'web-0', 'infeasible', 'TaintToleration', 'Pod', 'UntoleratedTaint'];
/** Members that hold names, terms and times, whatever the values of taints are. */
const NEVER_MASKED = new Set(
  (
    'node name namespace kind key effect effects operator verdict code plugin severity phase nodes names cluster status type ' +
    'outcome uid hash revision capturedAt createdAt timeAdded labels subject id __typename field pointer firstFail'
  ).split(' '),
);

const taint = (key: string, value: string, effect = 'NoSchedule'): object => ({ key, value, effect });
const toleration = (key: string, value: string, effect = 'NoSchedule'): object => ({
  key,
  operator: 'Equal',
  value,
  effect,
});
const named = (name: string, spec: object): object => {
  const made = node(name, spec) as { metadata: object };
  const status = { allocatable: { cpu: '4', pods: '110' } };
  return { ...made, status, metadata: { ...made.metadata, labels: { pool: 'ml', 'kubernetes.io/hostname': name } } };
};
const running = (name: string, on: string, ...tolerations: object[]): object => ({
  ...pod(name, on, { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }], tolerations }),
  status: { phase: 'Running' },
});
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team-quota', namespace: 'default' },
  spec: { hard: { pods: '100' } },
  status: { hard: { pods: '100' }, used: { pods: '2' } },
};

/** What the examples of the questions are about, with these values in its taints and tolerations. */
function clusterOf([first = '', second = '', third = '', fourth = '']: readonly string[], key: string): object[] {
  return [
    named('node-1', { spec: { taints: [taint('tier', first), taint('tier', second, 'NoExecute')] } }),
    named('node-2', { spec: { taints: [taint(key, third), taint('odd', fourth, 'PreferNoSchedule')] } }),
    named('node-3', { spec: { taints: [taint(key, fourth), taint('tier', third, 'NoExecute')] } }),
    running('default/web', 'node-1', toleration('tier', first), {
      ...toleration('tier', second, 'NoExecute'),
      tolerationSeconds: 60,
    }),
    running('default/web-0', 'node-2', toleration(key, third), toleration('odd', fourth, 'NoExecute')),
    quota,
  ];
}

const ASKED = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '3' } } }] };
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec: ASKED };
const SAMPLES: Samples = {
  cluster: ['example'],
  name: ['example'],
  node: ['node-1', 'node-2', 'none'],
  nodes: ['node-1', 'node-2'],
  namespace: ['default'],
  pod: [POD],
  workload: ['web'],
  labelSelector: ['pool=ml'],
  fieldSelector: ['metadata.name=node-1'],
  clusterSelector: ['!env'],
  taints: ['other:NoExecute', { key: 'tier', effect: 'NoExecute' }],
  maxAge: ['90000h'],
  from: ['1', '2026-05-04T03:02:01Z'],
  to: ['head', '2126-05-04T03:02:01Z'],
  revision: [2],
  after: ['no-token'],
  String: ['node-1', 'default', 'web-0', '1'],
  ID: ['a'],
  Int: [1, 2, 100],
  Float: [1, 0.5],
  Boolean: [true, false],
  DateTime: ['2126-05-04T03:02:01Z'],
  Int64: [1],
  Quantity: ['500m'],
  JSON: [{ a: 1 }, ['tier:NoSchedule'], 'text', 7, null],
  KubernetesObject: [POD],
  Labels: [{ pool: 'ml' }],
};
const FIELDS = askableFields(buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')));
const FIELD_CASES = FIELDS.map((path, seed) => ({ name: path.map((field) => field.name).join('.'), path, seed }));

const tokens = { open: newToken(), withheld: newToken() };
const BINDINGS = [
  { subjects: ['token:open'], clusters: ['*'], roles: ['admin'] },
  { subjects: ['token:withheld'], clusters: ['*'], roles: ['change', 'audit', 'admit'], taintValues: false },
];

interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object | string;
}

/** Every question that stores nothing, with its example, in each view. */
const CALLS: readonly Call[] = QUESTIONS.flatMap((answered): readonly Call[] => {
  const question = answered.question as Question;
  if (isWrite(question)) return [];
  const { id, method, path, examples, response } = question;
  const query = new URLSearchParams();
  let address = path;
  const parameters: NonNullable<typeof examples.parameters> = { cluster: 'example', ...examples.parameters };
  for (const [name, value] of Object.entries(parameters)) {
    if (address.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (name !== 'cluster') query.set(name, String(value));
  }
  const views = listOf(response)?.groups?.view.values ?? [undefined];
  return views.map((view) => {
    const asked = new URLSearchParams(query);
    if (view !== undefined) asked.set('view', view);
    const body = examples.body as object | undefined;
    const of = view === undefined ? '' : ` as ${view}`;
    return { name: `${id}${of}`, method, path: `/api/v1/${address}?${String(asked)}`, ...(body && { body }) };
  });
});

let folder: string;
let service: TestService;

async function start(values: readonly string[], key: string): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'masked-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(file, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: '0' });
  const dumps = [['node-1', 'node-2'].map((name) => named(name, {})), clusterOf(values, key)];
  for (const dump of dumps) {
    const address = '/api/v1/clusters/example/snapshots?createCluster=true&invalid=keep&allowRemovals=true';
    expect((await ask('open', { name: '', method: 'POST', path: address, body: list(dump) })).status).toBe(201);
  }
}

async function stop(): Promise<void> {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

const ask = (name: keyof typeof tokens, { method, path, body }: Call): Promise<Answer> =>
  service.request(method, path, body, {
    authorization: `Bearer ${tokens[name]}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  });

const queries = (path: (typeof FIELDS)[number], seed: number): Call[] => {
  const generator = new QueryGenerator(new Dice(seed + 1), SAMPLES);
  const made = [generator.query(path, 'variable', 'none of them'), generator.query(path, 'variable')];
  return made.map((body) => ({ name: '', method: 'POST', path: '/graphql', body }));
};

describe('no answer shows a withheld value', () => {
  let shown = 0;
  beforeAll(() => start(SECRETS, 'dedicated'));
  afterAll(stop);

  const secretsIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

  it.each(CALLS)('over REST: $name', async (call) => {
    const [open, withheld] = [await ask('open', call), await ask('withheld', call)];
    if (secretsIn(open.text).length > 0) shown += 1;
    expect(secretsIn(withheld.text)).toEqual([]);
  });

  it.each(FIELD_CASES)('over GraphQL: $name', async ({ path, seed }) => {
    for (const call of queries(path, seed)) {
      const [open, withheld] = [await ask('open', call), await ask('withheld', call)];
      if (secretsIn(open.text).length > 0) shown += 1;
      expect({ call, secrets: secretsIn(withheld.text) }).toEqual({ call, secrets: [] });
    }
  });

  it('where many unmasked answers do', () => {
    expect(CALLS.length).toBeGreaterThan(50);
    expect(shown).toBeGreaterThan(40);
  });
});

describe('no name, term or time is masked, even if it equals a withheld value', () => {
  let masked = 0;
  beforeAll(() => start([TERMS[0]!, TERMS[1]!, TERMS[2]!, TERMS[4]!], 'a key'));
  afterAll(stop);

  /** The names of masked members. Manifests have no type, and the groups of a breakdown may be named after their taints. */
  function maskedIn(open: unknown, withheld: unknown, name: string): readonly string[] {
    if (name === 'breakdown' || (open !== null && typeof open === 'object' && 'apiVersion' in open)) return [];
    if (typeof open !== 'object' || open === null || typeof withheld !== 'object' || withheld === null) {
      return withheld !== open && typeof withheld === 'string' && withheld.includes('***') ? [name] : [];
    }
    return Object.entries(open).flatMap(([key, member]) => {
      const other = (withheld as Readonly<Record<string, unknown>>)[key];
      return maskedIn(member, other, Array.isArray(open) ? name : key);
    });
  }

  const wronglyMasked = (open: Answer, withheld: Answer): readonly string[] => {
    const names = maskedIn(open.json, withheld.json, '');
    masked += names.length;
    return names.filter((name) => NEVER_MASKED.has(name));
  };

  it.each(CALLS)('over REST: $name', async (call) => {
    expect(wronglyMasked(await ask('open', call), await ask('withheld', call))).toEqual([]);
  });

  it.each(FIELD_CASES)('over GraphQL: $name', async ({ path, seed }) => {
    for (const call of queries(path, seed)) {
      expect(wronglyMasked(await ask('open', call), await ask('withheld', call))).toEqual([]);
    }
  });

  it('where many values and texts are', () => {
    expect(masked).toBeGreaterThan(300);
  });
});
