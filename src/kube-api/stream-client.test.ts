import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:https';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { testCertificate } from '../../test/support/certificates.js';
import { AddressGuard } from './address-guard.js';
import { realClock } from './reflector/clock.js';
import { Reflector } from './reflector/reflector.js';
import { StreamClient } from './stream-client.js';

let running: { readonly server: Server; readonly cut: () => void; readonly client: StreamClient } | undefined;

afterEach(async () => {
  running?.client.close();
  const closed = new Promise((resolve) => (running === undefined ? resolve(undefined) : running.server.close(resolve)));
  running?.cut();
  await closed;
  running = undefined;
});

async function listening(server: Server, ca: string, connectWithin?: number): Promise<StreamClient> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const apiServer = {
    server: `https://127.0.0.1:${port}`,
    ca,
    user: { kind: 'token', token: 'secret-token' },
  } as const;
  const times = connectWithin === undefined ? undefined : { connectWithin };
  const client = new StreamClient(new AddressGuard(true), apiServer, times);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  running = { server, cut, client };
  return client;
}

type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
type Answer = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse) => void;

const PROTOCOLS = ['HTTP/1.1', 'HTTP/2'] as const;

async function serving(answer: Answer, protocol: (typeof PROTOCOLS)[number]): Promise<StreamClient> {
  const certificate = await testCertificate('kube-apiserver');
  const server =
    protocol === 'HTTP/1.1'
      ? createServer(certificate, answer)
      : // Its responses have what is used here.
        createSecureServer(certificate, answer as unknown as Http2Listener);
  return listening(server, certificate.cert.toString());
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}

const signal = new AbortController().signal;

/** It depends on what was on its way to the server whether its end is a reset. */
const CUT = { 'HTTP/1.1': 'aborted', 'HTTP/2': /the connection was closed|ECONNRESET/ } as const;

describe.each(PROTOCOLS)('a StreamClient over %s', (protocol) => {
  it('sends the credentials, and inflates what is compressed', async () => {
    const client = await serving(({ headers }, response) => {
      const text = `${headers.authorization} ${headers['accept-encoding']} ${headers.accept}`;
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(gzipSync(text));
    }, protocol);
    const answer = await client.get('/x', signal);
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json', retryAfter: undefined });
    expect(await textOf(answer.body)).toBe('Bearer secret-token gzip application/json');
  });

  it('fails in the middle of what is no gzip, or of a body that is cut', async () => {
    const client = await serving(({ url }, response) => {
      if (url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
      else response.write('half', () => running!.cut());
    }, protocol);
    await expect(client.get('/gzip', signal).then(({ body }) => textOf(body))).rejects.toThrow('incorrect header');
    await expect(client.get('/cut', signal).then(({ body }) => textOf(body))).rejects.toThrow(CUT[protocol]);
  });

  it('asks for a short answer, and says why there is none', async () => {
    const client = await serving(({ url }, response) => {
      if (url === '/cut') response.write('{', () => running!.cut());
      else response.writeHead(url === '/version' ? 200 : 404, {}).end(url === '/long' ? 'x'.repeat(9e6) : '{"a":1}');
    }, protocol);
    expect(await client.ask('/version', signal)).toMatchObject({ status: 200, body: { a: 1 } });
    expect(await client.ask('/none', signal)).toMatchObject({ status: 404 });
    await expect(client.ask('/long', signal)).rejects.toThrow('the answer has more than 8388608 bytes');
    await expect(client.ask('/cut', signal)).rejects.toThrow(CUT[protocol]);
  });

  it('follows no redirects, and says how long to wait', async () => {
    const client = await serving((_, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/', 'retry-after': '7' }).end('moved');
    }, protocol);
    const answer = await client.get('/x', signal);
    expect([answer.status, answer.retryAfter, await textOf(answer.body)]).toEqual([302, 7, 'moved']);
  });

  it('ends an answer when it is told to, and uses the connection of an answer that has ended again', async () => {
    const ports = new Set<number | undefined>();
    const client = await serving(({ url, socket }, response) => {
      if (url === '/short') ports.add(socket.remotePort);
      if (url === '/short') response.end('all');
      else response.write('first');
    }, protocol);
    for (let time = 0; time < 3; time += 1) await textOf((await client.get('/short', signal)).body);
    expect(ports.size).toBe(1);
    const stop = new AbortController();
    const { body } = await client.get('/long', stop.signal);
    const read = textOf(body);
    stop.abort();
    await expect(read).rejects.toThrow(protocol === 'HTTP/2' ? 'the answer was cut' : 'aborted');
  });

  it('feeds a Reflector', async () => {
    const object = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'b', uid: 'u', resourceVersion: '2' } };
    const list = { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
    const client = await serving(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      if (url === '/api/v1/nodes?limit=500') response.end(JSON.stringify(list));
      else response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    }, protocol);
    const resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };
    const options = { clock: realClock, random: Math.random, pageSize: 500, watchList: 'never' } as const;
    const told: string[] = [];
    const tell = (what: string): void => {
      told.push(what);
    };
    const stop = new AbortController();
    await new Reflector(client, resource, options).run(
      {
        beginList: () => ({
          item: () => undefined,
          commit: (version) => {
            tell(`list ${version}`);
          },
          discard: () => undefined,
        }),
        event: (type, { name }) => {
          tell(`${type} ${name}`);
        },
        progress: (version) => {
          if (version === '2') stop.abort();
        },
        state: ({ state }) => {
          tell(state);
        },
      },
      stop.signal,
    );
    expect(told).toEqual(['listing', 'list 1', 'watching', 'ADDED b']);
  });
});

describe('a StreamClient', () => {
  it('gives up on a server that takes the connection and never answers the TLS handshake', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    const client = await listening(silent, '', 50);
    const failed = expect(client.get('/x', signal)).rejects.toThrow('no connection within 0.05 s');
    await failed;
  });

  it('connects to no address that is refused, and shows no token', async () => {
    const apiServer = {
      server: 'https://169.254.169.254',
      user: { kind: 'token', token: 'secret-token' },
    } as const;
    const error = await new StreamClient(new AddressGuard(true), apiServer).get('/x', signal).catch(String);
    expect(error).toContain('does not connect to 169.254.169.254');
    expect(error).not.toContain('secret-token');
    const named = { server: 'https://localhost', user: { kind: 'token', token: 'secret-token' } } as const;
    await expect(new StreamClient(new AddressGuard(false), named).get('/x', signal)).rejects.toThrow(
      'does not connect to localhost',
    );
  });
});
