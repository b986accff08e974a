import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SlowBodyTimeout } from './slow-body-timeout.js';
import { StreamedBody } from './streamed-body.js';

const LIMITS = { ms: 60_000, bytesPerSecond: 1024 };

describe('the slow-body timeout', () => {
  it('expires when the sender is silent', () => {
    const timeout = new SlowBodyTimeout(LIMITS);
    timeout.waited(59_000, 0);
    expect(timeout.remainingMs).toBe(1000);
  });

  it('expires after about a minute at a byte every two seconds', () => {
    const timeout = new SlowBodyTimeout(LIMITS);
    let seconds = 0;
    for (; timeout.remainingMs > 0; seconds += 2) timeout.waited(2000, 1);
    expect(seconds).toBe(62);
  });

  it('never expires at the minimum rate, and never grows beyond its initial value', () => {
    const timeout = new SlowBodyTimeout(LIMITS);
    for (let second = 0; second < 100_000; second++) timeout.waited(1000, 1024);
    expect(timeout.remainingMs).toBe(60_000);
    timeout.waited(0, 1e9);
    expect(timeout.remainingMs).toBe(60_000);
  });
});

describe('a streamed body', () => {
  const closers: (() => void)[] = [];

  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** A request whose body arrives byte by byte, for ever. */
  async function dripping(): Promise<IncomingMessage> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sent = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, method: 'POST' });
    sent.on('error', () => undefined);
    const timer = setInterval(() => sent.write('x'), 5);
    closers.push(() => {
      clearInterval(timer);
      sent.destroy();
      server.close();
    });
    const [received] = (await once(server, 'request')) as [IncomingMessage];
    return received;
  }

  it('times out if it arrives byte by byte', async () => {
    const body = new StreamedBody(await dripping(), { ms: 100, bytesPerSecond: 100_000 });
    let bytes = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of body) bytes += chunk.length;
    };
    await expect(reading()).rejects.toMatchObject({ code: 'request-timeout' });
    expect(bytes).toBeGreaterThan(0);
  });

  it('does not time out while its reader is busy', async () => {
    const body = new StreamedBody(await dripping(), { ms: 500, bytesPerSecond: 100_000 });
    let pieces = 0;
    for await (const piece of body) {
      expect(piece).toHaveLength(1);
      // Time passes between two chunks, but the sender is not waiting for any of it.
      const end = performance.now() + 60;
      while (performance.now() < end);
      if (++pieces === 12) break;
    }
    expect(pieces).toBe(12);
  });

  it('reads few small chunks ahead', async () => {
    const received = await dripping();
    const reading = new StreamedBody(received)[Symbol.asyncIterator]();
    await reading.next();
    let chunks = 0;
    for (; !received.isPaused(); chunks++) await once(received, 'data');
    expect(chunks).toBeLessThanOrEqual(64);
    expect((await reading.next()).value).toHaveLength(1);
  });
});
