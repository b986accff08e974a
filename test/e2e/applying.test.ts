import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/app/clock.js';
import { send } from '../support/dumps.js';
import { NodesApiServer } from '../support/nodes-api-server.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

/** A clock that the tests advance. */
class SetClock extends Clock {
  private ahead = 0;

  override now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  advance(seconds: number): void {
    this.ahead += seconds * 1000;
  }
}

const clock = new SetClock();
let folder: string;
let apiServer: NodesApiServer;
let service: TestService;
let cluster = '';
let made = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  apiServer = await NodesApiServer.start();
  service = await startTestService({ CONNECTION_KEY_FILE: join(folder, 'keys') }, { clock });
});
afterAll(async () => {
  apiServer.release();
  await service.close();
  await apiServer.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  cluster = `c${++made}`;
  apiServer.nodes.clear();
  apiServer.rules.all.clear();
  apiServer.rules.done.length = 0;
  apiServer.writes.length = 0;
  apiServer.asked.length = 0;
  apiServer.lacks.clear();
  apiServer.meddle = () => undefined;
  for (const name of ['a', 'b', 'c']) apiServer.addNode(name);
  await snapshot();
});

const base = (): string => `/api/v1/clusters/${cluster}`;
const snapshot = (): Promise<Answer> =>
  send(service, `${base()}/snapshots?createCluster=true&allowRemovals=true`, JSON.stringify(apiServer.list()));
const connect = (more: object = { writes: true }): Promise<Answer> =>
  service.request('PUT', `${base()}/connection`, { kubeconfig: apiServer.kubeconfig(), ...more });
const HOLD = { nodes: ['c', 'a', 'b'], taints: ['hold=x:NoSchedule'], reason: 'a test' };
const change = (body: object): Promise<Answer> =>
  service.request('POST', `${base()}/taint-changes`, { ...HOLD, ...body });
const read = (id: unknown): Promise<Answer> => service.request('GET', `${base()}/taint-changes/${String(id)}`);
/** Reads a change until its application is as it should be; the test fails by its time limit otherwise. */
async function until(id: unknown, state: string, at = 'change.application.state'): Promise<Answer> {
  for (;;) {
    const answer = await read(id);
    if (answer.at(at) === state) return answer;
    await pause(20);
  }
}
const states = (answer: Answer): unknown =>
  (answer.json as { nodes: { node: string; application: { state: string } | null }[] }).nodes.map(
    ({ node, application }) => `${node} ${application?.state ?? 'none'}`,
  );
const records = async (kind: string): Promise<readonly Record<string, unknown>[]> => {
  const { json } = await service.request('GET', `${base()}/taint-trail/records?kind=${kind}&order=oldest`);
  return (json as { items: Record<string, unknown>[] }).items;
};

describe('the access of a caller', () => {
  const missing = async (member = 'missingForApply'): Promise<unknown> =>
    ((await service.request('GET', `${base()}/access?apply=true`)).at(member) as { code: string }[] | null)?.map(
      ({ code }) => code,
    );

  it('names everything that is missing for changes to be applied', async () => {
    expect(await missing()).toEqual(['connection-not-found']);
    apiServer.lacks.add('patch');
    await connect({ writes: false });
    expect(await missing()).toEqual(['writes-not-allowed', 'rule-missing']);
    apiServer.lacks.clear();
    await connect();
    expect(await missing()).toEqual([]);
    expect((await service.request('GET', `${base()}/access`)).at('missingForApply')).toBeNull();
  });

  it('names what is missing for DeviceTaintRules apart: the user may write nodes, but not these', async () => {
    await connect();
    apiServer.lacks.add('create devicetaintrules').add('delete devicetaintrules');
    expect([await missing(), await missing('missingForDeviceTaintRules')]).toEqual([
      [],
      ['rule-missing', 'rule-missing'],
    ]);
    const { text } = await service.request('GET', `${base()}/access?apply=true`);
    expect(text).toContain('the user of the connection may not create devicetaintrules');
    apiServer.lacks.clear();
    expect(await missing('missingForDeviceTaintRules')).toEqual([]);
  });
});

