import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../src/app/clock.js';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { nodeWrite } from '../support/audit-event.js';
import { node } from '../support/dumps.js';
import { GraphqlSocket, withoutIds } from '../support/event-reader.js';
import { Followers, openStreams, tainted, until } from '../support/followers.js';
import { AUDIENCE, startTestIssuer, type TestIssuer } from '../support/issuer.js';
import { startTestService, type TestService } from '../support/service.js';

const EVENTS = '/api/v1/clusters/prod/events';

describe('streams of events', () => {
  let service: TestService;
  let followers: Followers;
  beforeAll(async () => {
    service = await startTestService({ LIVE_HEARTBEAT: '1', LIVE_STREAMS_PER_CALLER: '3', LIVE_QUEUE_KB: '16' });
    followers = new Followers(service);
    await followers.take('prod', [node('a')]);
  });
  afterEach(async () => {
    followers.cut();
    await until(async () => (await openStreams(service)) === 0);
  });
  afterAll(() => service.close());

  it('send heartbeats while nothing happens', async () => {
    const [reader, socket] = [await followers.sse('prod'), await followers.subscription({ cluster: 'prod' })];
    for (let beats = 0; beats < 2; beats++) {
      expect(await reader.block()).toEqual({ comment: 'still here', id: reader.lastEventId });
      expect(await socket.message()).toEqual({ type: 'ping' });
      socket.send({ type: 'pong' });
    }
    socket.send({ type: 'ping' });
    expect((await socket.message()).type).toBe('pong');
  });

  it('are limited per caller across transports, and free a place when one ends', async () => {
    const first = await followers.sse('prod');
    await followers.sse('prod');
    const socket = await followers.subscription({ cluster: 'prod' });
    await until(async () => (await openStreams(service)) === 3);
    const refused = await service.request('GET', EVENTS);
    expect(refused.json).toMatchObject({ status: 429, code: 'too-many-streams' });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    socket.subscribe({ cluster: 'prod' }, '2');
    expect(await socket.answer()).toMatchObject({ id: '2', payload: [{ extensions: { code: 'too-many-streams' } }] });
    first.cut();
    await until(async () => (await openStreams(service)) === 2);
    await followers.sse('prod');
    socket.send({ type: 'complete', id: '1' });
    await until(async () => (await openStreams(service)) === 2);
  });

  it('are refused with all errors of the request', async () => {
    const answer = await service.request('GET', `${EVENTS}?after=x&types=headChanged,nonsense&follow=perhaps&since=1`);
    expect(answer.status).toBe(400);
    expect(answer.at('code')).toBe('invalid-request');
    const errors = answer.at('errors') as { field: string; message: string }[];
    expect(errors.map(({ field }) => field).sort()).toEqual(['after', 'follow', 'since', 'types']);
    for (const after of ['-1', '1-', '1-2', 'head', '1-1.1~', '2', '9999999999999', '1-7.0', '1-1.5']) {
      const refused = await service.request('GET', `${EVENTS}?after=${after}`);
      expect([after, refused.status, refused.at('errors.0.field')]).toEqual([after, 400, 'after']);
    }
    const refused = await service.request('GET', EVENTS, undefined, { 'last-event-id': 'x' });
    expect(refused.at('errors.0.field')).toBe('Last-Event-ID');
    expect((await service.request('GET', '/api/v1/clusters/none/events')).at('code')).toBe('cluster-not-found');
    expect((await service.request('GET', '/api/v1/clusters/No_Name/events')).status).toBe(400);

    const socket = await followers.socket();
    const ask = async (variables: object) => {
      socket.subscribe(variables);
      return (await socket.answer()) as { type: string; payload: { extensions: Record<string, unknown> }[] };
    };
    expect((await ask({ cluster: 'none' })).payload[0]?.extensions).toMatchObject({
      code: 'cluster-not-found',
      status: 404,
    });
    expect((await ask({ cluster: 'prod', after: 'x' })).payload[0]?.extensions).toMatchObject({
      code: 'invalid-request',
      errors: [{ field: 'after' }],
    });
    expect((await ask({ cluster: 'prod', types: ['nonsense'] })).type).toBe('error');
  });

  it('obey the limits of GraphQL', async () => {
    const socket = await followers.socket();
    const codeOf = async (payload: object): Promise<unknown> => {
      socket.send({ type: 'subscribe', id: '1', payload });
      const { payload: errors } = (await socket.answer()) as { payload: { extensions: Record<string, unknown> }[] };
      return errors[0]?.extensions['code'];
    };
    const subscribing = (fields: string): string => `subscription { clusterEvents(cluster: "prod") { ${fields} } }`;
    const many = Array.from({ length: 60 }, (_, index) => `a${index}: id`).join(' ');
    expect(await codeOf({ query: subscribing(many) })).toBe('graphql-limit-exceeded');
    expect(await codeOf({ query: subscribing(`id ${' '.repeat(70_000)}`) })).toBe('graphql-limit-exceeded');
    expect(await codeOf({ query: subscribing('nonsense') })).toBe('graphql-validation');
    const bomb = Array.from({ length: 14 }, (_, i) => `fragment f${i} on ClusterEvent { ...f${i + 1} ...f${i + 1} }`);
    const document = `${subscribing('...f0')} ${bomb.join(' ')} fragment f14 on ClusterEvent { id }`;
    expect(await codeOf({ query: document })).toBe('graphql-validation');
    const tree = {
      kind: 'Document',
      definitions: [
        {
          kind: 'OperationDefinition',
          operation: 'subscription',
          selectionSet: { kind: 'SelectionSet', selections: [] },
        },
      ],
    };
    expect(await codeOf({ query: tree })).toBe('graphql-validation');
    // Only subscriptions: operations over a connection have not passed the checks of a request.
    socket.send({ type: 'subscribe', id: '1', payload: { query: '{ clusters { totalCount } }' } });
    expect((await socket.answer()).type).toBe('error');
    expect(await openStreams(service)).toBe(0);
  });

  it('support only the protocol graphql-transport-ws', async () => {
    await expect(GraphqlSocket.open(service.url, { protocol: 'graphql-ws' })).rejects.toThrow('400');
    expect(service.logLines()).not.toContain('wrong websocket protocol');
  });

  it('do not affect requests that offer another upgrade', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
      request(`${service.url}/api/v1/clusters`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it('end for slow readers, who can then resume', async () => {
    const names = Array.from({ length: 1500 }, (_, index) => `node-${index}`);
    await followers.take(
      'busy',
      names.map((name) => node(name)),
    );
    const types = 'taintChangeRecorded';
    const quick = await followers.sse('busy', `?types=${types}`);
    const reader = await followers.sse('busy', `?types=${types}`);
    const socket = await followers.subscription({ cluster: 'busy', types: [types] });
    await until(async () => (await openStreams(service)) === 3);
    reader.pause();
    socket.pause();
    // Each node has its own event; together they exceed every buffer in between.
    const long = 'x'.repeat(55);
    for (const round of ['1', '2']) {
      const taints = (name: string): object[] =>
        Array.from({ length: 10 }, (_, key) => ({
          key: `${long}/${key}-${long}`,
          value: `${round}-${name}`,
          effect: 'PreferNoSchedule',
        }));
      await followers.take(
        'busy',
        names.map((name) => node(name, { spec: { taints: taints(name) } })),
      );
    }
    // Whoever does not take the end of its stream either is cut off after a while: here it is taken as soon as it is there.
    await until(async () => (await openStreams(service)) === 1);
    reader.resume();
    socket.resume();
    const had = [];
    for (let event = await reader.event(); ; event = await reader.event()) {
      had.push(event);
      if (event.type === 'end') break;
    }
    const all = await quick.events(3000);
    expect(had.length).toBeLessThan(3000);
    const last = had.pop()!;
    expect(last).toMatchObject({ code: 'slow-reader', status: 408, resumeAfter: had.at(-1)?.id ?? reader.lastEventId });
    await reader.closed;
    const again = await followers.sse('busy', `?types=${types}`, { 'Last-Event-ID': reader.lastEventId });
    expect(withoutIds([...had, ...(await again.events(3000 - had.length))])).toEqual(withoutIds(all));

    let message = await socket.answer();
    const told = [];
    for (; message.type === 'next'; message = await socket.answer()) {
      told.push((message.payload as { data: { clusterEvents: { id: string } } }).data.clusterEvents);
    }
    expect(message).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'slow-reader' } }] });
    const [{ extensions }] = message.payload as [{ extensions: { resumeAfter: string } }];
    socket.subscribe({ cluster: 'busy', after: extensions.resumeAfter, types: [types] }, '2');
    expect(withoutIds([...told, ...(await socket.events(3000 - told.length))])).toEqual(withoutIds(all));
  });
});

