import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { plainRequest, rawExchange } from '../support/plain-http.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';

const MAIN = join(process.cwd(), 'dist/bundle/main.js');
const RATE_LIMIT = 30;

jest.setTimeout(120_000);

let postgres: TestPostgres;
let service: ChildProcess;
let url: string;
let temporary: string;
let log = '';

beforeAll(async () => {
  postgres = await startTestPostgres();
  temporary = await mkdtemp(join(tmpdir(), 'kube-placement-workers-e2e-'));
  await promisify(execFile)('node', ['scripts/build.mjs', '--bundle']);
  service = spawn('node', [MAIN], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      TMPDIR: temporary,
      WORKERS: '2',
      // On a busy machine, a second worker would take a cluster's connections, too.
      WORKERS_PER_CLUSTER: '1',
      DATABASE_URL: await postgres.createEmptyDatabase(),
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      RATE_LIMIT: String(RATE_LIMIT),
      LIVE_STREAMS_PER_CALLER: '2',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [service.stdout!, service.stderr!]) {
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  }
  url = await logged(/"workers":2,"url":"(http:[^"]+)","msg":"ready"/);
  for (const name of ['one', 'two', 'three', 'four']) expect((await store(name)).status).toBe(201);
}, 240_000);
afterAll(async () => {
  service.kill('SIGKILL');
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
});

/** The first group of a pattern, once the log has it. */
function logged(pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = pattern.exec(log);
      if (found === null) return;
      service.stdout!.off('data', look);
      resolve(found[1] ?? '');
    };
    service.stdout!.on('data', look);
    service.once('exit', () => {
      reject(new Error(`the service has ended:\n${log}`));
    });
    look();
  });
}

const store = (cluster: string) =>
  plainRequest(`${url}/api/v1/clusters/${cluster}/snapshots?createCluster=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: SMALL_CLUSTER }),
  });

/** Each request has a connection of its own. */
const read = (path: string) => plainRequest(url + path, {});

/** A metric of all workers, with or without labels. */
async function metric(name: string): Promise<number> {
  const { text } = await read('/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith(`kube_placement_${name} `) || line.startsWith(`kube_placement_${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function workers(): Promise<number[]> {
  const pid = service.pid!;
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').map(Number);
}

function follow(cluster: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/v1/clusters/${cluster}/events`, { agent: false }, resolve).on('error', reject);
  });
}

describe('several processes on one port', () => {
  it('have the state of a cluster once, whatever connection asks about it', async () => {
    const clusters = ['one', 'two', 'three', 'four'];
    for (let round = 0; round < 5; round++) {
      for (const name of clusters) expect((await read(`/api/v1/clusters/${name}/nodes`)).status).toBe(200);
    }
    expect(await metric('states_loaded')).toBe(clusters.length);
  });

  it('answer the same over GraphQL', async () => {
    const body = JSON.stringify({
      query: '{ cluster(name: "two") { nodes(first: 100) { edges { node { name } } } } }',
    });
    const { json } = await plainRequest(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { json: listed } = await read('/api/v1/clusters/two/nodes?limit=1000');
    const { items } = listed as { readonly items: readonly { readonly name: string }[] };
    expect(json).toEqual({ data: { cluster: { nodes: { edges: items.map(({ name }) => ({ node: { name } })) } } } });
    expect(await metric('states_loaded')).toBe(4);
  });

  it('sum up their metrics, in both formats', async () => {
    const before = await metric('http_request_duration_seconds_count');
    for (let at = 0; at < 6; at++) await read(`/api/v1/clusters/${at % 2 === 0 ? 'one' : 'two'}`);
    // And the request for the metrics before.
    expect(await metric('http_request_duration_seconds_count')).toBe(before + 7);
    const { text, headers } = await plainRequest(`${url}/metrics`, {
      headers: { accept: 'application/openmetrics-text' },
    });
    expect(headers['content-type']).toMatch(/^application\/openmetrics-text/);
    expect(text).toMatch(/^# TYPE kube_placement_snapshots counter$/m);
    expect(text).toMatch(/^kube_placement_snapshots_total\{outcome="committed"\} 4$/m);
    expect(text.trimEnd()).toMatch(/# EOF$/);
  });

  it('count the requests of a caller together', async () => {
    const answers = await Promise.all(Array.from({ length: RATE_LIMIT + 5 }, () => read('/api/v1/taints')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(RATE_LIMIT);
    expect(refused).toHaveLength(5);
    expect(refused[0]!.json).toMatchObject({ code: 'rate-limited' });
  });

  it('count the streams of a caller together, and give their places back', async () => {
    const first = await follow('one');
    const second = await follow('two');
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect((await follow('three')).statusCode).toBe(429);
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    let third = await follow('three');
    // The service hears of the end of a connection in its own time.
    while (third.statusCode === 429) third = await follow('three');
    expect(third.statusCode).toBe(200);
    third.destroy();
    second.destroy();
  });

  it('get all bytes of a request, however they arrive', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.setNoDelay(true);
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
    await once(socket, 'connect');
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'split' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const body = JSON.stringify({ pod: manifest }) + ' '.repeat(300_000);
    const head = `POST /api/v1/clusters/one/placements HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const text = head + body;
    for (const [from, to] of [
      [0, 1],
      [1, 40],
      [40, head.length + 3],
      [head.length + 3, text.length],
    ]) {
      await new Promise((resolve) => socket.write(text.slice(from, to), resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await once(socket, 'close');
    expect(got).toMatch(/^HTTP\/1.1 200 /);
    expect(got).toContain('"pod":{"namespace":"default","name":"split"');
  });

  it('serve one connection for many requests, and refuse what is not HTTP', async () => {
    const line = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n';
    const got = await rawExchange(url, `${line}\r\n${line}connection: close\r\n\r\n`);
    expect(got.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(await rawExchange(url, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });

  it('go on when one of them is killed, which is replaced, and whose places are free again', async () => {
    const streams = await Promise.all([follow('one'), follow('two')]);
    const ended = streams.map((stream) => new Promise((resolve) => stream.once('error', resolve)));
    const before = await workers();
    expect(before).toHaveLength(2);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await Promise.all(ended);
    await logged(/a worker was replaced(?:.|\n)*a worker was replaced/);
    // Both streams of the caller are closed.
    const next = await Promise.all([follow('one'), follow('two')]);
    expect(next.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    for (const pid of await workers()) expect(before).not.toContain(pid);
    expect((await read('/api/v1/clusters/four/nodes')).status).toBe(200);
  });

  it('leave no files behind, even if they are killed', async () => {
    expect(await readdir(temporary)).toEqual([]);
  });

  it('stop together', async () => {
    const running = await workers();
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    for (const pid of running) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(read('/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});
