import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createSecureServer, constants, type ServerHttp2Stream, type SecureServerOptions } from 'node:http2';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { testCertificate } from '../../test/support/certificates.js';
import { AddressGuard } from './address-guard.js';
import { Http2Connections, type Http2Answer, type Http2Times } from './http2-connections.js';

const unaborted = (): AbortSignal => new AbortController().signal;
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Bed {
  readonly get: (path: string, ca?: string) => Promise<Http2Answer | undefined>;
  /** PEM. */
  readonly ca: string;
  /** The connections that the server has had. */
  readonly sockets: readonly Socket[];
}

const TIMES = { connectWithin: 10_000 };

/** A server over HTTP/2, and connections to it, perhaps through another port. */
async function serving(
  answer: (stream: ServerHttp2Stream, path: string) => void,
  options: SecureServerOptions & { readonly times?: Http2Times; readonly through?: (port: number) => number } = {},
): Promise<Bed> {
  const certificate = await testCertificate('kube-apiserver');
  const server = createSecureServer({ ...options, ...certificate });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    answer(stream, headers[':path']!);
  });
  const sockets = await listening(server);
  const port = (server.address() as AddressInfo).port;
  const connections = new Http2Connections(new AddressGuard(true), options.times ?? TIMES);
  ends.push(() => {
    connections.close();
  });
  const ca = certificate.cert.toString();
  const get: Bed['get'] = (path, trusted = ca) =>
    connections.get(
      new URL(path, `https://127.0.0.1:${options.through?.(port) ?? port}`),
      {},
      { ca: trusted },
      unaborted(),
    );
  return { get, ca, sockets };
}

async function listening(server: Server): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return sockets;
}

const textOf = async (answer: Promise<Http2Answer | undefined>): Promise<string> => text((await answer)!.body);

/** Parts of a body as they come. */
const reading = (answer: Http2Answer): AsyncIterator<Buffer> => answer.body[Symbol.asyncIterator]();
const nextOf = async (parts: AsyncIterator<Buffer>): Promise<string> =>
  String(((await parts.next()) as IteratorYieldResult<Buffer>).value);

describe('connections over HTTP/2', () => {
  it('serve requests of one identity on one connection, those of another on another', async () => {
    const { get, sockets, ca } = await serving((stream, path) => {
      if (path !== '/watch') stream.end(path);
      else stream.respond();
    });
    const watches = await Promise.all(Array.from({ length: 46 }, () => get('/watch')));
    expect(watches.map((answer) => answer?.status)).toEqual(Array<number>(46).fill(200));
    expect(await textOf(get('/x?a=b'))).toBe('/x?a=b');
    expect(sockets.length).toBe(1);
    expect(await textOf(get('/y', `${ca}\n`))).toBe('/y');
    expect(sockets.length).toBe(2);
  });

  it('make another connection when the server takes no more requests on the first', async () => {
    const { get, sockets } = await serving((stream) => stream.respond(), { settings: { maxConcurrentStreams: 2 } });
    await Promise.all(Array.from({ length: 5 }, () => get('/watch')));
    expect(sockets.length).toBe(3);
  });

  it('fail where the server takes none', async () => {
    const { get } = await serving((stream) => stream.respond(), { settings: { maxConcurrentStreams: 0 } });
    await expect(get('/x')).rejects.toThrow('takes no requests');
  });

  it('leave a connection that the server goes away from to the requests on it', async () => {
    let watch: ServerHttp2Stream | undefined;
    const { get, sockets } = await serving((stream, path) => {
      if (path === '/watch') {
        watch = stream;
        stream.respond();
        stream.write('one');
      } else stream.end(path);
    });
    const parts = reading((await get('/watch'))!);
    expect(await nextOf(parts)).toBe('one');
    watch!.session!.close();
    // It has heard of that when it has this.
    watch!.write('two');
    expect(await nextOf(parts)).toBe('two');
    expect(await textOf(get('/x'))).toBe('/x');
    expect(sockets.length).toBe(2);
    watch!.end('three');
    expect(await nextOf(parts)).toBe('three');
    expect(await parts.next()).toMatchObject({ done: true });
  });

  it('send a request once more that the server has not begun to answer', async () => {
    let refused = 0;
    const { get } = await serving((stream, path) => {
      if (path === '/always' || (refused += 1) === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else stream.end('all');
    });
    expect(await textOf(get('/once'))).toBe('all');
    expect(refused).toBe(2);
    await expect(get('/always')).rejects.toThrow('NGHTTP2_REFUSED_STREAM');
  });

  it('fail with an answer that is cut, by the server or with its connection', async () => {
    const { get, sockets } = await serving((stream, path) => {
      stream.respond();
      if (path === '/reset') stream.write('half', () => stream.destroy(new Error('broken')));
      else stream.write('half', () => sockets.at(-1)!.destroy());
    });
    await expect(textOf(get('/reset'))).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
    await expect(textOf(get('/cut'))).rejects.toThrow(/the connection was closed|ECONNRESET/);
  });

  it('let an answer that nobody reads wait at the server, and not the others', async () => {
    const big = 8 * 1024 * 1024;
    let waiting: ServerHttp2Stream | undefined;
    const { get } = await serving((stream, path) => {
      if (path === '/big') waiting = stream;
      stream.end(path === '/big' ? Buffer.alloc(big, 'x') : path);
    });
    const answer = (await get('/big'))!;
    expect(await textOf(get('/small'))).toBe('/small');
    expect(waiting!.writableFinished).toBe(false);
    expect((await text(answer.body)).length).toBe(big);
  });

  it('end when the other end is gone without a word, and begin anew', async () => {
    const lines: Socket[] = [];
    const line = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      lines.push(near, far);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far).pipe(near);
    });
    let target = 0;
    await listening(line);
    const { get } = await serving(
      (stream, path) => {
        stream.respond();
        stream.write('half');
        if (path !== '/watch') stream.end();
      },
      {
        times: { connectWithin: 10_000, pingEvery: 20, pingWithin: 200 },
        through: (port) => {
          target = port;
          return (line.address() as AddressInfo).port;
        },
      },
    );
    ends.push(() => {
      for (const socket of lines) socket.destroy();
    });
    const parts = reading((await get('/watch'))!);
    expect(await nextOf(parts)).toBe('half');
    for (const socket of lines) socket.unpipe().pause();
    await expect(parts.next()).rejects.toThrow('no sign of life within 0.2 s');
    expect(await textOf(get('/x'))).toBe('half');
  });

  it('give up on a server that agrees on HTTP/2 and then says nothing', async () => {
    const certificate = await testCertificate('kube-apiserver');
    const server = createTlsServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => undefined).resume();
    });
    await listening(server);
    const connections = new Http2Connections(new AddressGuard(true), { connectWithin: 200 });
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
    const asked = connections.get(url, {}, { ca: certificate.cert.toString() }, unaborted());
    await expect(asked).rejects.toThrow('no connection within 0.2 s');
  });

  it('leave a server to HTTP/1.1 that does not speak HTTP/2', async () => {
    const { createServer: createHttps } = await import('node:https');
    const certificate = await testCertificate('kube-apiserver');
    const server = createHttps(certificate);
    await listening(server);
    const connections = new Http2Connections(new AddressGuard(true), TIMES);
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
    const identity = { ca: certificate.cert.toString() };
    expect(await connections.get(url, {}, identity, unaborted())).toBeUndefined();
    expect(await connections.get(url, {}, identity, unaborted())).toBeUndefined();
  });
});
