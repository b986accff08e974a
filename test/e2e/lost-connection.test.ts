import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventFaults } from '../support/event-schemas.js';
import { LivingApiServer } from '../support/living-api-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestReceiver } from '../support/receiver.js';
import { startTestService, type TestService } from '../support/service.js';

/** Of node a in version 9. */
const HASH = createHash('sha256').update('/a\nu-a\n9').digest('hex').slice(0, 16);
const AT = '/api/v1/clusters/living';
const clock = new ManualClock();
let folder: string;
let receiver: TestReceiver;
let api: LivingApiServer;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-connection-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  receiver = await TestReceiver.start();
  api = await LivingApiServer.start();
  const settings = {
    CONNECTION_KEY_FILE: join(folder, 'keys'),
    FOLLOW_COALESCE_MS: '20',
    PUBLIC_URL: 'https://placement.example',
  };
  service = await startTestService({ ...settings, NOTIFICATION_ALLOWED_ADDRESSES: '127.0.0.1' }, { clock });
});
afterAll(async () => {
  await service.close();
  await api.stop();
  await receiver.stop();
  await rm(folder, { recursive: true });
});

const isStored = async (name: string): Promise<void> => {
  while (!(await service.request('GET', `${AT}/nodes`)).text.includes(`"name":"${name}"`));
};

describe('the notification of a lost connection', () => {
  it('comes when a followed cluster gives no sign of life, and another one when it does again', async () => {
    api.put('nodes', 'a');
    await service.request('PUT', AT, {});
    const rule = { kinds: ['connectionLost'], minSeverity: 'critical', format: 'alertmanager' };
    const url = `${receiver.url}/api/v2/alerts`;
    expect((await service.request('PUT', `${AT}/notification-rules/lost`, { ...rule, url })).status).toBe(200);
    const connection = { kubeconfig: api.kubeconfig, follow: true };
    expect((await service.request('PUT', `${AT}/connection`, connection)).status).toBe(200);
    await isStored('a');
    // For the rule, the last sign of life is old now.
    clock.pass(400);
    await receiver.hasGot(1);
    clock.pass(-400);
    api.put('nodes', 'b');
    await receiver.hasGot(2);
    const labels = { alertname: 'KubePlacementConnectionLost', cluster: 'living', severity: 'critical', rule: 'lost' };
    const alerts = receiver.got.map(({ json }) => (json as unknown as Record<string, unknown>[])[0]!);
    expect(alerts).toMatchObject([
      { labels, annotations: { summary: expect.stringMatching(/^The connection to the cluster is lost: no sign of/) } },
      { labels, annotations: { summary: 'The connection to the cluster is no longer lost' } },
    ]);
    expect(alerts[0]!['startsAt']).toBe(alerts[1]!['startsAt']);
  });

  it('comes when an agent is silent, until it sends again or somebody else stores what it sent', async () => {
    const at = '/api/v1/clusters/with-agent';
    // Its rule tells of it as time passes.
    await service.request('DELETE', AT);
    receiver.got.length = 0;
    const dump = {
      kind: 'NodeList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '10' },
      items: [{ metadata: { name: 'a', uid: 'u-a', resourceVersion: '9' } }],
    };
    const ask = async (path: string, body: object): Promise<void> => {
      const answer = await service.request(path.includes('rules') ? 'PUT' : 'POST', `${at}${path}`, body);
      expect([200, 201]).toContain(answer.status);
    };
    await ask('/snapshots?createCluster=true&kinds=Node', dump);
    let sequence = 0;
    const delta = (resourceVersion: string): Promise<void> => {
      const position = { kind: 'Node', resourceVersion, count: 1, hash: HASH };
      const rest = { stream: 'an-agent', sequence: (sequence += 1), capturedAt: clock.now().toISOString() };
      return ask('/deltas', { ...rest, upserts: [], deletions: [], positions: [position] });
    };
    await delta('11');
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const rule = { kinds: ['connectionLost'], format: 'cloudevents', url: receiver.url, secret };
    await ask('/notification-rules/lost', rule);
    clock.pass(400);
    await receiver.hasGot(1);
    await delta('12');
    // It is looked for signs of life every 15 s.
    clock.pass(16);
    await receiver.hasGot(2);
    clock.pass(400);
    await receiver.hasGot(3);
    await ask('/snapshots?kinds=Node', dump);
    clock.pass(16);
    await receiver.hasGot(4);
    expect(await eventFaults(service.url, receiver.got)).toEqual([]);
    expect(receiver.got[0]!.json).toMatchObject({
      type: 'io.kube-placement.connection.lost.v1',
      dataschema: 'https://placement.example/docs/events/io.kube-placement.connection.lost.v1.schema.json',
      data: { connection: { via: 'agent' } },
    });
    expect(receiver.got.map(({ json }) => (json['data'] as { summary: string }).summary)).toEqual([
      expect.stringMatching(/^The agent of the cluster is silent: no sign of life since \d/),
      'The agent of the cluster is no longer silent',
      expect.stringMatching(/^The agent of the cluster is silent: no sign of life since \d/),
      'The agent of the cluster is no longer silent',
    ]);
  });
});
