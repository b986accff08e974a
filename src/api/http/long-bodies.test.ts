import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { installLongBodies, stepJoin } from './long-bodies.js';
import { bodyOf } from './written-body.js';

/** Some megabytes, with characters of one to four bytes. */
const LONG = {
  items: Array.from({ length: 20_000 }, (_, index) => ({ name: `n-${index}`, text: 'aäß—😀'.repeat(5) })),
};

describe('a long response', () => {
  let app: FastifyInstance;

  beforeAll(async () => {
    app = fastify();
    app.setReplySerializer(bodyOf as (answer: unknown) => string);
    installLongBodies(app);
    app.get('/', () => LONG);
    await app.ready();
  });
  afterAll(() => app.close());

  it('has the bytes of its JSON', async () => {
    const { rawPayload } = await app.inject('/');
    expect(rawPayload.equals(Buffer.from(JSON.stringify(LONG)))).toBe(true);
  });
});

describe('pieces of a response', () => {
  it('are joined in steps of one piece', () => {
    const pieces = ['ab', '', 'c', 'def'].map((text) => Buffer.from(text));
    const steps = stepJoin(pieces);
    let paused = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) paused++;
    expect(step.value).toEqual(Buffer.concat(pieces));
    expect(paused).toBe(pieces.length);
  });

  it('may be none', () => {
    expect(stepJoin([]).next()).toEqual({ done: true, value: Buffer.alloc(0) });
  });
});
