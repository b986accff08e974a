import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type ClusterEvent } from '../../clients/typescript/src/index.js';
import { freePort } from '../../src/storage/embedded/postgres-server.js';
import { LivingApiServer } from '../support/living-api-server.js';
import { plainRequest } from '../support/plain-http.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { ServiceProcess } from '../support/service-process.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';

jest.setTimeout(300_000);

const HAPROXY = balancer();
if (HAPROXY === undefined) process.stderr.write('skipped: replicas behind a balancer; there is no haproxy\n');

function balancer(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'PATH=$PATH:/usr/sbin command -v haproxy'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Leases of a killed replica end after 13 s. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 90_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it never came to hold');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const STORED = ['stored-a', 'stored-b', 'stored-c', 'stored-d'];
const FOLLOWED = ['followed-a', 'followed-b', 'followed-c'];

let folder: string;
let postgres: TestPostgres;
let proxy: ChildProcess;
let url: string;
const replicas: ServiceProcess[] = [];
const planes: LivingApiServer[] = [];

beforeAll(async () => {
  if (HAPROXY === undefined) return;
  await promisify(execFile)('node', ['scripts/build.mjs', '--bundle']);
  folder = await mkdtemp(join(tmpdir(), 'balancer-'));
  const keys = join(folder, 'keys');
  await writeFile(keys, randomBytes(32).toString('base64'));
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createEmptyDatabase();
  const settings = { CONNECTION_KEY_FILE: keys, FOLLOW_COALESCE_MS: '20', DATABASE_POOL_SIZE: '6' };
  for (const name of ['a', 'b', 'c', 'd']) replicas.push(new ServiceProcess(name, databaseUrl, settings));
  // The fourth is added later.
  for (const replica of replicas.slice(0, 3)) await replica.run();
  await replicas[3]!.choosePort();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const addresses = replicas.map((replica, at): readonly [string, string] => [
    `REPLICA_${'ABCD'[at]!}`,
    new URL(replica.url).host,
  ]);
  proxy = spawn(HAPROXY, ['-f', 'deploy/haproxy/haproxy.cfg', '-db'], {
    env: { ...Object.fromEntries(addresses), BIND: `127.0.0.1:${port}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(async () => (await plainRequest(`${url}/readyz`, {}).catch(() => undefined))?.status === 200);
}, 300_000);
afterAll(async () => {
  if (HAPROXY === undefined) return;
  proxy.kill('SIGKILL');
  await Promise.all(replicas.map((replica) => replica.kill()));
  await Promise.all(planes.map((plane) => plane.stop()));
  await postgres.stop();
  await rm(folder, { recursive: true });
});

async function send(method: string, path: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await plainRequest(`${url}/api/v1/clusters/${path}`, { method, headers, body: JSON.stringify(body) })).status;
}

async function nodesOf(cluster: string): Promise<string> {
  const { json } = await plainRequest(`${url}/api/v1/clusters/${cluster}/nodes`, {});
  const { items = [] } = (json ?? {}) as { readonly items?: readonly { readonly name: string }[] };
  return items.map(({ name }) => name).join(' ');
}

interface Exchange {
  readonly path: string;
  readonly began: number;
  readonly ended: number;
  /** 0: the connection was closed. */
  readonly status: number;
}

/** Asks questions over kept connections, several at a time, until it is stopped. */
class Load {
  readonly exchanges: Exchange[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });
  private isOver = false;
  private readonly ended: Promise<unknown>;

  constructor() {
    this.ended = Promise.all(Array.from({ length: 8 }, (_, first) => this.askOn(first)));
  }

  async reach(count: number): Promise<void> {
    const goal = this.exchanges.length + count;
    await until(() => this.exchanges.length >= goal);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.ended;
    this.agent.destroy();
  }

  private async askOn(first: number): Promise<void> {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    for (let at = first; !this.isOver; at++) {
      const path = `/api/v1/clusters/${STORED[at % STORED.length]!}/${at % 2 === 0 ? 'nodes' : 'placements'}`;
      const began = performance.now();
      const status = await this.ask(path, at % 2 === 0 ? undefined : JSON.stringify({ pod }));
      this.exchanges.push({ path, began, ended: performance.now(), status });
    }
  }

  private ask(path: string, body: string | undefined): Promise<number> {
    return new Promise((resolve) => {
      const method = body === undefined ? 'GET' : 'POST';
      const headers = { 'content-type': 'application/json' };
      const sent = request(url + path, { method, agent: this.agent, headers }, (response) => {
        response.resume();
        response.once('error', () => {
          resolve(0);
        });
        response.once('end', () => {
          resolve(response.statusCode!);
        });
      });
      sent.on('error', () => {
        resolve(0);
      });
      sent.end(body);
    });
  }
}

/** Changes taints of stored clusters one after another, and repeats each that fails, with its key, until it is made. */
class Changes {
  made = 0;
  /** Attempts that brought no answer of the service. */
  readonly lost: Exchange[] = [];
  private isOver = false;
  private readonly ended: Promise<unknown>;

  constructor() {
    this.ended = Promise.all(STORED.slice(0, 2).map((cluster) => this.changeAll(cluster)));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.ended;
  }

  private async changeAll(cluster: string): Promise<void> {
    const path = `/api/v1/clusters/${cluster}/taint-changes`;
    for (let at = 0; !this.isOver; at++) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${cluster} ${at}` };
      const body = JSON.stringify({
        nodes: ['a'],
        taints: [`turn=t${at}:NoSchedule`],
        overwrite: true,
        reason: 'a test',
      });
      for (;;) {
        const began = performance.now();
        const answer = await plainRequest(url + path, { method: 'POST', headers, body }).catch(() => undefined);
        const status = answer?.status ?? 0;
        if (status === 201 || status === 200) break;
        if (status !== 409) this.lost.push({ path, began, ended: performance.now(), status });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      this.made++;
    }
  }
}

async function changesOf(cluster: string): Promise<number> {
  const { json } = await plainRequest(`${url}/api/v1/clusters/${cluster}/taint-changes?limit=1000`, {});
  return (json as { readonly items: readonly unknown[] }).items.length;
}

(HAPROXY === undefined ? describe.skip : describe)('three replicas behind HAProxy', () => {
  it('lose no read when one is killed, stopped or added, and make each change once; followers and watchers go on', async () => {
    for (const name of STORED) {
      const list = { apiVersion: 'v1', kind: 'List', items: SMALL_CLUSTER };
      expect(await send('POST', `${name}/snapshots?createCluster=true`, list)).toBe(201);
    }
    for (const name of FOLLOWED) {
      const plane = await LivingApiServer.start();
      planes.push(plane);
      plane.put('nodes', 'first');
      expect(await send('PUT', name, {})).toBeLessThan(300);
      expect(await send('PUT', `${name}/connection`, { kubeconfig: plane.kubeconfig, follow: true })).toBe(200);
    }
    for (const name of FOLLOWED) await until(async () => (await nodesOf(name)) === 'first');
    const followed = (): boolean => planes.every(({ watching }) => watching === 2);
    await until(followed);

    // A program follows each cluster through the balancer, with the client that reconnects.
    const seen = new Map<string, number[]>(FOLLOWED.map((name) => [name, []]));
    const stop = new AbortController();
    const following = FOLLOWED.map(async (name) => {
      const events = new Client({ baseUrl: url }).events(name, {
        after: 1,
        types: ['headChanged'],
        signal: stop.signal,
      });
      for await (const event of events as AsyncIterable<ClusterEvent>) {
        if (event.type === 'headChanged') seen.get(name)!.push(event.headChanged.revision);
      }
    });
    const load = new Load();
    const changes = new Changes();
    await load.reach(300);

    const killedAt = performance.now();
    await replicas[0]!.kill();
    await load.reach(300);
    for (const plane of planes) plane.put('nodes', 'second');
    for (const name of FOLLOWED) await until(async () => (await nodesOf(name)) === 'first second');
    await until(followed);

    await replicas[3]!.run();
    const addedAt = performance.now();
    await until(async () => (await requestsOf(replicas[3]!)) > 20);
    await load.reach(300);
    for (const plane of planes) plane.put('nodes', 'third');
    for (const name of FOLLOWED) await until(async () => (await nodesOf(name)) === 'first second third');
    await until(followed);
    const stoppedAt = performance.now();
    await replicas[1]!.stop();
    await load.reach(300);
    for (const plane of planes) plane.put('nodes', 'fourth');
    for (const name of FOLLOWED) await until(async () => (await nodesOf(name)) === 'first fourth second third');
    await until(followed);
    await Promise.all([load.stop(), changes.stop()]);

    const failed = [...load.exchanges.filter(({ status }) => status !== 200), ...changes.lost];
    expect(failed.filter(({ path }) => path.endsWith('/nodes'))).toEqual([]);
    // What may write was sent over a connection that the replica still had: it may or may not have been read.
    const isOf = (at: number, { began, ended }: Exchange): boolean => began <= at + IN_FLIGHT_MS && ended >= at;
    expect(failed.filter((one) => !isOf(killedAt, one) && !isOf(stoppedAt, one))).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(16);
    expect((await changesOf(STORED[0]!)) + (await changesOf(STORED[1]!))).toBe(changes.made);
    expect(load.exchanges.filter(({ began }) => began > addedAt).length).toBeGreaterThan(300);

    await until(() => [...seen.values()].every((revisions) => revisions.length >= 2));
    stop.abort();
    await Promise.allSettled(following);
    for (const revisions of seen.values()) {
      expect(revisions).toEqual(revisions.map((_, at) => at + 2));
    }
  });
});

/** How long the balancer may take to see that connections of a killed process are closed, in milliseconds. */
const IN_FLIGHT_MS = 1_000;

/** Placements and lists that a replica has answered itself. */
async function requestsOf(replica: ServiceProcess): Promise<number> {
  const { text } = await plainRequest(`${replica.url}/metrics`, {});
  return text
    .split('\n')
    .filter((line) => /^kube_placement_http_request_duration_seconds_count\{.*clusters\/:cluster/.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