describe('a change that is applied', () => {
  it('is written node by node in the given order, each first as a dry run, and is on the record', async () => {
    await connect();
    const answer = await change({ apply: true });
    expect([answer.status, answer.at('change.application.state'), states(answer)]).toEqual([
      201,
      'running',
      ['c waiting', 'a waiting', 'b waiting'],
    ]);
    const id = answer.at('change.id');
    const done = await until(id, 'done');
    expect(states(done)).toEqual(['c written', 'a written', 'b written']);
    expect(done.at('change.application.counts')).toMatchObject({ written: 3, waiting: 0 });
    expect(apiServer.writes.map(({ node, dryRun }) => `${node}${dryRun ? ' dry' : ''}`)).toEqual([
      'c dry',
      'c',
      'a dry',
      'a',
      'b dry',
      'b',
    ]);
    for (const name of ['a', 'b', 'c']) expect(apiServer.taintsOf(name)).toEqual(['hold=x:NoSchedule']);
    expect((await records('applied')).map(({ node, summary, change: of }) => [node, summary, of])).toEqual([
      ['c', 'the change was written to the cluster', id],
      ['a', 'the change was written to the cluster', id],
      ['b', 'the change was written to the cluster', id],
    ]);
    expect((await records('application')).map(({ summary }) => summary)).toEqual([
      'applying the change started',
      'applying the change done',
    ]);
    expect(done.at('nodes.0.application')).toMatchObject({
      code: 200,
      resourceVersion: apiServer.nodes.get('c')!.metadata.resourceVersion,
    });
    // Confirmed by what the cluster shows, as every intent.
    expect(done.at('change.status')).toBe('recorded');
    clock.advance(1);
    await snapshot();
    expect((await read(id)).at('change.status')).toBe('confirmed');
    const verified = await service.request('GET', `${base()}/taint-trail/verify`);
    expect([verified.status, verified.at('holds')]).toEqual([200, true]);
  });

  it('is nothing but an intent until it is told to be applied', async () => {
    await connect();
    const id = (await change({})).at('change.id');
    expect((await read(id)).at('change.application')).toBeNull();
    const applied = await service.request('POST', `${base()}/taint-changes/${String(id)}/apply`, {});
    expect([applied.status, applied.at('change.application.state')]).toEqual([202, 'running']);
    await until(id, 'done');
    const again = await service.request('POST', `${base()}/taint-changes/${String(id)}/apply`, {});
    expect([again.status, again.at('replayed'), apiServer.done.length]).toEqual([200, true, 3]);
  });

  it('is judged on the newest state, also if guardrails come while it is looked at', async () => {
    await connect();
    const id = (await change({})).at('change.id');
    const guardrails = [{ name: 'nothing', require: '!change.apply', action: 'refuse', message: 'not now' }];
    const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
    let stored: Promise<Answer> | undefined;
    apiServer.beforeReview = () => (stored ??= service.request('PUT', `${base()}/guardrails`, document));
    const refused = await service.request('POST', `${base()}/taint-changes/${String(id)}/apply`, {});
    apiServer.beforeReview = () => Promise.resolve();
    expect((await stored!).status).toBe(200);
    expect([refused.status, refused.at('code'), refused.at('errors.0.message')]).toEqual([
      409,
      'guardrail-refused',
      'not now',
    ]);
    expect((await read(id)).at('change.application')).toBeNull();
    expect(apiServer.done).toEqual([]);
  });

  it('is taken back in the cluster, too, when it is reverted with apply', async () => {
    await connect();
    const id = (await change({ apply: true })).at('change.id');
    await until(id, 'done');
    const revert = await service.request('POST', `${base()}/taint-changes/${String(id)}/revert`, {
      reason: 'done',
      apply: true,
    });
    await until(revert.at('change.id'), 'done');
    for (const name of ['a', 'b', 'c']) expect(apiServer.taintsOf(name)).toEqual([]);
  });

  it('is taken back in the cluster when it expires', async () => {
    await connect();
    const id = (await change({ apply: true, expiresAt: new Date(clock.now().getTime() + 3_600_000).toISOString() })).at(
      'change.id',
    );
    await until(id, 'done');
    clock.advance(3_601);
    await until((await until(id, 'done', 'change.expiry')).at('change.undoneBy'), 'done');
    for (const name of ['a', 'b', 'c']) expect(apiServer.taintsOf(name)).toEqual([]);
  });
});

