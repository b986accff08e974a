import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { node } from '../support/dumps.js';
import { eventFaults } from '../support/event-schemas.js';
import { ManualClock } from '../support/manual-clock.js';
import { accepts, answers, type Received, TestReceiver } from '../support/receiver.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;

let folder: string;
let settings: Record<string, string>;
let receiver: TestReceiver;
let other: TestReceiver;
let service: TestService;
let clock: ManualClock;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  const keyFile = join(folder, 'keys');
  await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`);
  [receiver, other] = await Promise.all([TestReceiver.start(), TestReceiver.start()]);
  clock = new ManualClock();
  settings = { CONNECTION_KEY_FILE: keyFile, NOTIFICATION_ALLOWED_ADDRESSES: '127.0.0.0/8' };
  service = await startTestService(settings, { clock });
});
afterAll(async () => {
  await service.close();
  await Promise.all([receiver.stop(), other.stop()]);
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  expect(await eventFaults(service.url, [...receiver.got, ...other.got])).toEqual([]);
});
beforeEach(() => {
  for (const one of [receiver, other]) {
    one.got.length = 0;
    one.behaviour = accepts;
  }
});

const at = (cluster: string, path: string): string => `/api/v1/clusters/${cluster}/${path}`;
const put = async (cluster: string, name: string, body: object = {}, to = receiver): Promise<void> => {
  const rule = { kinds: ['taintChanged'], format: 'cloudevents', url: `${to.url}/${name}`, secret: SECRET, ...body };
  const answer = await service.request('PUT', at(cluster, `notification-rules/${name}`), rule);
  if (answer.status !== 200) throw new Error(answer.text);
};
const taint = async (cluster: string, taints: string, nodes = ['a'], by = service): Promise<void> => {
  const answer = await by.request('POST', at(cluster, 'taint-changes'), { nodes, taints: [taints], reason: 'test' });
  if (answer.status !== 201) throw new Error(answer.text);
};
const deliveries = async (cluster: string, query = ''): Promise<readonly Record<string, unknown>[]> =>
  (await service.request('GET', at(cluster, `notification-deliveries${query}`))).at('items') as Record<
    string,
    unknown
  >[];
const summariesOf = (got: readonly Received[]): readonly unknown[] =>
  got.map(({ json }) => (json['data'] as { summary: string }).summary);
/** Asks until something holds. */
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds()));
};
const isSettled = (cluster: string) => async (): Promise<boolean> =>
  (await deliveries(cluster)).every(({ state, nextAttemptAt }) => state !== 'waiting' || nextAttemptAt !== null);

describe('notifications', () => {
  it('tell of changes of taints, without values, to the rules that they concern', async () => {
    await store(service, 'one', [node('a'), node('b')]);
    await put('one', 'all');
    await put('one', 'values', { taintValues: true });
    await put('one', 'keys', { taintKeys: ['gpu'] }, other);
    await put('one', 'effects', { effects: ['NoExecute'] }, other);
    await put('one', 'severe', { minSeverity: 'warning' }, other);
    await put('one', 'nodes', { nodeSelector: 'pool=gpu' }, other);
    await put('one', 'off', { disabled: true }, other);
    await put('one', 'slack', { format: 'slack', secret: undefined }, other);
    await taint('one', 'dedicated=ml:NoSchedule', ['a', 'b']);
    await receiver.hasGot(2);
    await other.hasGot(1);
    const byPath = new Map(receiver.got.map((got) => [got.path, got.json]));
    expect(byPath.get('/all')).toMatchObject({
      type: 'io.kube-placement.taint.changed.v1',
      source: '/api/v1/clusters/one',
      severity: 'info',
      data: {
        summary: 'Taints changed on 2 nodes: added dedicated=***:NoSchedule, by anonymous',
        taintChangeRecorded: { action: 'change', nodes: ['a', 'b'], nodeCount: 2, reason: 'test' },
      },
    });
    expect(JSON.stringify(byPath.get('/all'))).not.toContain('=ml');
    expect(JSON.stringify(byPath.get('/values'))).toContain('added dedicated=ml:NoSchedule');
    await taint('one', 'gpu=x:NoExecute');
    await receiver.hasGot(4);
    await other.hasGot(5);
    await until(isSettled('one'));
    expect(other.got.map(({ path }) => path).sort()).toEqual(['/effects', '/keys', '/severe', '/slack', '/slack']);
    expect(await deliveries('one', '?rule=nodes')).toEqual([]);
    const [first] = await deliveries('one', '?rule=all&limit=1');
    expect(first).toMatchObject({ rule: 'all', state: 'delivered', attempts: 1, status: 204, severity: 'warning' });
    const query = '{ cluster(name: "one") { notificationDeliveries(state: delivered) { nodes { rule kind } } } }';
    expect((await service.graphql(query)).at('data.cluster.notificationDeliveries.nodes.0.kind')).toBe('taintChanged');
    const metrics = await service.request('GET', '/metrics');
    expect(metrics.text).toMatch(
      /kube_placement_notification_attempts_total\{format="cloudevents",outcome="delivered"\} 7/,
    );
  });

  it('are sent again with the same id while their receiver fails, in order, and hold up no other rule', async () => {
    await store(service, 'two', [node('a')]);
    await put('two', 'fails');
    await put('two', 'works', {}, other);
    receiver.behaviour = answers(503);
    for (const key of ['k1', 'k2', 'k3']) await taint('two', `${key}:NoSchedule`);
    await other.hasGot(3);
    await receiver.hasGot(1);
    await until(isSettled('two'));
    expect(await deliveries('two', '?rule=fails')).toMatchObject([
      { state: 'waiting', attempts: 0 },
      { state: 'waiting', attempts: 0 },
      { state: 'waiting', attempts: 1, status: 503, error: 'the receiver answered 503' },
    ]);
    receiver.behaviour = (response) => response.destroy();
    clock.pass(2);
    await receiver.hasGot(2);
    await until(isSettled('two'));
    receiver.behaviour = accepts;
    clock.pass(10);
    await receiver.hasGot(5);
    const ids = receiver.got.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(new Set(ids).size).toBe(3);
    const told = ['k1', 'k2', 'k3'].map((key) => `Taints changed on a: added ${key}:NoSchedule, by anonymous`);
    expect(summariesOf(receiver.got.slice(2))).toEqual(told);
    expect(summariesOf(other.got)).toEqual(told);
  });

  it('wait as long as Retry-After says, and stop when the receiver is gone', async () => {
    await store(service, 'three', [node('a')]);
    await put('three', 'limited');
    receiver.behaviour = answers(429, { 'retry-after': '600' });
    await taint('three', 'k1:NoSchedule');
    await receiver.hasGot(1);
    await until(isSettled('three'));
    const [waiting] = await deliveries('three');
    expect(waiting!['nextAttemptAt']).toBe(new Date(clock.now().getTime() + 600_000).toISOString());
    await taint('three', 'k2:NoSchedule');
    await until(async () => (await deliveries('three')).length === 2);
    receiver.behaviour = answers(410);
    clock.pass(601);
    await receiver.hasGot(2);
    await until(async () => (await deliveries('three')).every(({ state }) => state === 'givenUp'));
    const rule = await service.request('GET', at('three', 'notification-rules/limited'));
    expect(rule.json).toMatchObject({ stoppedReason: 'the receiver answered 410', waiting: 0, givenUp: 2 });
    receiver.behaviour = accepts;
    await put('three', 'limited');
    await taint('three', 'k4:NoSchedule');
    await receiver.hasGot(3);
    expect(JSON.stringify(receiver.got.slice(2).map(({ json }) => json))).toContain('k4:NoSchedule');
  });

  it('are given up after a day, listed, and delivered when they are retried', async () => {
    await store(service, 'four', [node('a')]);
    await put('four', 'down');
    receiver.behaviour = answers(500);
    await taint('four', 'k1:NoSchedule');
    await receiver.hasGot(1);
    await until(isSettled('four'));
    clock.pass(25 * 3600);
    await receiver.hasGot(2);
    await until(async () => (await deliveries('four', '?state=givenUp')).length === 1);
    const [given] = await deliveries('four', '?state=givenUp');
    expect(given).toMatchObject({ attempts: 2, status: 500, finishedAt: clock.now().toISOString() });
    expect(service.logLines()).toContain('a notification was given up');
    expect(service.logLines().includes(receiver.url)).toBe(false);
    receiver.behaviour = accepts;
    const retried = await service.request('POST', at('four', `notification-deliveries/${String(given!['id'])}/retry`));
    expect(retried.json).toMatchObject({ state: 'waiting', attempts: 0 });
    await receiver.hasGot(3);
    await until(async () => (await deliveries('four', '?state=delivered')).length === 1);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const id of ['0', 'x', '99999999999999999999'])
      expect((await service.request('POST', at('four', `notification-deliveries/${id}/retry`))).status).toBe(404);
  });

  it('that a receiver refuses for what they are hold up the next ones no longer than three attempts', async () => {
    await store(service, 'five', [node('a')]);
    await put('five', 'picky');
    receiver.behaviour = (response, { body }) => {
      response.writeHead(body.includes('k1:NoSchedule') ? 422 : 200).end();
    };
    await taint('five', 'k1:NoSchedule');
    await taint('five', 'k2:NoSchedule');
    for (const count of [1, 2]) {
      await receiver.hasGot(count);
      await until(isSettled('five'));
      clock.pass(60);
    }
    await receiver.hasGot(4);
    await until(async () => (await deliveries('five', '?state=delivered')).length === 1);
    expect(await deliveries('five')).toMatchObject([{ state: 'delivered' }, { state: 'givenUp', attempts: 3 }]);
  });

  it('of a rule about several clusters come from those that it selects, and from later ones from their beginning', async () => {
    await store(service, 'six', [node('a')]);
    const rule = { kinds: ['taintChanged'], format: 'cloudevents', url: receiver.url, secret: SECRET };
    const path = '/api/v1/notification-rules/fleet';
    await service.request('PUT', path, { ...rule, clusterSelector: 'env=prod' });
    await taint('six', 'k1:NoSchedule');
    await service.request('PUT', '/api/v1/clusters/seven', { labels: { env: 'prod' } });
    await store(service, 'seven', [node('a')]);
    await taint('seven', 'k2:NoSchedule');
    await receiver.hasGot(1);
    expect(receiver.got[0]!.json).toMatchObject({ source: '/api/v1/clusters/seven' });
    // However soon the labels follow a change, it is none of a cluster that the rule selects.
    await taint('six', 'k3:NoSchedule');
    await service.request('PUT', '/api/v1/clusters/six', { labels: { env: 'prod' } });
    await taint('six', 'k4:NoSchedule');
    await receiver.hasGot(2);
    await until(isSettled('six'));
    expect(summariesOf(receiver.got.slice(1))).toEqual(['Taints changed on a: added k4:NoSchedule, by anonymous']);
    await service.request('DELETE', path);
  });
});

describe('two replicas', () => {
  it('tell of each change once and in order', async () => {
    const second = await startTestService({ ...settings, DATABASE_URL: service.databaseUrl }, { clock });
    try {
      await store(service, 'shared', [node('a')]);
      await put('shared', 'both');
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
      for (const [index, key] of keys.entries())
        await taint('shared', `${key}:NoSchedule`, ['a'], index % 2 === 0 ? service : second);
      await receiver.hasGot(keys.length);
      await until(isSettled('shared'));
      expect(summariesOf(receiver.got)).toEqual(
        keys.map((key) => `Taints changed on a: added ${key}:NoSchedule, by anonymous`),
      );
    } finally {
      await second.close();
    }
  });

  it('deliver what one of them stored and did not deliver before it died', async () => {
    await store(service, 'fatal', [node('a')]);
    await put('fatal', 'held');
    // The receiver never answers: the replica hangs with its lease, as if it were dead.
    receiver.behaviour = () => undefined;
    await taint('fatal', 'k1:NoSchedule');
    await taint('fatal', 'k2:NoSchedule');
    await receiver.hasGot(1);
    receiver.behaviour = accepts;
    const later = new ManualClock();
    later.pass((clock.now().getTime() - later.now().getTime()) / 1000 + 60);
    const second = await startTestService({ ...settings, DATABASE_URL: service.databaseUrl }, { clock: later });
    try {
      await receiver.hasGot(3);
      const ids = receiver.got.map(({ headers }) => headers['webhook-id']);
      expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
      await until(async () => (await deliveries('fatal', '?state=delivered')).length === 2);
    } finally {
      await second.close();
    }
  });
});
