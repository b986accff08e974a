import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../src/app/clock.js';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, pod } from '../support/dumps.js';
import { DEVICE_KINDS, GPU_CLASS, GPU_DRIVER, gpuSlice, gpuUser } from '../support/gpus.js';
import { AUDIENCE, startTestIssuer, type TestIssuer } from '../support/issuer.js';
import { NodesApiServer } from '../support/nodes-api-server.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';

const NOON = new Date();

/** A clock that the tests advance. */
class SetClock extends Clock {
  time = NOON;

  override now(): Date {
    return this.time;
  }
}

const clock = new SetClock();
const NAMES = ['root', 'alice', 'bob', 'carol', 'ann'] as const;
type Name = (typeof NAMES)[number];
const tokens = Object.fromEntries(NAMES.map((name) => [name, newToken()])) as Record<Name, string>;
/** alice changes, and may approve; bob and carol approve; ann reads and evaluates. */
const AUTH_FILE = {
  tokens: NAMES.map((name) => ({ name, sha256: tokenHash(tokens[name]).toString('hex') })),
  bindings: [
    { subjects: ['token:root'], clusters: ['*'], roles: ['admin'], onBehalfOf: true },
    { subjects: ['token:alice'], clusters: ['c*'], roles: ['apply', 'approve'], onBehalfOf: true },
    { subjects: ['token:bob', 'token:carol', 'group:sre'], clusters: ['c*'], roles: ['approve'] },
    { subjects: ['token:ann'], clusters: ['c*'], roles: ['evaluate', 'audit'] },
  ],
};

let folder: string;
let issuer: TestIssuer;
let apiServer: NodesApiServer;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'approvals-'));
  const file = join(folder, 'auth.json');
  await writeFile(file, JSON.stringify(AUTH_FILE));
  issuer = await startTestIssuer();
  apiServer = await NodesApiServer.start();
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  service = await startTestService(
    {
      CONNECTION_KEY_FILE: join(folder, 'keys'),
      AUTH_FILE: file,
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: AUDIENCE,
      RATE_LIMIT: '0',
      APPROVAL_MAX_AGE: '2h',
    },
    { clock },
  );
});
afterAll(async () => {
  await service.close();
  await issuer.close();
  await apiServer.stop();
  await rm(folder, { recursive: true, force: true });
});

let cluster = '';
let made = 0;
beforeEach(async () => {
  clock.time = NOON;
  cluster = `c${++made}`;
  await snapshot(CLUSTER);
});

const inEnv = (name: string, env?: string): object => {
  const plain = node(name) as { metadata: object };
  return env === undefined ? plain : { ...plain, metadata: { ...plain.metadata, labels: { env } } };
};
const running = (key: string, on: string): object => ({ ...pod(key, on, {}), status: { phase: 'Running' } });
/** Two nodes of production, one of development and one without the label; two pods on p1. */
const CLUSTER = [
  inEnv('p1', 'prod'),
  inEnv('p2', 'prod'),
  inEnv('d1', 'dev'),
  inEnv('x1'),
  running('shop/web-1', 'p1'),
  running('shop/web-2', 'p1'),
];

const base = (): string => `/api/v1/clusters/${cluster}`;
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const as = (name: Name, method: string, path: string, body?: object | string, headers = {}): Promise<Answer> =>
  service.request(method, `${base()}${path}`, body, { ...bearer(tokens[name]), ...headers });
const asUser = async (sub: string, method: string, path: string, body?: object): Promise<Answer> =>
  service.request(method, `${base()}${path}`, body, bearer(await issuer.token({ claims: { sub, groups: ['sre'] } })));

async function snapshot(objects: readonly object[]): Promise<void> {
  const answer = await as('root', 'POST', '/snapshots?createCluster=true&allowRemovals=true', list(objects));
  expect(answer.status).toBe(201);
}

const guard = async (...guardrails: readonly object[]): Promise<void> => {
  const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
  const answer = await as('root', 'PUT', '/guardrails', document);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
};

