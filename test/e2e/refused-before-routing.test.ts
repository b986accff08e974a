import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { plainRequest, rawExchange } from '../support/plain-http.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'graphql-transport-ws',
};

it.each<[string, string, object, string]>([
  ['a handshake of a WebSocket without a key', '/graphql', { 'sec-websocket-key': 'x' }, 'Sec-WebSocket-Key'],
  ['one of another version', '/graphql', { 'sec-websocket-version': '12' }, 'Sec-WebSocket-Version'],
  ['one that offers another protocol', '/graphql', { 'sec-websocket-protocol': 'graphql-ws' }, 'graphql-transport-ws'],
  ['one at another path', '/api/v1/clusters', {}, '/graphql'],
])('%s is refused with a problem document', async (_, path, headers, says) => {
  const answer = await plainRequest(service.url + path, { headers: { ...HANDSHAKE, ...headers } });
  expect([answer.status, answer.headers['content-type']]).toEqual([
    400,
    expect.stringContaining('application/problem+json'),
  ]);
  expect(answer.json).toMatchObject({ status: 400, code: 'malformed-http', detail: expect.stringContaining(says) });
});

it('an Expect that cannot be met is refused with a problem document', async () => {
  const request =
    'PUT /api/v1/clusters/c HTTP/1.1\r\nhost: localhost\r\nexpect: miracle\r\ncontent-length: 2\r\n\r\n{}';
  const text = await rawExchange(service.url, request);
  expect(text).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
  expect(text).toMatch(/content-type: application\/problem\+json/i);
  expect(text).toContain('"code":"expectation-failed"');
  expect(text).toContain('miracle');
});

it('a request that is not HTTP is refused with a problem document', async () => {
  const text = await rawExchange(service.url, 'nonsense\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('"code":"malformed-http"');
});
