import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LivingApiServer } from '../support/living-api-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { TestReceiver } from '../support/receiver.js';
import { startTestService, type TestService } from '../support/service.js';

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
  const settings = { CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '20' };
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
});
