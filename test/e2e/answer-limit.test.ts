import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { installRequestContext } from '../../src/api/http/request-context.decorator.js';
import { installAnswerLimit, MAX_RESPONSE_CHARACTERS } from '../../src/api/http/response-limit.js';
import { isLongerThan } from '../../src/core/json/json-length.js';
import { installErrorHandler } from '../../src/api/http/error-handler.js';
import { SystemClock } from '../../src/app/clock.js';

const server = fastify({ forceCloseConnections: true });
let written = 0;
beforeAll(async () => {
  installRequestContext(server, new SystemClock());
  installAnswerLimit(server);
  installErrorHandler(server, pino({ level: 'silent' }));
  server.setReplySerializer((payload) => {
    written++;
    return JSON.stringify(payload);
  });
  const text = 'x'.repeat(1024 * 1024);
  const answer = (megabytes: number): object => ({ items: Array.from({ length: megabytes }, () => text) });
  server.get('/large', () => answer(33));
  server.get('/small', () => answer(31));
  server.get('/graphql', () => ({ data: answer(33) }));
  await server.ready();
});
afterAll(() => server.close());

describe('a response of more than 32 MiB', () => {
  it('is replaced by a problem that says what to request instead, and is never serialized', async () => {
    written = 0;
    const answer = await server.inject('/large');
    expect([answer.statusCode, written]).toEqual([422, 0]);
    expect(answer.json()).toMatchObject({
      code: 'answer-too-large',
      detail:
        'The response would be larger than 32 MiB. Request less: a smaller limit, fewer nodes or items, or a summary.',
    });
    expect((await server.inject('/small')).statusCode).toBe(200);
  });

  it('is an error in GraphQL', async () => {
    const answer = await server.inject('/graphql');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ data: null, errors: [{ extensions: { code: 'answer-too-large' } }] });
  });
});

it.each([
  ['a text', 'x'.repeat(100)],
  ['numbers', Array(100).fill(1)],
  ['a map', Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, index]))],
  ['an int64', Array(40).fill(2n ** 62n)],
  ['nested objects', { a: { b: { c: ['x'.repeat(60), 'y'.repeat(60)] } } }],
  ['times', Array(10).fill(new Date(0))],
])('the estimated length of %s is close to that of its JSON', (_, value) => {
  const { length } = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? Number(member) : member,
  );
  expect([isLongerThan(value, length / 5), isLongerThan(value, length * 4)]).toEqual([true, false]);
  expect(isLongerThan(value, MAX_RESPONSE_CHARACTERS)).toBe(false);
});