describe('a service that stops', () => {
  it('ends its streams immediately and advises to reconnect to another replica', async () => {
    const service = await startTestService({ SHUTDOWN_TIMEOUT_MS: '600000' });
    const followers = new Followers(service);
    await followers.take('prod', [node('a')]);
    const reader = await followers.sse('prod');
    const socket = await followers.subscription({ cluster: 'prod' });
    await until(async () => (await openStreams(service)) === 2);
    const closing = service.close();
    expect(await reader.event()).toMatchObject({ type: 'end', code: 'shutting-down' });
    expect(await socket.answer()).toMatchObject({ payload: [{ extensions: { code: 'shutting-down' } }] });
    // Were it to wait for its streams, this test would run out of time.
    await closing;
  });
});

const MAX_SOCKETS = 4;

describe('streams of events with authentication', () => {
  const tokens = { root: newToken(), auditor: newToken(), reader: newToken(), nobody: newToken() };
  const bearer = (name: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[name]}` });
  let folder: string;
  let issuer: TestIssuer;
  let service: TestService;
  let followers: Followers;
  let now = new Date();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'live-'));
    issuer = await startTestIssuer();
    const file = join(folder, 'auth.json');
    const entries = Object.entries(tokens).map(([name, token]) => ({
      name,
      sha256: tokenHash(token).toString('hex'),
    }));
    const bindings = [
      { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
      { subjects: ['token:auditor'], clusters: ['prod'], roles: ['audit'] },
      { subjects: ['token:reader'], clusters: ['prod'], roles: ['read'], taintValues: false },
      { subjects: ['token:nobody'], clusters: ['test'], roles: ['read'] },
      { subjects: ['user:alice'], clusters: ['prod'], roles: ['read'] },
    ];
    await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
    service = await startTestService(
      {
        AUTH_FILE: file,
        LIVE_HEARTBEAT: '1',
        LIVE_STREAMS_PER_CALLER: String(MAX_SOCKETS),
        OIDC_ISSUER: issuer.url,
        OIDC_AUDIENCE: AUDIENCE,
        OIDC_CLOCK_SKEW_SECONDS: '0',
      },
      { clock: new MovedClock(() => now) },
    );
    followers = new Followers(service);
    await followers.take('prod', [node('a'), node('b')], bearer('root'));
  });
  afterEach(() => {
    followers.cut();
  });
  afterAll(async () => {
    await service.close();
    await issuer.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('need permission to read the cluster', async () => {
    await expect(followers.sse('prod')).rejects.toThrow(/^401/);
    await expect(followers.sse('prod', '', bearer('nobody'))).rejects.toThrow(/^404 .*cluster-not-found/);
    const stranger = await followers.subscription({ cluster: 'prod' }, { payload: bearer('nobody') });
    expect(await stranger.answer()).toMatchObject({ payload: [{ extensions: { code: 'cluster-not-found' } }] });
    await expect(followers.socket({ headers: { authorization: 'Bearer wrong' } })).rejects.toThrow('401');
  });

  it('are not for unauthenticated connections, which are closed', async () => {
    await expect(followers.socket()).rejects.toThrow('4401 Unauthenticated');
    await expect(followers.socket({ payload: { authorization: 'Bearer wrong' } })).rejects.toThrow('4401');
    const silent = await GraphqlSocket.connect(service.url);
    expect((await silent.closed).code).toBe(4408);
  });

  it('are limited per caller once the caller is known', async () => {
    for (let opened = 0; opened < MAX_SOCKETS; opened++) await followers.socket({ payload: bearer('reader') });
    await expect(followers.socket({ payload: bearer('reader') })).rejects.toThrow('4429 Too many streams');
    await followers.socket({ payload: bearer('auditor') });
  });

  it('are limited per address until the caller is known', async () => {
    const silent = [];
    for (let opened = 0; opened < MAX_SOCKETS; opened++) silent.push(await GraphqlSocket.connect(service.url));
    await expect(GraphqlSocket.connect(service.url)).rejects.toThrow('429');
    for (const socket of silent) socket.cut();
    await until(async () => {
      const next = await GraphqlSocket.connect(service.url).catch(() => undefined);
      next?.cut();
      return next !== undefined;
    });
  });

  it('withhold taint values, and the authors of observed changes, from callers who may not see them', async () => {
    const readers = {
      auditor: await followers.sse('prod', '', bearer('auditor')),
      reader: await followers.sse('prod', '', bearer('reader')),
    };
    const sockets = {
      auditor: await followers.subscription({ cluster: 'prod', after: '1' }, { headers: bearer('auditor') }),
      reader: await followers.subscription({ cluster: 'prod', after: '1' }, { payload: { headers: bearer('reader') } }),
    };
    const body = { nodes: ['a'], taints: ['dedicated=quokka:NoSchedule'], reason: 'dedicated to quokka' };
    await followers.change('prod', body, bearer('root'));
    await followers.take('prod', [tainted('a', 'quokka'), tainted('b', 'quoll')], bearer('root'));
    const at = new Date(now.getTime() + 1000).toISOString();
    const event = nodeWrite({ id: 'e1', node: 'b', at, user: 'system:someone', taints: [] });
    const posted = await service.request('POST', '/api/v1/clusters/prod/audit-events', event, bearer('root'));
    expect(posted.at('kept')).toBe(1);

    const [open, masked] = [await readers.auditor.events(5), await readers.reader.events(5)];
    expect(withoutIds(await sockets.auditor.events(5))).toEqual(withoutIds(open));
    expect(withoutIds(await sockets.reader.events(5))).toEqual(withoutIds(masked));
    const text = JSON.stringify(open);
    expect(text).toContain('dedicated=quokka:NoSchedule');
    expect(text).toContain('dedicated=quoll:NoSchedule');
    expect(text).toContain('"by":"system:someone"');
    expect(JSON.parse(text.replace(/quokka|quoll/g, '***').replace('"by":"system:someone"', '"by":null'))).toEqual(
      masked,
    );
    // A change made through the service has its author, as in the list of changes.
    expect(JSON.stringify(masked)).toContain('"by":"root"');
  });

  it('end when the token of their reader becomes invalid', async () => {
    const authorization = `Bearer ${await issuer.token({ expiresIn: 600 })}`;
    const reader = await followers.sse('prod', '', { authorization });
    const socket = await followers.subscription({ cluster: 'prod' }, { payload: { Authorization: authorization } });
    await until(async () => (await openStreams(service, bearer('root'))) === 2);
    now = new Date(now.getTime() + 3_600_000);
    expect(await reader.event()).toMatchObject({ type: 'end', code: 'unauthenticated' });
    expect(await socket.answer()).toMatchObject({ payload: [{ extensions: { code: 'unauthenticated' } }] });
  });
});

class MovedClock extends Clock {
  constructor(override readonly now: () => Date) {
    super();
  }
}
