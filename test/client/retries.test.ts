import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, request, type ClientRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  ConnectionError,
  type Retry,
  RateLimitedError,
  ServiceError,
  TooManySnapshotsError,
  TooManyUploadsError,
} from '../../clients/typescript/src/index.js';
import { list, node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';
import { TcpLine } from '../support/tcp-line.js';

const SNAPSHOTS = '/api/v1/clusters/{cluster}/snapshots';
const CHANGES = '/api/v1/clusters/{cluster}/taint-changes';
const RATE_LIMIT = 40;
const path = { cluster: 'small' };

let service: TestService;
beforeAll(async () => {
  // The proxy's header distinguishes anonymous callers.
  service = await startTestService({
    ...{ UPLOADS_PER_CALLER: '1', UPLOADS: '2', TRUST_PROXY: 'loopback', RATE_LIMIT: String(RATE_LIMIT) },
  });
  await store(service, 'small', SMALL_CLUSTER);
});
afterAll(() => service.close());

const clientAt = (address: string, baseUrl = service.url): Client =>
  new Client({ baseUrl, headers: { 'x-forwarded-for': address } });

/** Begins an upload and does not end it. */
async function begin(address: string): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, expect: '100-continue' };
  const url = `${service.url}/api/v1/clusters/small/snapshots`;
  const sent = request(url, { method: 'POST', headers, agent: false });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  return sent;
}

/** Seconds, as the error has them that the first retry follows. */
function askedWait([first]: readonly Retry[]): number {
  return first?.error instanceof ServiceError ? (first.error.retryAfter ?? NaN) : NaN;
}

async function release(held: readonly ClientRequest[]): Promise<void> {
  await Promise.all(held.map((sent) => new Promise((resolve) => sent.once('close', resolve).destroy())));
}

const body = JSON.parse(list([...SMALL_CLUSTER, node('new')])) as { apiVersion: string; kind: string };

describe('an answer that asks to wait', () => {
  it.each([
    ['429', TooManyUploadsError, ['10.0.0.1'], '10.0.0.1'],
    ['503', TooManySnapshotsError, ['10.0.0.1', '10.0.0.2'], '10.0.0.3'],
  ] as const)('is followed by another attempt after Retry-After: %s', async (_status, Refused, holders, address) => {
    const held = await Promise.all(holders.map(begin));
    const retries: Retry[] = [];
    const onRetry = (retry: Retry): void => {
      if (retries.push(retry) === 1) void release(held);
    };
    const taken = await clientAt(address).post(SNAPSHOTS, { path, body, retry: { onRetry } });
    expect(taken.counts.length).toBeGreaterThan(0);
    expect(retries[0]).toMatchObject({ attempt: 1, wait: 5000 });
    expect(retries[0]!.error).toBeInstanceOf(Refused);
    expect(askedWait(retries)).toBe(5);
  });

  it('is thrown at once if that is longer than the longest wait, or if the wait is cancelled', async () => {
    const client = clientAt('10.0.1.1');
    for (let asked = 0; asked < RATE_LIMIT; asked++) await client.get('/api/v1/well-known-taints');
    const error = await client
      .get('/api/v1/well-known-taints', { retry: { maxWait: 0 } })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect((error as RateLimitedError).retryAfter).toBeGreaterThan(0);

    const cancelling = new AbortController();
    const retries: Retry[] = [];
    const onRetry = (retry: Retry): void => {
      retries.push(retry);
      cancelling.abort(new Error('enough'));
    };
    const call = client.get('/api/v1/well-known-taints', { signal: cancelling.signal, retry: { onRetry } });
    await expect(call).rejects.toThrow('enough');
    expect(retries).toEqual([expect.objectContaining({ wait: askedWait(retries) * 1000 })]);
  });

  it('is thrown after the last attempt', async () => {
    const held = await begin('10.0.2.1');
    const call = clientAt('10.0.2.1').post(SNAPSHOTS, { path, body, retry: false });
    await expect(call).rejects.toBeInstanceOf(TooManyUploadsError);
    await release([held]);
  });
});

describe('a lost answer', () => {
  const change = { nodes: ['a'], reason: 'a test' };
  const changes = async (): Promise<number> =>
    Number((await service.request('GET', '/api/v1/clusters/small/taint-changes?totalCount=true')).at('totalCount'));

  it('of a write is asked for again, and the change is made once', async () => {
    const line = await TcpLine.to(service.url);
    const before = await changes();
    const retries: Retry[] = [];
    line.dropNextAnswer();
    const made = await clientAt('10.0.3.1', line.url).post(CHANGES, {
      path,
      body: { ...change, taints: ['lost=yes:NoSchedule'] },
      retry: { onRetry: (retry) => retries.push(retry) },
    });
    expect(made.nodes.map(({ outcome }) => outcome)).toEqual(['changed']);
    expect(retries.map(({ error }) => error)).toEqual([expect.any(ConnectionError)]);
    expect(await changes()).toBe(before + 1);
    await line.cut();
  });

  it('is an error without retries, and the key of the write finds what became of it', async () => {
    const line = await TcpLine.to(service.url);
    const client = clientAt('10.0.3.2', line.url);
    const before = await changes();
    line.dropNextAnswer();
    const asked = { path, body: { ...change, taints: ['another=yes:NoSchedule'] }, idempotencyKey: 'one-change' };
    await expect(client.post(CHANGES, { ...asked, retry: false })).rejects.toBeInstanceOf(ConnectionError);
    const found = await client.post(CHANGES, asked);
    expect(found.nodes.map(({ outcome }) => outcome)).toEqual(['changed']);
    expect(await changes()).toBe(before + 1);
    await line.cut();
  });
});

describe('a signal', () => {
  it('cancels a call that runs, with its reason, and no other attempt is made', async () => {
    const cancelling = new AbortController();
    let asked = 0;
    const silent = createServer(() => {
      asked++;
      cancelling.abort(new Error('not needed any more'));
    });
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const client = new Client({ baseUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    await expect(client.get('/healthz', { signal: cancelling.signal })).rejects.toThrow('not needed any more');
    await expect(client.get('/healthz', { signal: cancelling.signal })).rejects.toThrow('not needed any more');
    expect(asked).toBe(1);
    silent.closeAllConnections();
    silent.close();
  });
});

describe('a token', () => {
  it('is asked for with every attempt', async () => {
    const line = await TcpLine.to(service.url);
    let asked = 0;
    const client = new Client({ baseUrl: line.url, token: () => Promise.resolve(`token-${++asked}`) });
    line.dropNextAnswer();
    await client.get('/healthz');
    expect(asked).toBe(2);
    await line.cut();
  });
});
