import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  ClusterNotFoundError,
  type ClusterEvent,
  ResumeGoneError,
  ShuttingDownError,
  SlowReaderError,
  TooManyStreamsError,
} from '../../clients/typescript/src/index.js';
import { node } from '../support/dumps.js';
import { openStreams, until } from '../support/followers.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { TcpLine } from '../support/tcp-line.js';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ LIVE_STREAMS_PER_CALLER: '2' });
  client = new Client({ baseUrl: service.url });
});
afterAll(() => service.close());

/** Stores the next revision of a cluster: so many nodes. */
const take = (cluster: string, nodes: number): Promise<void> =>
  store(
    service,
    cluster,
    Array.from({ length: nodes }, (_, index) => node(`n-${index}`)),
    '&allowRemovals=true',
  );

const revisionOf = (event: ClusterEvent | undefined): number | undefined =>
  event?.type === 'headChanged' ? event.headChanged.revision : undefined;

async function next(events: AsyncGenerator<ClusterEvent, void>): Promise<number | undefined> {
  return revisionOf((await events.next()).value ?? undefined);
}

describe('events', () => {
  it('that are stored come in order, and then the iteration ends', async () => {
    for (const nodes of [1, 2, 3]) await take('stored', nodes);
    const found: (number | undefined)[] = [];
    for await (const event of client.events('stored', { after: 1, follow: false })) found.push(revisionOf(event));
    expect(found).toEqual([2, 3]);
  });

  it('go on after the connection is cut, each once', async () => {
    await take('cut', 1);
    const line = await TcpLine.to(service.url);
    const states: string[] = [];
    const onState = (state: string): void => void states.push(state);
    const events = new Client({ baseUrl: line.url }).events('cut', { types: ['headChanged'], onState });
    const first = next(events);
    await until(() => states.includes('open'));
    await take('cut', 2);
    expect(await first).toBe(2);

    await line.cut();
    const second = next(events);
    await until(() => states.includes('lost'));
    for (const nodes of [3, 4]) await take('cut', nodes);
    await line.mend();
    expect([await second, await next(events)]).toEqual([3, 4]);
    await take('cut', 5);
    expect(await next(events)).toBe(5);
    expect(states).toEqual(['open', 'lost', ...states.slice(2, -1), 'open']);
    await events.return();
    await line.cut();
  });

  it('close their stream when nobody iterates any more, or on a signal', async () => {
    await take('left', 1);
    for await (const event of client.events('left', { after: 0 })) {
      expect(revisionOf(event)).toBe(1);
      break;
    }
    await until(async () => (await openStreams(service)) === 0);

    const ending = new AbortController();
    const onState = (): void => {
      ending.abort(new Error('seen enough'));
    };
    const following = client.events('left', { signal: ending.signal, onState }).next();
    await expect(following).rejects.toThrow('seen enough');
    await until(async () => (await openStreams(service)) === 0);
  });

  it('end with the error of a stream that cannot go on', async () => {
    await take('deleted', 1);
    const events = client.events('deleted', { after: 0 });
    expect(await next(events)).toBe(1);
    await client.delete('/api/v1/clusters/{cluster}', { path: { cluster: 'deleted' } });
    await expect(events.next()).rejects.toBeInstanceOf(ClusterNotFoundError);

    for (const nodes of [1, 2, 3]) await take('retained', nodes);
    const path = { cluster: 'retained' };
    await client.post('/api/v1/clusters/{cluster}/retention', { path, body: { keepRevisions: 1 } });
    await expect(client.events('retained', { after: 1 }).next()).rejects.toBeInstanceOf(ResumeGoneError);
  });

  it('end with an error if what they would resume with is no longer kept', async () => {
    await take('pruned', 1);
    const line = await TcpLine.to(service.url);
    const events = new Client({ baseUrl: line.url }).events('pruned', { after: 0 });
    expect(await next(events)).toBe(1);
    await line.cut();
    for (const nodes of [2, 3, 4]) await take('pruned', nodes);
    const path = { cluster: 'pruned' };
    await client.post('/api/v1/clusters/{cluster}/retention', { path, body: { keepRevisions: 1 } });
    await line.mend();
    const error: unknown = await events.next().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResumeGoneError);
    // The detail names the revision to go on from.
    expect((error as ResumeGoneError).message).toMatch(/\b4\b/);
    expect(await next(client.events('pruned', { after: 4, follow: false }))).toBeUndefined();
    await line.cut();
  });

  it('go on at another replica when theirs shuts down', async () => {
    await take('moved', 1);
    const stopping = await startTestService({ DATABASE_URL: service.databaseUrl });
    // What a load balancer does.
    let replica = stopping.url;
    const balanced: typeof fetch = (url, init) => fetch((url as string).replace('http://balancer', replica), init);
    const states: string[] = [];
    const onState = (state: string, error?: Error): void => void states.push(error?.name ?? state);
    const events = new Client({ baseUrl: 'http://balancer', fetch: balanced }).events('moved', { after: 0, onState });
    expect(await next(events)).toBe(1);
    const following = next(events);
    replica = service.url;
    await stopping.close();
    await take('moved', 2);
    expect(await following).toBe(2);
    await take('moved', 3);
    expect(await next(events)).toBe(3);
    expect(states).toEqual(['open', ShuttingDownError.name, 'open']);
    await events.return();
  });

  it('wait for a place if the caller follows too much', async () => {
    await take('crowded', 1);
    const held = [client.events('crowded'), client.events('crowded')];
    const ended = held.map((events) => events.next());
    await until(async () => (await openStreams(service)) === 2);
    const refused: Error[] = [];
    const onState = (_state: string, error?: Error): void => {
      if (error !== undefined) refused.push(error);
    };
    const waiting = next(client.events('crowded', { after: 0, onState }));
    await until(() => refused.length > 0);
    expect(refused[0]).toBeInstanceOf(TooManyStreamsError);
    expect(refused[0]).toMatchObject({ status: 429, retryAfter: 5 });
    await take('crowded', 2);
    await Promise.all(ended);
    await Promise.all(held.map((events) => events.return()));
    expect(await waiting).toBe(1);
  });

  it('go on after the last one that a slow reader was sent', async () => {
    const asked: (string | undefined)[] = [];
    const end = {
      code: 'slow-reader',
      status: 408,
      title: 'Slow reader',
      detail: 'You read too slowly.',
      resumeAfter: '1-8.3',
    };
    const server = createServer((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        asked.length === 1 ? `retry: 1\n\n${block(8)}event: end\ndata: ${JSON.stringify(end)}\n\n` : block(9),
      );
    });
    const lost: (Error | undefined)[] = [];
    const onState = (_state: string, error?: Error): void => void lost.push(error);
    const events = new Client({ baseUrl: await listening(server) }).events('any', { onState });
    expect([await next(events), await next(events)]).toEqual([8, 9]);
    expect(asked).toEqual([undefined, '1-8.3']);
    expect(lost).toEqual([undefined, expect.any(SlowReaderError), undefined]);
    await events.return();
    close(server);
  });

  it('are those of a new stream if the old one is silent', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1\nid: 1-7.0\n\n');
      if (asked.length === 2) response.write(block(8));
    });
    const events = new Client({ baseUrl: await listening(server) }).events('any', { silence: 200 });
    expect(await next(events)).toBe(8);
    expect(asked).toEqual([undefined, '1-7.0']);
    await events.return();
    close(server);
  });

  it('are read whatever pieces they arrive in, and a piece of an event is none', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const half = block(9).slice(0, 40);
      void writeBytes(response, asked.length === 1 ? `retry: 1\r\n\r\n${block(8)}${half}` : `:ö\n\n${block(9)}`);
    });
    const events = new Client({ baseUrl: await listening(server) }).events('any', { follow: true });
    expect([await next(events), await next(events)]).toEqual([8, 9]);
    expect(asked).toEqual([undefined, '1-8.0']);
    await events.return();
    close(server);
  });
});

const block = (revision: number): string =>
  `event: headChanged\nid: 1-${revision}.0\ndata: ${JSON.stringify({ type: 'headChanged', headChanged: { revision, by: 'Zoë' } })}\n\n`;

async function writeBytes(response: ServerResponse, text: string): Promise<void> {
  for (const byte of Buffer.from(text)) {
    await new Promise((resolve) => response.write(Uint8Array.of(byte), resolve));
  }
  response.end();
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}