const TWO_FOR_PROD = {
  name: 'two approve production',
  require: 'change.nodes.all(n, n.labels["env"] != "prod") || change.approvals >= 2',
  action: 'requireApproval',
};
const ONE = {
  name: 'somebody looks',
  require: '!change.taintsAdded.exists(t, t.effect == "NoExecute")',
  action: 'requireApproval',
};
const FEW = {
  name: 'few evictions',
  require: 'preview.evictions.now <= 2',
  action: 'refuse',
  messageExpression: '"evicts %d pods".format([preview.evictions.now])',
};
const SHARE = {
  name: 'a share stays',
  require: 'double(preview.nodesUnschedulable) / double(cluster.nodes) < 0.3',
  action: 'refuse',
};
const TICKET = {
  name: 'has a link',
  require: 'change.link.startsWith("https://")',
  action: 'warn',
  message: 'no ticket',
};

const change = (name: Name, body: object, headers = {}): Promise<Answer> =>
  as(name, 'POST', '/taint-changes', { reason: 'a test', ...body }, headers);
const DRAIN = { nodes: ['p1'], taints: ['drain:NoExecute'] };
const approve = (name: Name, id: unknown, headers = {}): Promise<Answer> =>
  as(name, 'POST', `/taint-changes/${String(id)}/approve`, { reason: `${name} looked` }, headers);
const asked = async (body: object = DRAIN): Promise<string> => {
  const answer = await change('alice', body);
  expect([answer.status, answer.at('change.status')]).toEqual([202, 'awaitingApproval']);
  return answer.at('change.id') as string;
};
const get = (id: string): Promise<Answer> => as('ann', 'GET', `/taint-changes/${id}`);
const revision = async (): Promise<unknown> => (await as('ann', 'GET', '/snapshots/head')).at('basis.revision');
const trail = async (id: string): Promise<readonly Record<string, unknown>[]> =>
  (await as('ann', 'GET', `/taint-trail/records?change=${id}`)).at('items') as readonly Record<string, unknown>[];

describe('a change that guardrails refuse', () => {
  it('is refused with every rule, and a dry run says the same', async () => {
    await guard(FEW, SHARE, TICKET, ONE);
    await snapshot([...CLUSTER, running('shop/web-3', 'p1')]);
    const body = { nodes: ['p1', 'p2'], taints: ['drain:NoExecute'], unschedulable: true };
    const preview = await change('ann', { ...body, dryRun: true });
    expect(preview.status).toBe(200);
    const results = [
      { rule: 'few evictions', action: 'refuse', outcome: 'refused', evaluation: 'notMet', message: 'evicts 3 pods' },
      { rule: 'a share stays', outcome: 'refused', message: `${SHARE.require} is not true` },
      { rule: 'has a link', outcome: 'warned', message: 'no ticket' },
      { rule: 'somebody looks', outcome: 'approvalNeeded', approvalsNeeded: 1 },
    ];
    expect(preview.at('guardrails')).toMatchObject(results);
    const before = await revision();
    const refused = await change('alice', body);
    expect([refused.status, refused.at('code')]).toEqual([409, 'guardrail-refused']);
    expect(refused.at('errors')).toMatchObject([
      { name: 'few evictions', message: 'evicts 3 pods' },
      { name: 'a share stays' },
    ]);
    expect(await revision()).toBe(before);
  });

  it('is made with its warnings otherwise, also on nodes without the label', async () => {
    await guard(FEW, SHARE, TICKET, TWO_FOR_PROD);
    const answer = await change('alice', { nodes: ['d1', 'x1'], taints: ['a=b:NoSchedule'] });
    expect([answer.status, answer.at('change.approval')]).toEqual([201, null]);
    expect(answer.at('guardrails')).toMatchObject([
      { outcome: 'holds', message: null },
      { outcome: 'holds' },
      { outcome: 'warned', message: 'no ticket' },
      { outcome: 'holds' },
    ]);
    const stored = await get(answer.at('change.id') as string);
    expect(stored.at('guardrails')).toEqual(answer.at('guardrails'));
  });

  it('is one that reads what is not known', async () => {
    await guard({
      name: 'budgets',
      require: 'preview.budgets.violated == 0',
      action: 'refuse',
      message: 'breaks a budget',
    });
    expect((await change('alice', DRAIN)).at('errors.0.message')).toBe(
      'breaks a budget (preview.budgets is not known: no snapshot contained objects of kind PodDisruptionBudget)',
    );
  });

  it('may be a revert; an automatic expiry is exempt', async () => {
    const lasting = await change('alice', { nodes: ['d1'], taints: ['x:NoSchedule'] });
    const expiresAt = new Date(NOON.getTime() + 60_000).toISOString();
    const ending = await change('alice', { nodes: ['x1'], taints: ['y:NoSchedule'], expiresAt });
    await guard({ name: 'nothing goes', require: 'change.taintsRemoved.size() == 0', action: 'refuse' });
    const revert = await as('alice', 'POST', `/taint-changes/${String(lasting.at('change.id'))}/revert`, {
      reason: 'r',
    });
    expect([revert.status, revert.at('errors.0.name')]).toEqual([409, 'nothing goes']);
    clock.time = new Date(NOON.getTime() + 61_000);
    const id = ending.at('change.id') as string;
    for (;;) if ((await get(id)).at('change.expiry') === 'done') break;
  });
});

