import { createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../../src/app/notifications/render-event.js';
import { node } from '../support/dumps.js';
import { eventFaults } from '../support/event-schemas.js';
import { accepts, answers, type Received, TestReceiver } from '../support/receiver.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

const RULE = '/api/v1/clusters/shop/notification-rules/oncall';
const GENERAL = '/api/v1/notification-rules/everywhere';
const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;

let folder: string;
let receiver: TestReceiver;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-placement-keys-'));
  const keyFile = join(folder, 'keys');
  await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`);
  receiver = await TestReceiver.start();
  const settings = { CONNECTION_KEY_FILE: keyFile, PUBLIC_URL: 'https://placement.example/base' };
  service = await startTestService({ ...settings, NOTIFICATION_ALLOWED_ADDRESSES: '127.0.0.1' });
  await store(service, 'shop', [node('a')]);
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  expect(await eventFaults(service.url, receiver.got)).toEqual([]);
});
beforeEach(() => {
  receiver.got.length = 0;
  receiver.behaviour = accepts;
});

const rule = (more: object = {}): object => ({
  kinds: ['taintChanged'],
  format: 'cloudevents',
  url: `${receiver.url}/hook?token=q-secret`,
  secret: SECRET,
  ...more,
});
const put = (body: object, at = RULE): Promise<Answer> => service.request('PUT', at, body);
const faultsOf = (answer: Answer): readonly string[] =>
  (answer.at('errors') as readonly { readonly pointer?: string; readonly field?: string }[])
    .map(({ pointer, field }) => pointer ?? field ?? '')
    .sort();

describe('a notification rule', () => {
  it('is refused with everything that is wrong, and nothing is stored', async () => {
    const refused = await put({
      kinds: [],
      namespaces: ['a', 'Not-A-Namespace'],
      taintKeys: ['ok', 'not ok'],
      format: 'cloudevents',
      url: 'ftp://user@10.0.0.1/#part',
      secret: 'whsec_c2hvcnQ=',
      headers: { host: 'x', 'a b': 'x', ok: 'line\nbreak', 'webhook-id': '1' },
    });
    expect([refused.status, refused.at('code')]).toEqual([400, 'invalid-request']);
    expect(faultsOf(refused)).toEqual([
      '/headers/a b',
      '/headers/host',
      '/headers/ok',
      '/headers/webhook-id',
      '/kinds',
      '/namespaces/1',
      '/secret',
      '/taintKeys/1',
      '/url',
      '/url',
      '/url',
      '/url',
    ]);
    // Members of the wrong form, and those that are wrong in themselves, are named together.
    const kinds = await put({
      ...rule({ secret: 'x', taintKeys: ['a b'] }),
      kinds: ['nothing'],
      quotaThreshold: 0,
      staleAfter: 'soon',
      nodeSelector: '==',
    });
    expect(faultsOf(kinds)).toEqual([
      '/kinds',
      '/nodeSelector',
      '/quotaThreshold',
      '/secret',
      '/staleAfter',
      '/taintKeys/0',
    ]);
    expect(faultsOf(await put({ kinds: ['taintChanged'], format: 'slack' }))).toEqual(['/url']);
    expect(faultsOf(await put(rule({ secret: undefined })))).toEqual(['/secret']);
    expect(faultsOf(await put(rule({ format: 'alertmanager' })))).toEqual(['/secret', '/url']);
    expect((await put(rule(), '/api/v1/clusters/shop/notification-rules/Bad_Name')).status).toBe(400);
    expect((await service.request('GET', RULE)).at('code')).toBe('object-not-found');
  });

  it.each([
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:192.168.1.1]/x',
    'https://0x7f.2/x',
    'https://2130706434/x',
    'https://[fd00::1]/x',
    'http://example.com/x',
    'http://127.0.0.2/x',
  ])('does not send to %s', async (url) => {
    const refused = await put(rule({ url }));
    expect([refused.status, ...faultsOf(refused)]).toEqual([400, '/url']);
  });

  it('keeps its receiver secret, and keeps it when it is put without one', async () => {
    const headers = { Authorization: 'Bearer h-secret' };
    const created = await put(rule({ headers, namespaces: ['shop'], effects: ['NoExecute'] }));
    expect(created.json).toMatchObject({
      name: 'oncall',
      cluster: 'shop',
      clusterSelector: null,
      format: 'cloudevents',
      receiver: receiver.url,
      isSigned: true,
      headerNames: ['Authorization'],
      kinds: ['taintChanged'],
      namespaces: ['shop'],
      taintKeys: [],
      effects: ['NoExecute'],
      minSeverity: 'info',
      quotaThreshold: 90,
      staleAfter: '1h',
      taintValues: false,
      disabled: false,
      stoppedAt: null,
      waiting: 0,
      givenUp: 0,
    });
    const changed = await put({ kinds: ['evictionDue'], format: 'cloudevents' });
    expect(changed.json).toMatchObject({ kinds: ['evictionDue'], receiver: receiver.url, isSigned: true });
    const others = [
      await put({ kinds: ['evictionDue'], format: 'cloudevents', headers }),
      await put({ kinds: ['evictionDue'], format: 'slack' }),
    ];
    expect(others.map(faultsOf)).toEqual([['/headers'], ['/url']]);
    const query = '{ cluster(name: "shop") { notificationRules { nodes { name receiver kinds } } } }';
    const asked = await service.graphql(query);
    expect(asked.at('data.cluster.notificationRules.nodes')).toEqual([
      { name: 'oncall', receiver: receiver.url, kinds: ['evictionDue'] },
    ]);
    const list = await service.request('GET', '/api/v1/clusters/shop/notification-rules');
    expect((await service.request('POST', `${RULE}/test`)).at('delivered')).toBe(true);
    const rows = JSON.stringify(await sql(service.databaseUrl, 'select * from notification_rules'));
    for (const text of [created, changed, asked, list].map((answer) => answer.text).concat(rows, service.logLines())) {
      for (const secret of ['q-secret', 'h-secret', SECRET, KEY.toString('base64').slice(0, 20)])
        expect(text).not.toContain(secret);
    }
  });

  it('sends a signed CloudEvent as a test, and says what the receiver answered', async () => {
    await put(rule({ headers: { authorization: 'Bearer x' } }));
    receiver.behaviour = answers(418, {}, `short and stout ${'x'.repeat(5000)}`);
    const tested = await service.request('POST', `${RULE}/test`);
    expect(tested.json).toMatchObject({ delivered: false, status: 418, error: null });
    expect(tested.at('body')).toMatch(/^short and stout x{984}$/);
    const [got] = receiver.got;
    const { headers, body, path, method } = got!;
    expect([method, path, headers.authorization, headers['content-type']]).toEqual([
      'POST',
      '/hook?token=q-secret',
      'Bearer x',
      'application/cloudevents+json; charset=utf-8',
    ]);
    expect(headers['webhook-request-origin']).toBe('placement.example');
    expect(got!.json).toMatchObject({
      specversion: '1.0',
      id: tested.at('eventId'),
      source: 'https://placement.example/base/api/v1/clusters/shop',
      type: 'io.kube-placement.test.v1',
      datacontenttype: 'application/json',
      data: { cluster: 'shop', rule: 'oncall', status: 'happened' },
    });
    const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
    expect(headers['webhook-id']).toBe(tested.at('eventId'));
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
  });

  it('signs with both secrets while one is replaced', async () => {
    const next = randomBytes(24);
    await put(rule({ secret: `whsec_${next.toString('base64')} ${SECRET}` }));
    await service.request('POST', `${RULE}/test`);
    const { headers, body } = receiver.got[0]!;
    const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
    const of = (key: Buffer): string => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    expect(headers['webhook-signature']).toBe(`${of(next)} ${of(KEY)}`);
  });

  it('does not follow redirects, and reads no more of an answer than it shows', async () => {
    await put(rule());
    receiver.behaviour = answers(302, { location: `${receiver.url}/elsewhere` });
    expect((await service.request('POST', `${RULE}/test`)).json).toMatchObject({ delivered: false, status: 302 });
    expect(receiver.got.map(({ path }) => path)).toEqual(['/hook?token=q-secret']);
    // An answer without an end.
    receiver.behaviour = (response) => {
      response.writeHead(200);
      response.write('y'.repeat(100_000));
    };
    const endless = await service.request('POST', `${RULE}/test`);
    expect(endless.json).toMatchObject({ delivered: true, status: 200, body: 'y'.repeat(1000) });
    receiver.behaviour = (response) => response.destroy();
    const cut = await service.request('POST', `${RULE}/test`);
    expect(cut.json).toMatchObject({ delivered: false, status: null, body: null });
    expect(cut.at('error')).toMatch(/socket hang up|closed|ECONNRESET/);
  });

  it('does not send to a name that resolves to an address inside the network', async () => {
    const stored = await put(rule({ url: 'https://localhost.localdomain.invalid/x' }));
    expect(stored.status).toBe(200);
    const unknown = await service.request('POST', `${RULE}/test`);
    expect(unknown.json).toMatchObject({ delivered: false, status: null });
    // `localhost` is ::1 or 127.0.0.1; only the latter is allowed here, and a name is refused if any of its addresses is.
    const other = await startTestService({
      DATABASE_URL: service.databaseUrl,
      CONNECTION_KEY_FILE: join(folder, 'keys'),
    });
    try {
      await put(rule({ url: receiver.url.replace('127.0.0.1', 'localhost') }));
      const refused = await other.request('POST', `${RULE}/test`);
      expect(refused.json).toMatchObject({ delivered: false, status: null });
      expect(refused.at('error')).toContain('NOTIFICATION_ALLOWED_ADDRESSES');
      expect(receiver.got).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('may be about several clusters', async () => {
    const created = await put({ ...rule(), clusterSelector: 'env=prod' }, GENERAL);
    expect(created.json).toMatchObject({ name: 'everywhere', cluster: null, clusterSelector: 'env=prod' });
    expect(faultsOf(await put(rule({ clusterSelector: 'env=prod' })))).toEqual(['/clusterSelector']);
    const list = await service.request('GET', '/api/v1/notification-rules');
    expect((list.at('items') as object[]).length).toBe(1);
    expect((await service.request('POST', `${GENERAL}/test`)).at('delivered')).toBe(true);
    const mutation = 'mutation { deleteGeneralNotificationRule(input: {name: "everywhere"}) { deleted } }';
    const deleted = [await service.graphql(mutation), await service.graphql(mutation)];
    expect(deleted.map((answer) => answer.at('data.deleteGeneralNotificationRule.deleted'))).toEqual([true, false]);
    expect((await service.request('GET', GENERAL)).status).toBe(404);
  });
});

describe('the permission of a receiver of CloudEvents', () => {
  const grants =
    (headers: Record<string, string>, status = 200) =>
    (response: ServerResponse): unknown =>
      response.writeHead(status, headers).end();
  const permissionAt = async (path = RULE): Promise<unknown> => (await service.request('GET', path)).at('permission');
  afterEach(async () => {
    receiver.permits = (response) => response.writeHead(405).end();
    await service.request('DELETE', RULE);
  });

  it.each<[string, (response: ServerResponse) => unknown, object]>([
    [
      'is granted to the name of the service, at a rate',
      grants({ allow: 'POST', 'WebHook-Allowed-Origin': 'placement.example', 'WebHook-Allowed-Rate': '600' }),
      { state: 'granted', allowedRate: 600, message: null },
    ],
    [
      'is granted to everybody at any rate, whatever the status is',
      grants({ 'WebHook-Allowed-Origin': '*', 'WebHook-Allowed-Rate': '*' }, 405),
      { state: 'granted', allowedRate: null, message: null },
    ],
    [
      'is not granted by a status alone',
      grants({ allow: 'POST, OPTIONS' }),
      { state: 'notGranted', message: 'the receiver answered 200 without the header WebHook-Allowed-Origin' },
    ],
    [
      'is not granted where another origin is',
      grants({ 'WebHook-Allowed-Origin': 'other.example', 'WebHook-Allowed-Rate': '1' }),
      { state: 'notGranted', allowedRate: null, message: 'the receiver allows "other.example", not placement.example' },
    ],
    [
      'is unanswered where nobody answers',
      (response) => response.destroy(),
      { state: 'unanswered', message: expect.stringMatching(/socket hang up|closed before the answer/) },
    ],
  ])('%s', async (_, permits, expected) => {
    receiver.permits = permits;
    receiver.asked.length = 0;
    const answer = await put(rule({ headers: { authorization: 'Bearer x' } }));
    expect(answer.status).toBe(200);
    expect(answer.at('permission')).toMatchObject({ origin: 'placement.example', ...expected });
    expect(await permissionAt()).toEqual(answer.at('permission'));
    expect(receiver.asked).toHaveLength(1);
    expect(receiver.asked[0]).toMatchObject({
      method: 'OPTIONS',
      path: '/hook?token=q-secret',
      headers: {
        'webhook-request-origin': 'placement.example',
        'webhook-request-rate': '120',
        authorization: 'Bearer x',
      },
    });
    expect(receiver.got).toHaveLength(0);
  });

  it('is asked for again by a test and by a PUT that keeps the receiver; a test is delivered without it', async () => {
    await put(rule());
    expect(await permissionAt()).toMatchObject({ state: 'notGranted' });
    const tested = await service.request('POST', `${RULE}/test`);
    expect(tested.json).toMatchObject({ delivered: true, permission: { state: 'notGranted' } });
    receiver.permits = grants({ 'WebHook-Allowed-Origin': 'PLACEMENT.example', 'WebHook-Allowed-Rate': '60' });
    expect((await service.request('POST', `${RULE}/test`)).at('permission')).toMatchObject({ state: 'granted' });
    expect(await permissionAt()).toMatchObject({ state: 'granted', allowedRate: 60 });
    receiver.permits = grants({});
    const kept = await put({ kinds: ['taintChanged'], format: 'cloudevents' });
    expect(kept.at('permission')).toMatchObject({ state: 'notGranted' });
  });

  it('is not asked for by rules of other forms', async () => {
    receiver.asked.length = 0;
    const slack = await put({ kinds: ['taintChanged'], format: 'slack', url: `${receiver.url}/slack` });
    expect([slack.status, slack.at('permission')]).toEqual([200, null]);
    expect(receiver.asked).toEqual([]);
  });

  it('limits how many events are sent in a minute', async () => {
    receiver.permits = grants({ 'WebHook-Allowed-Origin': '*', 'WebHook-Allowed-Rate': '1' });
    await put(rule());
    const change = (key: string): Promise<Answer> =>
      service.request('POST', '/api/v1/clusters/shop/taint-changes', {
        nodes: ['a'],
        taints: [`${key}:NoSchedule`],
        reason: 'a test',
      });
    await change('rate-1');
    await receiver.hasGot(1);
    await change('rate-2');
    const path = '/api/v1/clusters/shop/notification-deliveries?rule=oncall&state=waiting';
    let waiting: Answer;
    do waiting = await service.request('GET', path);
    while (waiting.at('items.0') === undefined);
    const [first, queue] = await Promise.all([
      sql<{ at: Date }>(
        service.databaseUrl,
        "select attempted_at as at from notification_deliveries where state = 'delivered' order by id desc limit 1",
      ),
      sql<{ at: Date }>(
        service.databaseUrl,
        'select not_before as at from notification_queues where not_before is not null',
      ),
    ]);
    expect(queue.map(({ at }) => at.getTime())).toEqual([first[0]!.at.getTime() + 60_000]);
    expect(receiver.got).toHaveLength(1);
  });
});

describe('the schemas of the data of CloudEvents', () => {
  it('are served for each type, to everybody', async () => {
    const types = Object.values(EVENT_TYPES).flat() as readonly string[];
    for (const type of types) {
      const answer = await service.request('GET', `/docs/events/io.kube-placement.${type}.v1.schema.json`);
      expect([type, answer.status]).toEqual([type, 200]);
      expect(answer.json).toMatchObject({ required: ['cluster', 'rule', 'status', 'summary'] });
      expect(answer.text).not.toContain('#/components');
      // It compiles: every reference leads somewhere.
      const none = {
        json: { specversion: '1.0', type: `io.kube-placement.${type}.v1`, data: {} },
      } as unknown as Received;
      expect(await eventFaults(service.url, [none])).toHaveLength(1);
    }
  });

  it.each(['io.kube-placement.unknown.v1.schema.json', 'io.kube-placement.test.v1', '__proto__.schema.json'])(
    'are not there for %s',
    async (file) => {
      const answer = await service.request('GET', `/docs/events/${file}`);
      expect([answer.status, answer.at('code')]).toEqual([404, 'route-not-found']);
    },
  );
});
