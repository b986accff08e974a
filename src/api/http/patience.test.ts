import { describe, expect, it } from '@jest/globals';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Patience } from './patience.js';
import { StreamedBody } from './streamed-body.js';

const LIMITS = { ms: 60_000, bytesPerSecond: 1024 };

describe('the patience with a sender', () => {
  it('is used up by silence', () => {
    const patience = new Patience(LIMITS);
    patience.waited(59_000, 0);
    expect(patience.leftMs).toBe(1000);
  });

  it('is used up by a byte every two seconds, in about a minute', () => {
    const patience = new Patience(LIMITS);
    let seconds = 0;
    for (; patience.leftMs > 0; seconds += 2) patience.waited(2000, 1);
    expect(seconds).toBe(62);
  });

  it('lasts for ever for who sends at the least rate, and is never more than at first', () => {
    const patience = new Patience(LIMITS);
    for (let second = 0; second < 100_000; second++) patience.waited(1000, 1024);
    expect(patience.leftMs).toBe(60_000);
    patience.waited(0, 1e9);
    expect(patience.leftMs).toBe(60_000);
  });
});

describe('a streamed body', () => {
  /** A request whose body comes byte by byte, one each time that its reader wants more. */
  function dripping(): IncomingMessage {
    const request = new IncomingMessage(new Socket());
    request._read = () => setTimeout(() => request.push('x'), 5);
    return request;
  }

  it('that drips is given up', async () => {
    const body = new StreamedBody(dripping(), { ms: 100, bytesPerSecond: 100_000 });
    let bytes = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of body) bytes += chunk.length;
    };
    await expect(reading()).rejects.toMatchObject({ code: 'request-timeout' });
    expect(bytes).toBeGreaterThan(0);
  });

  it('is not given up for the time that its reader takes', async () => {
    const request = dripping();
    const body = new StreamedBody(request, { ms: 500, bytesPerSecond: 100_000 });
    let pieces = 0;
    for await (const piece of body) {
      expect(piece).toHaveLength(1);
      // Time passes between two pieces, and none of it is the sender's.
      const end = performance.now() + 60;
      while (performance.now() < end);
      if (++pieces === 12) break;
    }
    expect(pieces).toBe(12);
  });
});