describe('what is missing to apply a change', () => {
  it('is named, all at once, and nothing is stored', async () => {
    await connect({ writes: false });
    apiServer.lacks.add('get').add('patch');
    const refused = await change({ apply: true });
    expect([refused.status, refused.at('code')]).toEqual([403, 'apply-not-allowed']);
    expect(refused.at('errors')).toEqual([
      {
        code: 'writes-not-allowed',
        message: `the connection of cluster ${cluster} is read only: put it again with writes`,
      },
      {
        code: 'rule-missing',
        message:
          'the user of the connection may not get nodes: its ClusterRole lacks {"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}',
      },
      {
        code: 'rule-missing',
        message:
          'the user of the connection may not patch nodes: its ClusterRole lacks {"apiGroups":[""],"resources":["nodes"],"verbs":["patch"]}',
      },
    ]);
    expect((await service.request('GET', `${base()}/taint-changes`)).at('items')).toEqual([]);
    const { json } = await service.request('GET', `${base()}/connection`);
    expect(json).toMatchObject({ writes: false, permissions: [] });
    await connect();
    expect((await service.request('GET', `${base()}/connection`)).at('permissions')).toMatchObject([
      { verb: 'get', resource: 'nodes', allowed: false },
      { verb: 'patch', resource: 'nodes', allowed: false, rule: { verbs: ['patch'] } },
      ...['get', 'create', 'patch', 'delete'].map((verb) => ({ verb, resource: 'devicetaintrules', allowed: true })),
    ]);
  });

  it('is a connection', async () => {
    const refused = await change({ apply: true });
    expect(refused.at('errors')).toMatchObject([{ code: 'connection-not-found' }]);
  });

  it('is sensible options', async () => {
    const wrong = await change({ applyOptions: { nodesPerMinute: 1, delaySeconds: 2 } });
    expect([wrong.status, wrong.at('errors')]).toMatchObject([
      400,
      [{ pointer: '/applyOptions' }, { pointer: '/applyOptions/delaySeconds' }],
    ]);
  });
});

describe('taints of others', () => {
  it('are left alone by name unless forced', async () => {
    await connect();
    const theirs = {
      taints: ['node.kubernetes.io/not-ready:NoSchedule', 'readiness.k8s.io/gpu:NoSchedule'],
      nodes: ['a'],
    };
    const refused = await change({ ...theirs, apply: true });
    expect([refused.status, refused.at('code')]).toEqual([409, 'taint-change-refused']);
    expect(refused.at('errors')).toMatchObject([
      {
        code: 'taint-owned',
        name: 'a',
        message: expect.stringContaining('the node lifecycle controller of kube-controller-manager keeps'),
      },
      { code: 'taint-owned', name: 'a', message: expect.stringContaining('the Node Readiness Controller keeps') },
    ]);
    // A mere intent is warned of.
    const intent = await change({ ...theirs, dryRun: true });
    expect(JSON.stringify(intent.at('effects.warnings'))).toContain('taint-key-owned');
    const forced = await change({ ...theirs, apply: true, applyOptions: { force: true } });
    await until(forced.at('change.id'), 'done');
    expect(apiServer.taintsOf('a')).toHaveLength(2);
  });

  it('are left alone on the node as it is by then', async () => {
    await connect();
    apiServer.change('a', ({ metadata }) => {
      metadata.annotations = { 'cluster.x-k8s.io/taints-from-machine': 'hold:NoSchedule' };
    });
    const id = (await change({ nodes: ['a'], apply: true })).at('change.id');
    const stopped = await until(id, 'done');
    expect(stopped.at('nodes.0.application')).toMatchObject({
      state: 'refused',
      code: null,
      message: expect.stringContaining("Cluster API lists it in the node's annotation"),
    });
    expect(apiServer.done).toEqual([]);
  });
});

