import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { AddressGuard } from '../../../src/kube-api/address-guard.js';
import type { Clock } from '../../../src/kube-api/reflector/clock.js';
import type { StreamedAnswer } from '../../../src/kube-api/reflector/call.js';
import { StreamClient } from '../../../src/kube-api/stream-client.js';
import { testCertificate } from '../../support/certificates.js';
import { Dice } from '../../support/dice.js';
import type { Transport } from './wire-story.js';
import { bytesOf, chunksOf, headerOf, type Exchange } from './wire-transcript.js';

/** Pieces in which a body is cut at most. */
const MOST_PIECES = 1500;

/** A body in pieces that end anywhere, also within a character, with the time of the chunk that they are of. */
function piecesOf(exchange: Exchange, dice: Dice): { readonly atMs: number; readonly bytes: Buffer }[] {
  const chunks = chunksOf(exchange);
  const total = chunks.reduce((sum, chunk) => sum + bytesOf(chunk).length, 0);
  const largest = Math.max(2, Math.ceil((2 * total) / MOST_PIECES));
  return chunks.flatMap((chunk) => {
    const bytes = bytesOf(chunk);
    const pieces = [];
    for (let at = 0; at < bytes.length;) {
      const size = 1 + dice.below(largest);
      pieces.push({ atMs: chunk.atMs, bytes: bytes.subarray(at, at + size) });
      at += size;
    }
    return pieces;
  });
}

/**
 * Time that passes only while everybody waits: a recording of two minutes takes as long as the work in it, and each deadline is
 * met to the millisecond.
 */
export class VirtualTransport implements Transport {
  private time = 0;
  private timers: { readonly at: number; readonly call: () => void }[] = [];
  slept = 0;

  /** @param dice cuts the bodies elsewhere; absent: as they were recorded */
  constructor(
    private readonly speed: number,
    private readonly dice?: Dice,
  ) {}

  readonly clock: Clock = {
    now: () => this.time,
    sleep: (milliseconds, signal) => {
      this.slept += milliseconds;
      return this.wait(milliseconds, signal);
    },
    after: (milliseconds, call) => {
      const timer = { at: this.time + milliseconds, call };
      this.timers.push(timer);
      return () => {
        this.timers = this.timers.filter((one) => one !== timer);
      };
    },
  };

  async answer(exchange: Exchange, _path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    const asked = this.time;
    const { status, headersAtMs, ended, error } = exchange.response;
    const until = (ms: number): Promise<void> => this.wait(asked + ms / this.speed - this.time, signal);
    const lasted = (exchange.endedAtMs ?? exchange.startedAtMs) - exchange.startedAtMs;
    if (status === 0) {
      if (ended === 'open') await this.wait(Infinity, signal);
      await until(lasted);
      throw new Error(error ?? 'ECONNRESET');
    }
    if (headersAtMs !== undefined) await until(headersAtMs);
    const isGzip = headerOf(exchange, 'content-encoding') === 'gzip';
    const chunks = this.dice === undefined ? chunksOf(exchange) : undefined;
    const pieces =
      chunks?.map((chunk) => ({ atMs: chunk.atMs, bytes: bytesOf(chunk) })) ?? piecesOf(exchange, this.dice!);
    const wait = this.wait.bind(this);
    async function* body(): AsyncGenerator<Buffer> {
      if (isGzip) yield gunzipSync(bodyBytes(exchange));
      else {
        for (const { atMs, bytes } of pieces) {
          await until(atMs);
          yield bytes;
        }
      }
      if (ended === 'open') await wait(Infinity, signal);
      await until(lasted);
      if (ended === 'reset') throw new Error(error ?? 'ECONNRESET');
    }
    return {
      status,
      contentType: headerOf(exchange, 'content-type') ?? '',
      retryAfter: Number(headerOf(exchange, 'retry-after') ?? NaN) || undefined,
      body: body(),
    };
  }

  async drive(story: Promise<void>): Promise<void> {
    let isOver = false;
    const ended = story.finally(() => (isOver = true));
    ended.catch(() => undefined);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return ended;
      const next = this.timers.reduce<VirtualTransport['timers'][number] | undefined>(
        (first, one) => (first === undefined || one.at < first.at ? one : first),
        undefined,
      );
      if (next === undefined || next.at === Infinity) throw new Error('the reflector waits for nothing');
      this.timers = this.timers.filter((one) => one !== next);
      this.time = Math.max(this.time, next.at);
      next.call();
    }
  }

  private wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds <= 0 && !signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(milliseconds, () => {
        signal.removeEventListener('abort', stopped);
        resolve();
      });
      const stopped = (): void => {
        cancel();
        reject(signal.reason as Error);
      };
      if (signal.aborted) stopped();
      else signal.addEventListener('abort', stopped, { once: true });
    });
  }
}

const bodyBytes = (exchange: Exchange): Buffer => Buffer.concat(chunksOf(exchange).map(bytesOf));

/** A real server over TLS, which sends everything at once, in other pieces; the client does not really sleep. */
export class HttpsTransport implements Transport {
  private offset = 0;
  slept = 0;
  private playing: Exchange | undefined;

  private constructor(
    private readonly server: Server,
    private readonly client: StreamClient,
    private readonly dice: Dice,
  ) {}

  static async start(dice: Dice): Promise<HttpsTransport> {
    certificate ??= testCertificate('kube-apiserver');
    const { cert, key } = await certificate;
    const server = createServer({ cert, key });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const client = new StreamClient(new AddressGuard(true), {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ca: cert.toString(),
      user: { kind: 'token', token: 'TOKEN' },
    });
    const transport = new HttpsTransport(server, client, dice);
    server.on('request', (_request, response) => {
      const exchange = transport.playing!;
      const { status, headers = {}, ended } = exchange.response;
      if (status === 0) {
        response.destroy();
        return;
      }
      for (const [name, value] of Object.entries(headers)) {
        if (!/^(content-length|transfer-encoding|date|connection|keep-alive)$/i.test(name)) {
          response.setHeader(name, value);
        }
      }
      response.writeHead(status);
      response.flushHeaders();
      for (const { bytes } of piecesOf(exchange, transport.dice)) response.write(bytes);
      if (ended === 'complete') response.end();
      // What was sent arrives; the body does not end.
      else response.socket?.end();
    });
    return transport;
  }

  readonly clock: Clock = {
    now: () => Date.now() + this.offset,
    sleep: async (milliseconds, signal) => {
      this.slept += milliseconds;
      this.offset += milliseconds;
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
    after: (milliseconds, call) => {
      const timer = setTimeout(call, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  };

  answer(exchange: Exchange, path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    this.playing = exchange;
    return this.client.get(path, signal);
  }

  async drive(story: Promise<void>): Promise<void> {
    try {
      await story;
    } finally {
      this.client.close();
      this.server.closeAllConnections();
      await new Promise((resolve) => this.server.close(resolve));
    }
  }
}

let certificate: ReturnType<typeof testCertificate> | undefined;
