import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { admit, installRequestContext } from '../../src/api/http/request-context.decorator.js';
import { installCallerQueues } from '../../src/api/http/caller-queues.js';
import { installErrorHandler } from '../../src/api/http/error-handler.js';
import { SystemClock } from '../../src/app/clock.js';
import { Access } from '../../src/auth/access.js';

/** A route behind the service's queues that responds when the test lets it. */
const server = fastify({ forceCloseConnections: true });
let url = '';
let begun = 0;
let letOut: (() => void)[] = [];
beforeAll(async () => {
  installRequestContext(server, new SystemClock());
  server.addHook('onRequest', (request, _reply, done) => {
    const name = String(request.headers['x-name']);
    admit(request, { caller: { kind: 'token', name, groups: [] } as never, access: Access.everything });
    done();
  });
  installCallerQueues(server);
  installErrorHandler(server, pino({ level: 'silent' }));
  server.post('/slow', async () => {
    begun++;
    await new Promise<void>((resolve) => letOut.push(resolve));
    return {};
  });
  server.get('/read', () => ({}));
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

const ask = (name: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/slow`, { method: 'POST', headers: { 'x-name': name }, ...(signal === undefined ? {} : { signal }) });
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};
const finish = async (answers: readonly Promise<Response>[]): Promise<number[]> => {
  let left = answers.length;
  for (const answer of answers) void answer.finally(() => left--);
  while (left > 0) {
    for (const out of letOut) out();
    letOut = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Promise.all(answers.map(async (answer) => (await answer).status));
};

describe('the questions of one caller', () => {
  it('run 16 at a time, and do not block those of other callers', async () => {
    begun = 0;
    const many = Array.from({ length: 40 }, () => ask('a'));
    await until(() => begun === 16);
    const other = ask('b');
    await until(() => begun === 17);
    expect((await fetch(`${url}/read`, { headers: { 'x-name': 'a' } })).status).toBe(200);
    expect(begun).toBe(17);
    expect(new Set(await finish([...many, other]))).toEqual(new Set([200]));
    expect(begun).toBe(41);
  });

  it('are refused with Retry-After if 200 are waiting', async () => {
    begun = 0;
    const many = Array.from({ length: 216 + 5 }, () => ask('a'));
    const refused = await Promise.race(many);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ code: 'too-many-questions' });
    const statuses = await finish(many);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(216);
  });

  it('are dropped if the caller disconnects while they wait', async () => {
    begun = 0;
    const running = Array.from({ length: 16 }, () => ask('a'));
    await until(() => begun === 16);
    const gone = new AbortController();
    const waiting = ask('a', gone.signal).catch((error: unknown) => (error as Error).name);
    gone.abort();
    expect(await waiting).toBe('AbortError');
    const last = ask('a');
    expect(await finish([...running, last])).toEqual(Array(17).fill(200));
  });
});