describe('an application', () => {
  it('stops at the given number of failures, with the words of the API server, and can be taken up', async () => {
    await connect();
    apiServer.meddle = ({ method, node }) => (method === 'PATCH' && node !== 'b' ? 'forbidden' : undefined);
    const id = (await change({ apply: true, applyOptions: { maxFailures: 2 } })).at('change.id');
    const stopped = await until(id, 'stopped');
    expect(states(stopped)).toEqual(['c refused', 'a refused', 'b waiting']);
    expect(stopped.at('change.application.message')).toBe('2 nodes were not written; 1 more were left alone');
    expect(stopped.at('nodes.0.application')).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "u" cannot patch resource "nodes"'),
    });
    apiServer.meddle = () => undefined;
    await service.request('POST', `${base()}/taint-changes/${String(id)}/apply`, {});
    expect(states(await until(id, 'done'))).toEqual(['c written', 'a written', 'b written']);
    expect(
      (await records('applied')).map(({ node, summary }) => `${String(node)} ${String(summary).slice(0, 22)}`),
    ).toEqual([
      'c the change was refused',
      'a the change was refused',
      'c the change was written',
      'a the change was written',
      'b the change was written',
    ]);
  });

  it('waits for an overloaded API server, and says so', async () => {
    await connect();
    let overloaded = true;
    apiServer.meddle = () => (overloaded ? 'overloaded' : undefined);
    const id = (await change({ apply: true })).at('change.id');
    const waiting = await until(id, 'Too many requests, please try again later.', 'change.application.message');
    expect(waiting.at('nodes.0.application')).toMatchObject({ state: 'waiting', code: 429, attempts: 1 });
    overloaded = false;
    clock.advance(60);
    expect(states(await until(id, 'done'))).toEqual(['c written', 'a written', 'b written']);
  });

  it('keeps to its pace', async () => {
    await connect();
    const id = (await change({ apply: true, applyOptions: { nodesPerMinute: 1 } })).at('change.id');
    for (const written of ['c', 'a', 'b']) {
      await until(id, 'written', `nodes.${['c', 'a', 'b'].indexOf(written)}.application.state`);
      expect(apiServer.done.map(({ node }) => node).at(-1)).toBe(written);
      clock.advance(60);
    }
    await until(id, 'done');
  });

  it('is cancelled: what waits stays as it is, and what was sent is judged', async () => {
    await connect();
    const id = (await change({ apply: true, applyOptions: { delaySeconds: 3600 } })).at('change.id');
    await until(id, 'written', 'nodes.0.application.state');
    const cancelled = await service.request('POST', `${base()}/taint-changes/${String(id)}/cancel-application`);
    expect([
      cancelled.status,
      cancelled.at('change.application.state'),
      cancelled.at('change.application.message'),
    ]).toEqual([200, 'cancelled', 'cancelled by anonymous']);
    expect(states(cancelled)).toEqual(['c written', 'a waiting', 'b waiting']);
    clock.advance(3600);
    const query = `mutation { cancelTaintChangeApplication(input: { cluster: "${cluster}", id: "${String(id)}" }) { change { application { state } } } }`;
    expect((await service.graphql(query)).at('data.cancelTaintChangeApplication.change.application.state')).toBe(
      'cancelled',
    );
    expect(apiServer.done).toHaveLength(1);
  });

  it('ends when the connection allows no writes any longer', async () => {
    await connect();
    const id = (await change({ apply: true, applyOptions: { delaySeconds: 60 } })).at('change.id');
    await until(id, 'written', 'nodes.0.application.state');
    await connect({});
    clock.advance(61);
    const stopped = await until(id, 'stopped');
    expect(stopped.at('change.application.message')).toBe(
      'the connection of the cluster does not allow writes any longer',
    );
    expect(apiServer.done).toHaveLength(1);
  });

  it('does not overwrite what is not as it was previewed', async () => {
    await connect();
    apiServer.change('a', ({ spec }) => (spec.taints = [{ key: 'hold', value: 'theirs', effect: 'NoSchedule' }]));
    const id = (await change({ nodes: ['a'], apply: true })).at('change.id');
    expect((await until(id, 'done')).at('nodes.0.application')).toMatchObject({
      state: 'refused',
      message: 'hold=theirs:NoSchedule is there, which was not when the change was made',
    });
    expect(apiServer.taintsOf('a')).toEqual(['hold=theirs:NoSchedule']);
  });

  it('counts a write once whose answer is lost', async () => {
    await connect();
    const lost = new Set(['c', 'a', 'b']);
    apiServer.meddle = ({ method, node, dryRun }) =>
      method === 'PATCH' && !dryRun && lost.delete(node) ? (node === 'a' ? 'timeoutAfter' : 'cutAfter') : undefined;
    const id = (await change({ apply: true })).at('change.id');
    const done = await until(id, 'done');
    expect(states(done)).toEqual(['c written', 'a written', 'b written']);
    expect(apiServer.done).toHaveLength(3);
    const [first] = await records('applied');
    const explained = await service.request('GET', `${base()}/taint-trail/records/${String(first!['sequence'])}`);
    expect(explained.text).toContain('The answer of the API server was lost.');
  });
});

