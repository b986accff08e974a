import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import { freePort } from '../../src/storage/embedded/postgres-server.js';
import { DEFAULT_SHAPE } from '../generator/cluster-shape.js';
import { ndjson } from '../generator/dump.js';
import { generateCluster } from '../generator/generate-cluster.js';
import { BenchService } from '../service/bench-service.js';
import { newDataFolder } from '../service/data-folder.js';
import { treeUsage } from '../service/tree-usage.js';

/**
 * What an answer costs with one replica and with three behind HAProxy (deploy/haproxy/haproxy.cfg), in CPU:
 * `npm run replicas [-- --clusters N --questions N]`. On a machine with fewer cores than replicas, throughput says
 * nothing about replicas; CPU for each answer does, as long as Postgres has some to spare.
 */
const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '12' },
    questions: { type: 'string', default: '6000' },
    haproxy: { type: 'string', default: '/usr/sbin/haproxy' },
  },
});
const CLUSTERS = Number(values.clusters);
const QUESTIONS = Number(values.questions);
const AT_ONCE = 12;
const LETTERS = ['A', 'B', 'C', 'D'];
/** Never asked before: of what is asked again, each replica keeps the answer. */
const podOf = (question: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `asked-${question}` },
  spec: {
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m', memory: `${2 ** 30 - question}` } } }],
  },
});

const folder = await newDataFolder('replicas');
const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'data'), log: () => undefined });
try {
  const [first] = await start(1);
  for (let index = 0; index < CLUSTERS; index++) {
    const objects = [...generateCluster({ ...DEFAULT_SHAPE, nodes: 100, pods: 3_000, seed: index + 1 })];
    await first!.takeSnapshotOf(nameOf(index), [...ndjson(objects)].join(''));
  }
  await first!.stop();
  for (const count of [1, 3, 1, 3]) await measure(count);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function start(count: number): Promise<BenchService[]> {
  return Promise.all(
    Array.from({ length: count }, () =>
      BenchService.start(postgres.url, [], { LOG_LEVEL: 'info', RATE_LIMIT: '0', DATABASE_POOL_SIZE: '6' }),
    ),
  );
}

async function measure(count: number): Promise<void> {
  const services = await start(count);
  const port = await freePort();
  const addresses = LETTERS.map((letter, at) => [
    `REPLICA_${letter}`,
    // The others are down.
    at < count ? new URL(services[at]!.url).host : '127.0.0.1:1',
  ]);
  const proxy = spawn(values.haproxy, ['-f', 'deploy/haproxy/haproxy.cfg', '-db'], {
    env: { ...Object.fromEntries(addresses), BIND: `127.0.0.1:${port}` } as NodeJS.ProcessEnv,
    stdio: 'ignore',
  });
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  try {
    // Until the balancer knows who is there, and each state is loaded.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await askAll(port, agent, CLUSTERS * 20);
    const ids = [...services.map(({ pid }) => pid), postgres.pid, proxy.pid!];
    const before = await Promise.all(ids.map(treeUsage));
    const began = performance.now();
    await askAll(port, agent, QUESTIONS);
    const seconds = (performance.now() - began) / 1000;
    const after = await Promise.all(ids.map(treeUsage));
    const used = after.map(({ cpuSeconds }, at) => cpuSeconds - before[at]!.cpuSeconds);
    const ofService = used.slice(0, count).reduce((sum, one) => sum + one, 0);
    const each = (cpu: number): string => `${((cpu * 1000) / QUESTIONS).toFixed(2)} ms`;
    console.log(
      `${count} replicas: CPU of an answer ${each(ofService)} (Postgres ${each(used[count]!)}, HAProxy ${each(used[count + 1]!)}); ` +
        `of each replica ${used
          .slice(0, count)
          .map((one) => one.toFixed(1))
          .join(', ')} s; ${seconds.toFixed(1)} s in all; load average ${loadavg()[0]!.toFixed(1)}`,
    );
  } finally {
    agent.destroy();
    proxy.kill();
    for (const service of services) await service.stop();
  }
}

async function askAll(port: number, agent: Agent, count: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < count; at = next++) await ask(port, agent, at);
    }),
  );
}

/** Placements and lists of nodes in turn, of one cluster after the other. */
function ask(port: number, agent: Agent, at: number): Promise<void> {
  const isPlacement = at % 2 === 0;
  const path = `/api/v1/clusters/${nameOf(Math.floor(at / 2) % CLUSTERS)}/${isPlacement ? 'placements' : 'nodes'}`;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(
      { host: '127.0.0.1', port, path, method: isPlacement ? 'POST' : 'GET', agent, headers },
      (response) => {
        response.resume();
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${path}: ${response.statusCode!}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(isPlacement ? JSON.stringify({ pod: podOf(at) }) : undefined);
  });
}

function nameOf(index: number): string {
  return `cluster-${index}`;
}