describe('a change that needs approval', () => {
  it('waits, is on the record, and is made when enough others have approved it', async () => {
    await guard(TWO_FOR_PROD);
    const before = await revision();
    const answer = await change('alice', { ...DRAIN, link: 'https://tickets.example.com/1' });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({
      dryRun: false,
      change: {
        revision: null,
        action: 'change',
        status: 'awaitingApproval',
        by: { name: 'alice', kind: 'token' },
        counts: { changed: 1 },
        approval: {
          state: 'waiting',
          rules: ['two approve production'],
          needed: 2,
          votes: [],
          approveBy: new Date(NOON.getTime() + 7_200_000).toISOString(),
        },
      },
      nodes: [{ node: 'p1', outcome: 'changed', status: null }],
      effects: { evictions: { counts: { now: 2 } } },
      guardrails: [{ outcome: 'approvalNeeded', approvalsNeeded: 2 }],
    });
    const id = answer.at('change.id') as string;
    expect(answer.headers.get('location')).toBe(`${base()}/taint-changes/${id}`);
    expect([await revision(), (await as('ann', 'GET', '/nodes/p1')).at('node.taints')]).toEqual([before, []]);
    expect((await as('ann', 'GET', '/taint-changes')).at('items')).toEqual([]);
    expect((await as('ann', 'GET', '/taint-changes?approval=waiting')).json).toMatchObject({ items: [{ id }] });

    expect((await approve('ann', id)).at('code')).toBe('forbidden');
    const first = await approve('bob', id);
    expect([first.status, first.at('change.status')]).toEqual([202, 'awaitingApproval']);
    expect(first.at('change.approval.votes')).toMatchObject([
      { decision: 'approve', by: { name: 'bob' }, reason: 'bob looked', counts: true },
    ]);
    const second = await approve('carol', id);
    expect(second.status).toBe(201);
    expect(second.json).toMatchObject({
      change: {
        id,
        revision: (before as number) + 1,
        status: 'recorded',
        by: { name: 'alice' },
        link: 'https://tickets.example.com/1',
        approval: { state: 'approved', needed: 2, votes: [{ by: { name: 'bob' } }, { by: { name: 'carol' } }] },
      },
      guardrails: [{ outcome: 'approved' }],
    });
    expect((await get(id)).at('change')).toEqual(second.at('change'));
    expect((await as('ann', 'GET', '/taint-changes?approval=waiting')).at('items')).toEqual([]);
    expect((await as('ann', 'GET', '/nodes/p1')).at('node.taints.0.text')).toBe('drain:NoExecute');
    expect((await trail(id)).map(({ kind, summary }) => [kind, summary])).toEqual([
      ['change', 'added drain:NoExecute'],
      ['request', 'requested a change: a test'],
      ['approval', 'approved the change: carol looked'],
      ['approval', 'approved the change: bob looked'],
      ['approval', 'asked for approval: a test'],
    ]);
    expect((await as('ann', 'GET', '/taint-trail/verify')).json).toMatchObject({ holds: true, verified: 5 });
  });

  it('is approved by nobody who asked for it, under whatever kind of token, and by nobody twice', async () => {
    await guard(TWO_FOR_PROD);
    const id = await asked({ ...DRAIN, onBehalfOf: 'Carol' });
    const path = `/taint-changes/${id}/approve`;
    for (const [answer, who] of [
      [await approve('alice', id), 'alice asked for the change'],
      [await asUser('alice', 'POST', path, { reason: 'r' }), 'alice asked for the change'],
      [await approve('carol', id), 'on behalf of Carol'],
    ] as const) {
      expect([answer.status, answer.at('code')]).toEqual([403, 'approval-not-allowed']);
      expect(answer.at('detail')).toContain(who);
    }
    expect((await approve('bob', id)).status).toBe(202);
    expect((await approve('bob', id)).at('detail')).toContain('has approved the change before');
    expect((await asUser('bob', 'POST', path, { reason: 'r' })).at('code')).toBe('approval-not-allowed');
    expect((await asUser('dora', 'POST', path, { reason: 'r' })).status).toBe(201);
  });

  it('is made once, however many approve it at a time', async () => {
    await guard(TWO_FOR_PROD);
    const two = await asked();
    const both = await Promise.all([approve('bob', two), approve('carol', two)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 202]);
    await guard(ONE);
    const one = await asked({ ...DRAIN, nodes: ['d1'] });
    const answers = await Promise.all([approve('bob', one), approve('carol', one), approve('root', one)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.at('code')).toBe('change-not-waiting');
    expect((await as('ann', 'GET', '/taint-changes')).at('items')).toHaveLength(2);
  });

  it('is rejected for good', async () => {
    await guard(ONE);
    const id = await asked();
    const rejected = await as('bob', 'POST', `/taint-changes/${id}/reject`, { reason: 'not today' });
    expect([rejected.status, rejected.at('change.status')]).toEqual([200, 'rejected']);
    expect(rejected.at('change.approval.votes')).toMatchObject([{ decision: 'reject', reason: 'not today' }]);
    const late = await approve('carol', id);
    expect([late.status, late.at('code')]).toEqual([409, 'change-not-waiting']);
    expect((await as('ann', 'GET', '/taint-changes?approval=rejected')).at('items.0.id')).toBe(id);
    const nameless = await as('bob', 'POST', `/taint-changes/${await asked()}/reject`, { reason: ' ' });
    expect([nameless.status, nameless.at('errors.0.field')]).toEqual([400, 'reason']);
  });

  it('cannot be approved after its time, which is on the record', async () => {
    await guard(ONE);
    const soon = new Date(NOON.getTime() + 60_000).toISOString();
    const id = await asked({ ...DRAIN, approveBy: soon });
    clock.time = new Date(NOON.getTime() + 60_000);
    const late = await approve('bob', id);
    expect([late.status, late.at('detail')]).toEqual([409, `Change ${id} could be approved until ${soon}.`]);
    expect((await get(id)).at('change.status')).toBe('approvalExpired');
    expect((await as('ann', 'GET', '/taint-changes?approval=expired')).at('items.0.id')).toBe(id);
    for (;;) if ((await trail(id))[0]!['summary'] === `was not approved in time: Not approved by ${soon}`) break;
    const wrong = await change('alice', { ...DRAIN, approveBy: soon });
    expect(wrong.at('errors.0')).toMatchObject({ field: 'approveBy', code: 'in-the-past' });
  });

  it('goes with its cluster, and waits while its nodes are gone', async () => {
    await guard(ONE);
    const id = await asked();
    await snapshot(CLUSTER.slice(1, 4));
    const gone = await approve('bob', id);
    expect([gone.status, gone.at('code'), gone.at('errors.0.name')]).toEqual([404, 'object-not-found', 'p1']);
    expect((await get(id)).at('change.status')).toBe('awaitingApproval');
    expect((await as('root', 'DELETE', '')).status).toBe(200);
    expect((await approve('bob', id)).at('code')).toBe('cluster-not-found');
    await snapshot(CLUSTER);
    expect((await approve('bob', id)).at('code')).toBe('change-not-found');
  });

  it('is previewed again on the newest state: it waits again if it does more', async () => {
    await guard(TWO_FOR_PROD, TICKET, { ...FEW, action: 'warn' });
    const id = await asked({ labelSelector: 'env=prod', taints: ['drain:NoExecute'] });
    expect((await approve('bob', id)).status).toBe(202);
    await snapshot([...CLUSTER, inEnv('p3', 'prod'), running('shop/web-3', 'p1')]);
    const moved = await approve('carol', id);
    expect([moved.status, moved.at('change.status'), moved.at('nodes')]).toMatchObject([
      202,
      'awaitingApproval',
      [{ node: 'p1' }, { node: 'p2' }, { node: 'p3' }],
    ]);
    expect(moved.at('change.approval')).toMatchObject({
      needed: 2,
      note: expect.stringMatching(/few evictions: evicts 3 pods; 1 more node would change: p3$/) as unknown,
      votes: [{ by: { name: 'bob' }, counts: false }],
    });
    expect((await approve('carol', id)).status).toBe(202);
    expect((await approve('bob', id)).status).toBe(201);
    expect((await trail(id)).map(({ kind }) => kind)).toEqual([
      ...['change', 'change', 'change', 'request'],
      ...['approval', 'approval', 'approval', 'approval', 'approval'],
    ]);
  });

  it('is refused by rules that no longer hold, and goes on waiting', async () => {
    await guard(ONE, FEW);
    const id = await asked();
    await snapshot([...CLUSTER, running('shop/web-3', 'p1')]);
    const refused = await approve('bob', id);
    expect([refused.status, refused.at('errors.0.message')]).toEqual([409, 'evicts 3 pods']);
    expect((await get(id)).at('change.approval')).toMatchObject({ state: 'waiting', votes: [] });
    await snapshot(CLUSTER);
    expect((await approve('bob', id)).status).toBe(201);
  });

  it('is approved only on the revision that the approver knows, if one is given', async () => {
    await guard(ONE);
    const id = await asked();
    await change('alice', { nodes: ['d1'], taints: ['x:NoSchedule'] });
    const stale = await approve('bob', id, { 'if-match': '"2"' });
    expect([stale.status, stale.at('code')]).toEqual([412, 'precondition-failed']);
    expect((await approve('bob', id, { 'if-match': '"3"' })).status).toBe(201);
  });

  it('is asked and approved once for a key', async () => {
    await guard(ONE);
    const headers = { 'idempotency-key': 'k' };
    const first = await change('alice', DRAIN, headers);
    const again = await change('alice', DRAIN, headers);
    expect([again.status, again.at('replayed'), again.at('change.id')]).toEqual([200, true, first.at('change.id')]);
    expect((await change('alice', { ...DRAIN, nodes: ['p2'] }, headers)).at('code')).toBe('idempotency-key-reused');
    const id = first.at('change.id');
    const approved = await approve('bob', id, { 'idempotency-key': 'mine' });
    const repeated = await approve('bob', id, { 'idempotency-key': 'mine' });
    expect([approved.status, repeated.status, repeated.at('change')]).toEqual([201, 201, approved.at('change')]);
    const made = await change('alice', DRAIN, headers);
    expect([made.status, made.at('change.status')]).toEqual([200, 'recorded']);
  });

  it('is asked, listed and approved over GraphQL', async () => {
    await guard(ONE);
    const id = await asked();
    const ask = (name: Name, query: string): Promise<Answer> =>
      service.request('POST', '/graphql', { query, variables: { c: cluster, id } }, bearer(tokens[name]));
    const listed = await ask(
      'ann',
      `query ($c: String!, $id: ID!) { cluster(name: $c) {
        taintChanges(approval: waiting) { totalCount edges { node { revision approval { state needed } } } }
        taintChange(id: $id) { change { status approval { rules } } guardrails { rule outcome } } } }`,
    );
    expect(listed.json).toMatchObject({
      data: {
        cluster: {
          taintChanges: {
            totalCount: 1,
            edges: [{ node: { revision: null, approval: { state: 'waiting', needed: 1 } } }],
          },
          taintChange: {
            change: { status: 'awaitingApproval', approval: { rules: ['somebody looks'] } },
            guardrails: [{ rule: 'somebody looks', outcome: 'approvalNeeded' }],
          },
        },
      },
    });
    const mutation = `mutation ($c: String!, $id: ID!) {
      approveTaintChange(input: { cluster: $c, id: $id, reason: "fine" }) { change { status revision } } }`;
    expect((await ask('alice', mutation)).at('errors.0.extensions.code')).toBe('approval-not-allowed');
    const done = await ask('bob', mutation);
    expect(done.at('data.approveTaintChange.change.status')).toBe('recorded');
  });
});

describe('a change that the service is to write', () => {
  const connect = async (writes: boolean): Promise<void> => {
    const connection = { kubeconfig: apiServer.kubeconfig(), writes };
    expect((await as('root', 'PUT', '/connection', connection)).status).toBeLessThan(300);
  };
  const HOLD = { nodes: ['a', 'b'], taints: ['hold:NoSchedule'] };
  const WRITES = { name: 'writes are approved', require: '!change.apply', action: 'requireApproval' };
  beforeEach(async () => {
    apiServer.nodes.clear();
    for (const name of ['a', 'b']) apiServer.addNode(name);
    await snapshot((apiServer.list() as { items: readonly object[] }).items);
    await connect(true);
  });

  it('waits, and is written once it is approved, over a connection that still allows it', async () => {
    await guard(WRITES);
    const answer = await change('alice', { ...HOLD, apply: true });
    expect([answer.status, answer.at('change.approval.apply'), answer.at('change.application')]).toEqual([
      202,
      true,
      null,
    ]);
    const id = answer.at('change.id') as string;
    await connect(false);
    const refused = await approve('bob', id);
    expect([refused.status, refused.at('code')]).toEqual([403, 'apply-not-allowed']);
    expect((await get(id)).at('change.approval')).toMatchObject({ state: 'waiting', votes: [] });
    await connect(true);
    const approved = await approve('bob', id);
    expect([approved.status, approved.at('change.application')]).toMatchObject([
      201,
      { state: 'running', by: { name: 'alice' } },
    ]);
    for (;;) if ((await get(id)).at('change.application.state') === 'done') break;
    expect(['a', 'b'].map((name) => apiServer.taintsOf(name))).toEqual([['hold:NoSchedule'], ['hold:NoSchedule']]);
  });

  it('is judged again if it was made before: what was made cannot wait', async () => {
    const made = await change('alice', HOLD);
    const id = made.at('change.id') as string;
    await guard(WRITES, { ...SHARE, name: 'few nodes', require: 'preview.nodesNewlyClosed < cluster.nodes' });
    const apply = (body: object): Promise<Answer> => as('alice', 'POST', `/taint-changes/${id}/apply`, body);
    const preview = await apply({ dryRun: true });
    expect(preview.at('guardrails')).toMatchObject([
      { rule: 'writes are approved', outcome: 'approvalNeeded' },
      { rule: 'few nodes', outcome: 'refused', message: 'preview.nodesNewlyClosed < cluster.nodes is not true' },
    ]);
    const refused = await apply({});
    expect([refused.status, refused.at('errors')]).toMatchObject([
      409,
      [
        { name: 'writes are approved', message: expect.stringContaining('revert it') as unknown },
        { name: 'few nodes' },
      ],
    ]);
    await guard({
      name: 'two at most',
      require: 'change.nodes.size() <= 2 && change.taintsAdded.size() == 1',
      action: 'refuse',
    });
    const started = await apply({});
    expect([started.status, started.at('guardrails')]).toMatchObject([202, [{ outcome: 'holds' }]]);
    for (;;) if ((await get(id)).at('change.application.state') === 'done') break;
    expect(apiServer.taintsOf('a')).toEqual(['hold:NoSchedule']);
  });
});
describe('a change of a DeviceTaintRule', () => {
  const GPUS = [
    ...CLUSTER,
    GPU_CLASS,
    gpuSlice('p1', 'gpu-0', 'gpu-1'),
    ...gpuUser('train', { node: 'p1', device: 'gpu-0' }),
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'train', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'train' } } },
      status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 },
    },
  ];
  const KINDS = `&kinds=${DEVICE_KINDS},PodDisruptionBudget`;
  const gpus = async (objects: readonly object[] = GPUS): Promise<void> => {
    const answer = await as('root', 'POST', `/snapshots?allowRemovals=true${KINDS}`, list(objects));
    expect(answer.status).toBe(201);
  };
  const broken = (device?: string): object => ({
    apiVersion: 'resource.k8s.io/v1beta2',
    kind: 'DeviceTaintRule',
    metadata: { name: 'broken' },
    spec: {
      deviceSelector: { driver: GPU_DRIVER, pool: 'p1', ...(device !== undefined && { device }) },
      taint: { key: 'example.com/broken', value: 'true', effect: 'NoExecute' },
    },
  });
  const taint = (name: Name, body: object, headers = {}): Promise<Answer> =>
    as(name, 'POST', '/device-taint-changes', { reason: 'ECC errors', ...body }, headers);
  const ON_PROD = {
    name: 'devices of production',
    require: 'change.devices.all(d, d.nodeLabels["env"] != "prod")',
    action: 'requireApproval',
    approvals: 2,
  };
  const BUDGETS = { name: 'budgets', require: 'preview.budgets.violated == 0', action: 'refuse' };

  it('is judged by what it does where rules count, whatever feature gates are asked for', async () => {
    await gpus();
    await guard(BUDGETS, { ...FEW, require: 'preview.evictions.now == 0' }, TICKET, TWO_FOR_PROD);
    const preview = await taint('ann', { put: broken(), dryRun: true });
    expect([preview.status, preview.at('inEffect'), preview.at('evictions.now')]).toEqual([200, false, 0]);
    expect(preview.at('guardrails')).toMatchObject([
      { rule: 'budgets', outcome: 'refused', evaluation: 'notMet' },
      { rule: 'few evictions', outcome: 'refused', message: 'evicts 1 pods' },
      { rule: 'has a link', outcome: 'warned' },
      {
        rule: 'two approve production',
        outcome: 'approvalNeeded',
        evaluation: 'unknown',
        message: expect.stringContaining('change.nodes is not known: the change is of a DeviceTaintRule') as unknown,
      },
    ]);
    const refused = await taint('alice', { put: broken(), featureGates: { DRADeviceTaintRules: false } });
    expect([refused.status, refused.at('code'), refused.at('errors')]).toMatchObject([
      409,
      'guardrail-refused',
      [{ name: 'budgets' }, { name: 'few evictions' }],
    ]);
    await guard(BUDGETS, TICKET);
    const made = await taint('alice', { put: broken('gpu-1') });
    expect([made.status, made.at('guardrails')]).toMatchObject([201, [{ outcome: 'holds' }, { outcome: 'warned' }]]);
    const stored = await get(made.at('change.id') as string);
    expect(stored.json).toMatchObject({
      guardrails: made.at('guardrails'),
      deviceTaintRule: { rule: 'broken', outcome: 'created', devices: { total: 1, items: [{ name: 'gpu-1' }] } },
    });
    const [, request] = await trail(made.at('change.id') as string);
    expect((await as('ann', 'GET', `/taint-trail/records/${String(request!['sequence'])}`)).json).toMatchObject({
      body: { guardrails: [{ rule: 'budgets', outcome: 'holds' }, { rule: 'has a link' }] },
    });
  });

  it('waits, is on the record, and is made when enough others have approved it', async () => {
    await gpus();
    await guard(ON_PROD);
    const headers = { 'idempotency-key': 'k' };
    const answer = await taint('alice', { put: broken() }, headers);
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({
      change: { deviceTaintRule: 'broken', status: 'awaitingApproval', approval: { needed: 2 } },
      rule: 'broken',
      outcome: 'created',
      devices: { total: 2 },
      guardrails: [{ outcome: 'approvalNeeded' }],
    });
    const again = await taint('alice', { put: broken() }, headers);
    expect([again.status, again.at('replayed'), again.at('devices.total')]).toEqual([200, true, 2]);
    const id = answer.at('change.id') as string;
    expect((await as('ann', 'GET', '/taint-changes?approval=waiting')).at('items.0')).toMatchObject({
      id,
      deviceTaintRule: 'broken',
    });
    expect((await get(id)).at('deviceTaintRule')).toMatchObject({ rule: 'broken', devices: { total: 2 } });
    expect((await approve('alice', id)).at('code')).toBe('approval-not-allowed');
    expect((await approve('bob', id)).status).toBe(202);
    const made = await approve('carol', id);
    expect([made.status, made.at('change'), made.at('deviceTaintRule.outcome')]).toMatchObject([
      201,
      { id, deviceTaintRule: 'broken', status: 'recorded', approval: { state: 'approved' } },
      'created',
    ]);
    expect((await trail(id)).map(({ kind, deviceTaintRule }) => [kind, deviceTaintRule])).toEqual([
      ['change', 'broken'],
      ...['request', 'approval', 'approval', 'approval'].map((kind) => [kind, null]),
    ]);
    const asked = (await trail(id)).at(-1)!;
    expect((await as('ann', 'GET', `/taint-trail/records/${String(asked['sequence'])}`)).json).toMatchObject({
      body: { step: 'asked', deviceTaintRule: { rule: 'broken', devices: 2 } },
    });
    expect((await as('ann', 'GET', '/taint-trail/verify')).json).toMatchObject({ holds: true });
  });

  it('is written once it is approved, if that was asked', async () => {
    await gpus();
    const connection = { kubeconfig: apiServer.kubeconfig(), writes: true };
    expect((await as('root', 'PUT', '/connection', connection)).status).toBe(200);
    await guard(ON_PROD);
    const id = (await taint('alice', { put: broken(), apply: true })).at('change.id');
    expect((await approve('bob', id)).at('change.approval')).toMatchObject({ state: 'waiting', apply: true });
    apiServer.lacks.add('create devicetaintrules');
    const missing = await approve('carol', id);
    expect([missing.status, missing.at('errors.0.code')]).toEqual([403, 'rule-missing']);
    apiServer.lacks.clear();
    expect((await approve('carol', id)).status).toBe(201);
    const state = async (): Promise<unknown> => (await get(id as string)).at('deviceTaintRule.application.state');
    for (;;) if ((await state()) === 'written') break;
    expect(apiServer.rules.all.get('broken')?.spec.taint.value).toBe('true');
  });

  it('has a revert that waits, too', async () => {
    await gpus();
    const id = (await taint('alice', { put: broken('gpu-1') })).at('change.id') as string;
    await guard({ name: 'no reverts', require: 'change.action != "revert"', action: 'requireApproval' });
    const undone = await as('alice', 'POST', `/taint-changes/${id}/revert`, { reason: 'mended' });
    expect([undone.status, undone.at('change.status'), undone.at('deviceTaintRule.outcome')]).toEqual([
      202,
      'awaitingApproval',
      'removed',
    ]);
    const made = await approve('bob', undone.at('change.id'));
    expect([made.status, made.at('change')]).toMatchObject([201, { undoes: id, deviceTaintRule: 'broken' }]);
    expect((await get(id)).at('change.undoneBy')).toBe(made.at('change.id'));
  });

  it('waits again if it covers more devices, and cannot be approved once nothing is left to do', async () => {
    await gpus();
    await guard(ON_PROD);
    const id = (await taint('alice', { put: broken() })).at('change.id') as string;
    await gpus([
      ...GPUS.filter((one) => (one as { kind: string }).kind !== 'ResourceSlice'),
      gpuSlice('p1', 'gpu-0', 'gpu-1', 'gpu-2'),
    ]);
    const moved = await approve('bob', id);
    expect([moved.status, moved.at('change.approval.note'), moved.at('deviceTaintRule.devices.total')]).toEqual([
      202,
      expect.stringMatching(/1 more device would be covered: gpu.example.com\/p1\/gpu-2$/),
      3,
    ]);
    const rule = (await get(id)).at('deviceTaintRule.after.timeAdded') as string;
    const standing = broken() as { spec: { taint: object } };
    await gpus([
      ...GPUS,
      { ...standing, spec: { ...standing.spec, taint: { ...standing.spec.taint, timeAdded: rule } } },
    ]);
    const nothing = await approve('bob', id);
    expect([nothing.status, nothing.at('detail')]).toEqual([
      409,
      'Nothing is left to change: the DeviceTaintRule is as the change would leave it. Reject the change.',
    ]);
    expect((await as('bob', 'POST', `/taint-changes/${id}/reject`, { reason: 'done' })).at('change.status')).toBe(
      'rejected',
    );
  });
});
