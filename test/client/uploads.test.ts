import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { createGzip } from 'node:zlib';
import {
  Client,
  ConnectionError,
  MalformedJsonError,
  NotAnObjectError,
  type Retry,
  TooManyUploadsError,
  type UploadProgress,
} from '../../clients/typescript/src/index.js';
import { startTestService, type TestService } from '../support/service.js';
import { TcpLine } from '../support/tcp-line.js';

const SNAPSHOTS = '/api/v1/clusters/{cluster}/snapshots';
/** Pods of a real cluster. */
const DUMP = 'demo/clusters/eks-pods.json';
const query = { createCluster: true };

let service: TestService;
let client: Client;
let size: number;
beforeAll(async () => {
  service = await startTestService({ UPLOADS_PER_CALLER: '1' });
  client = new Client({ baseUrl: service.url });
  ({ size } = await stat(DUMP));
});
afterAll(() => service.close());

describe('an upload', () => {
  it('of a file as a stream tells its progress', async () => {
    const progress: UploadProgress[] = [];
    const taken = await client.upload(SNAPSHOTS, {
      path: { cluster: 'stream' },
      query,
      body: createReadStream(DUMP),
      onProgress: (one) => progress.push(one),
    });
    expect(taken).toMatchObject({ revision: 1, report: { bytesRead: size } });
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.map(({ sent }) => sent)).toEqual(progress.map(({ sent }) => sent).toSorted((a, b) => a - b));
    expect(progress.at(-1)).toEqual({ sent: size, total: undefined });
  });

  it('of a file in memory knows the total, and may be compressed', async () => {
    const progress: UploadProgress[] = [];
    const path = { cluster: 'blob' };
    const body = new Blob([await readFile(DUMP)]);
    await client.upload(SNAPSHOTS, { path, query, body, onProgress: (one) => progress.push(one) });
    expect(progress.at(-1)).toEqual({ sent: size, total: size });
    const zipped = await client.upload(SNAPSHOTS, { path, body: createReadStream(DUMP).pipe(createGzip()) });
    expect(zipped).toMatchObject({ unchanged: true, report: { bytesDecoded: size } });
  });

  it('that the service refuses has the error of its code', async () => {
    const path = { cluster: 'refused' };
    const broken = client.upload(SNAPSHOTS, { path, query, body: '{"kind" 7}' });
    await expect(broken).rejects.toBeInstanceOf(MalformedJsonError);
    const number = client.upload(SNAPSHOTS, { path, query, body: '7' });
    await expect(number).rejects.toBeInstanceOf(NotAnObjectError);
  });

  it('of a stream that fails has its error, and stores nothing', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      for await (const piece of createReadStream(DUMP, { end: 70_000 })) yield piece as Uint8Array;
      throw new Error('the disk is gone');
    }
    const path = { cluster: 'failing' };
    const call = client.upload(SNAPSHOTS, { path, query, body: failing() });
    await expect(call).rejects.toThrow('the disk is gone');
    expect((await service.request('GET', '/api/v1/clusters/failing')).status).toBe(404);
  });

  it('is cancelled by a signal', async () => {
    const cancelling = new AbortController();
    const onProgress = (): void => {
      cancelling.abort(new Error('not this one'));
    };
    const { signal } = cancelling;
    const path = { cluster: 'cancelled' };
    const call = client.upload(SNAPSHOTS, { path, query, body: createReadStream(DUMP), signal, onProgress });
    await expect(call).rejects.toThrow('not this one');
    expect((await service.request('GET', '/api/v1/clusters/cancelled')).status).toBe(404);
  });

  it('is sent again after a lost answer if its stream can be opened again, and stored once', async () => {
    const line = await TcpLine.to(service.url);
    const retries: Retry[] = [];
    const path = { cluster: 'again' };
    const through = new Client({ baseUrl: line.url, retry: { onRetry: (retry) => retries.push(retry) } });
    line.dropNextAnswer();
    const taken = await through.upload(SNAPSHOTS, { path, query, body: () => createReadStream(DUMP) });
    expect(taken.revision).toBe(1);
    expect(retries.map(({ error }) => error)).toEqual([expect.any(ConnectionError)]);
    expect((await client.get('/api/v1/clusters/{cluster}', { path })).headRevision).toBe(1);

    line.dropNextAnswer();
    const once = through.upload(SNAPSHOTS, { path, query, body: createReadStream(DUMP) });
    await expect(once).rejects.toBeInstanceOf(ConnectionError);
    await line.cut();
  });

  it('that is refused while it is sent waits and is sent again', async () => {
    const headers = { 'content-type': 'application/json', expect: '100-continue' };
    const url = `${service.url}/api/v1/clusters/stream/snapshots`;
    const held = request(url, { method: 'POST', headers, agent: false });
    held.on('error', () => undefined);
    held.flushHeaders();
    await once(held, 'continue');
    const retries: Retry[] = [];
    const onRetry = (retry: Retry): void => {
      retries.push(retry);
      held.destroy();
    };
    const body = (): AsyncIterable<Uint8Array> => createReadStream(DUMP);
    const taken = await client.upload(SNAPSHOTS, { path: { cluster: 'stream' }, body, retry: { onRetry } });
    expect(taken.unchanged).toBe(true);
    expect(retries).toEqual([expect.objectContaining({ wait: 5000, error: expect.any(TooManyUploadsError) })]);
  });
});
