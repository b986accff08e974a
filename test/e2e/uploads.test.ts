import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { list, node, send } from '../support/dumps.js';
import { until } from '../support/followers.js';
import { plainRequest } from '../support/plain-http.js';
import { startTestService, type TestService } from '../support/service.js';

const BASE = '/api/v1/clusters/c';

let service: TestService;
beforeAll(async () => {
  // The proxy's header distinguishes anonymous callers.
  service = await startTestService({ UPLOADS_PER_CALLER: '2', UPLOADS: '3', TRUST_PROXY: 'loopback' });
  expect((await send(service, `${BASE}/snapshots?createCluster=true`, list([node('a')]))).status).toBe(201);
});
afterAll(() => service.close());

const TYPE = { 'content-type': 'application/json' };

/** Begins to send a body and does not end it. */
async function begin(path: string, address: string): Promise<ClientRequest> {
  const headers = { ...TYPE, 'x-forwarded-for': address, expect: '100-continue' };
  const sent = request(service.url + path, { method: 'POST', headers, agent: false });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write('{"items":[');
  return sent;
}

it('uploads are limited per caller and in total, and a place is free when one ends', async () => {
  const upload = (address: string) =>
    plainRequest(`${service.url}${BASE}/snapshots`, {
      method: 'POST',
      headers: { ...TYPE, 'x-forwarded-for': address },
      body: list([node('a')]),
    });
  const first = await begin(`${BASE}/snapshots`, '10.0.0.1');
  const second = await begin(`${BASE}/audit-events`, '10.0.0.1');
  const refused = await upload('10.0.0.1');
  expect(refused.json).toMatchObject({ status: 429, code: 'too-many-uploads' });
  expect(refused.headers['retry-after']).toBe('5');
  expect((await upload('10.0.0.2')).status).toBe(201);

  const third = await begin(`${BASE}/snapshots`, '10.0.0.2');
  const crowded = await upload('10.0.0.3');
  expect(crowded.json).toMatchObject({ status: 503, code: 'too-many-snapshots' });
  expect(crowded.headers['retry-after']).toBe('5');
  expect((await plainRequest(`${service.url}${BASE}/nodes`, {})).status).toBe(200);

  first.destroy();
  await until(async () => (await upload('10.0.0.1')).status === 201);
  for (const sent of [second, third]) sent.destroy();
});