describe('a change of a DeviceTaintRule that is applied', () => {
  const rule = (value = 'true'): object => ({
    apiVersion: 'resource.k8s.io/v1beta2',
    kind: 'DeviceTaintRule',
    metadata: { name: 'broken', labels: { team: 'ml' } },
    spec: {
      deviceSelector: { driver: 'gpu.example.com' },
      taint: { key: 'example.com/broken', value, effect: 'NoExecute' },
    },
  });
  const taint = (body: object): Promise<Answer> =>
    service.request('POST', `${base()}/device-taint-changes`, { reason: 'a test', apply: true, ...body });
  const written = async (answer: Answer): Promise<unknown> =>
    (await until(answer.at('change.id'), 'done')).at('deviceTaintRule.application');
  const there = (): string | undefined => apiServer.rules.all.get('broken')?.spec.taint.value;

  it('is created, replaced and removed in the version that the API server has, each tried before', async () => {
    await connect();
    const created = await taint({ put: rule() });
    expect([created.status, created.at('application.state'), created.at('change.application.state')]).toEqual([
      201,
      'waiting',
      'running',
    ]);
    expect(await written(created)).toMatchObject({ state: 'written', code: 201, testedVersion: null });
    expect(apiServer.rules.all.get('broken')).toMatchObject({
      apiVersion: 'resource.k8s.io/v1alpha3',
      metadata: { labels: { team: 'ml' } },
      spec: { deviceSelector: { driver: 'gpu.example.com' }, taint: { value: 'true' } },
    });
    const replaced = await taint({ put: rule('no') });
    expect(await written(replaced)).toMatchObject({ state: 'written', code: 200 });
    expect(there()).toBe('no');
    const removed = await taint({ remove: 'broken' });
    expect(await written(removed)).toMatchObject({ state: 'written' });
    expect(there()).toBeUndefined();
    expect(apiServer.rules.done).toEqual(['create', 'replace', 'remove']);
    expect(await records('applied')).toMatchObject(
      [created, replaced, removed].map((answer) => ({
        deviceTaintRule: 'broken',
        change: answer.at('change.id'),
        summary: expect.stringContaining('written to the cluster'),
      })),
    );
    expect((await service.request('GET', `${base()}/taint-trail/verify`)).json).toMatchObject({ holds: true });
  });

  it('is an intent until it is told to be applied, and is judged by guardrails then', async () => {
    await connect();
    const id = (await taint({ put: rule(), apply: false })).at('change.id') as string;
    const path = `${base()}/taint-changes/${id}/apply`;
    const guardrails = [
      { name: 'not by hand', require: 'change.subject == "nodes" || !change.apply', action: 'refuse' },
      { name: 'one driver', require: 'change.deviceTaintRule.driver == "gpu.example.com"', action: 'warn' },
    ];
    const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
    await service.request('PUT', `${base()}/guardrails`, document);
    const refused = await service.request('POST', path, {});
    expect([refused.status, refused.at('errors')]).toMatchObject([409, [{ name: 'not by hand' }]]);
    await service.request('DELETE', `${base()}/guardrails`);
    const tried = await service.request('POST', path, { dryRun: true });
    expect([tried.status, tried.at('deviceTaintRule.application')]).toMatchObject([200, { state: 'admitted' }]);
    expect(there()).toBeUndefined();
    expect((await service.request('POST', path, {})).status).toBe(202);
    expect((await until(id, 'done')).at('deviceTaintRule.application.state')).toBe('written');
    expect(there()).toBe('true');
  });

  it('is taken back in the cluster when it is reverted with apply, and when it expires', async () => {
    await connect();
    const made = await taint({ put: rule() });
    await written(made);
    const undone = await service.request('POST', `${base()}/taint-changes/${String(made.at('change.id'))}/revert`, {
      reason: 'mended',
      apply: true,
    });
    expect(await written(undone)).toMatchObject({ state: 'written' });
    expect(there()).toBeUndefined();
    const ends = await taint({ put: rule(), expiresAt: new Date(clock.now().getTime() + 3_600_000).toISOString() });
    await written(ends);
    clock.advance(3_601);
    await until((await until(ends.at('change.id'), 'done', 'change.expiry')).at('change.undoneBy'), 'done');
    expect(there()).toBeUndefined();
  });

  it('leaves alone what others made of the rule since', async () => {
    await connect();
    await written(await taint({ put: rule() }));
    apiServer.rules.change('broken', ({ spec }) => (spec.taint.value = 'theirs'));
    const devices = '(driver gpu.example.com)';
    const [ours, theirs] = ['true', 'theirs'].map((value) => `example.com/broken=${value}:NoExecute ${devices}`);
    expect(await written(await taint({ put: rule('no') }))).toMatchObject({
      state: 'refused',
      message: `the change replaces ${ours}, which is now ${theirs}`,
    });
    expect(there()).toBe('theirs');
  });

  it('is decided anew if somebody else is faster, and counts once if its answer is lost', async () => {
    await connect();
    let faster = true;
    apiServer.meddle = ({ method, dryRun }) => {
      if (method === 'POST' && !dryRun) return 'cutAfter';
      if (method === 'PATCH' && !dryRun && faster) {
        faster = false;
        apiServer.rules.change('broken', ({ metadata }) => (metadata.labels = { team: 'sre' }));
      }
      return method === 'DELETE' && !dryRun ? 'timeoutAfter' : undefined;
    };
    expect(await written(await taint({ put: rule() }))).toMatchObject({ state: 'written', code: null });
    expect(await written(await taint({ put: rule('no') }))).toMatchObject({ state: 'written', code: 200 });
    // What is gone has no owner who could prove who removed it.
    expect(await written(await taint({ remove: 'broken' }))).toMatchObject({
      state: 'unchanged',
      message: expect.stringContaining('it is not known who made it'),
    });
    expect(apiServer.rules.done).toEqual(['create', 'replace', 'remove']);
  });

  it('needs rights on DeviceTaintRules, and only these', async () => {
    await connect();
    apiServer.lacks.add('get').add('patch').add('create devicetaintrules');
    const refused = await taint({ put: rule() });
    expect([refused.status, refused.at('code'), refused.at('errors')]).toMatchObject([
      403,
      'apply-not-allowed',
      [{ code: 'rule-missing', message: expect.stringContaining('may not create devicetaintrules') }],
    ]);
    apiServer.lacks.delete('create devicetaintrules');
    const tried = await taint({ put: rule(), dryRun: true });
    expect([tried.status, tried.at('application')]).toMatchObject([200, { state: 'admitted', code: 201 }]);
    const wrong = await taint({ put: rule(), apply: false, applyOptions: {} });
    expect(wrong.at('errors.0.field')).toBe('applyOptions');
  });
});

describe('a dry run of an application', () => {
  it('has the API server say what it would do to each node, and writes and stores nothing', async () => {
    await connect();
    apiServer.meddle = ({ method, node }) => (method === 'PATCH' && node === 'b' ? 'forbidden' : undefined);
    const preview = await change({ apply: true, dryRun: true });
    expect([preview.status, preview.at('change'), states(preview)]).toEqual([
      200,
      null,
      ['c admitted', 'a admitted', 'b refused'],
    ]);
    const id = (await change({})).at('change.id');
    const tried = await service.request('POST', `${base()}/taint-changes/${String(id)}/apply`, { dryRun: true });
    expect([tried.status, tried.at('dryRun'), states(tried)]).toEqual([
      200,
      true,
      ['c admitted', 'a admitted', 'b refused'],
    ]);
    expect([(await read(id)).at('change.application'), apiServer.done]).toEqual([null, []]);
  });
});
