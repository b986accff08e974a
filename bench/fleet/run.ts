import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import { DEFAULT_SHAPE } from '../generator/cluster-shape.js';
import { ndjson } from '../generator/dump.js';
import { generateCluster, type RawObject } from '../generator/generate-cluster.js';
import { BenchService } from '../service/bench-service.js';
import { newDataFolder } from '../service/data-folder.js';
import { follow, untilStored, untilWatched } from '../service/follow-bed.js';
import { GeneratedApiServer } from '../service/generated-api-server.js';
import { treeUsage } from '../service/tree-usage.js';

/**
 * Many clusters on one replica and one Postgres: `npm run fleet [-- --clusters N --nodes N --pods N --workers N --only PARTS --data FOLDER]`.
 * Prints what taking them in, asking all of them, and their changes cost, in time, CPU and memory. PARTS: of
 * `unchanged,ahead,questions,placement,changes`, and of `start,list,few,one,idle,rule`, which hardly depend on what clusters contain: for
 * thousands of small ones; or `live`, which follows as many other clusters over connections, in place of taking in those. FOLDER keeps the database: with one that has the clusters, they are not taken in again.
 */
const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '100' },
    pods: { type: 'string', default: '3000' },
    workers: { type: 'string', default: String(availableParallelism()) },
    'state-memory': { type: 'string', default: '1024' },
    changes: { type: 'string', default: '2000' },
    only: { type: 'string', default: 'unchanged,ahead,questions,placement,changes' },
    data: { type: 'string' },
  },
});
const CLUSTERS = Number(values.clusters);
const NODES = Number(values.nodes);
const PODS = Number(values.pods);
const PARTS: ReadonlySet<string> = new Set(values.only.split(','));
const CHANGES_A_SECOND = Number(values.changes);

/** Of each worker: a replica with 4 GB. */
const HEAP_MB = Math.floor(3072 / Number(values.workers));

/** Clusters with content of their own; the others have that of one of them under another name. */
const DISTINCT = 8;
/** Snapshots that are sent at the same time. */
const AT_ONCE = 4;
const IDLE_SECONDS = 30;
/** Objects that change in a delta, and for how long deltas are sent, in seconds. */
const IN_A_DELTA = 20;
const SECONDS = 20;
/** For how long followed clusters change. */
const SECONDS_FOLLOWED = 60;
const QUESTIONS = 3;
const PLACEMENTS = 4;
/** Clusters that a selector picks. */
const FEW = 10;
/** Changes of one cluster, one after another. */
const OF_ONE = 200;
/** The service is quiet when it uses less than this share of a core for so many seconds. */
const QUIET = 0.05;
const QUIET_SECONDS = 5;
const MOST_SECONDS = 600;
/** Newer than those of generated objects, and than those of runs before with the same database: older versions are passed over. */
const FIRST_VERSION = Date.now() * 1_000;
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m', memory: '1Gi' } } }] },
};

const folder = values.data ?? (await newDataFolder('fleet'));
/** Written when all clusters have been taken in. */
const taken = join(folder, 'taken');
const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'data'), log: () => undefined });
const keyFile = join(folder, 'keys');
await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`);
const startService = (): Promise<BenchService> =>
  BenchService.start(postgres.url, [`--max-old-space-size=${HEAP_MB}`], {
    WORKERS: values.workers,
    STATE_MEMORY_MB: values['state-memory'],
    LOG_LEVEL: 'info',
    CONNECTION_KEY_FILE: keyFile,
    NOTIFICATION_ALLOWED_ADDRESSES: '127.0.0.0/8',
  });
let service = await startService();
try {
  await run();
} finally {
  await service.stop();
  await postgres.stop();
  if (values.data === undefined) await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  console.log(`${CLUSTERS} clusters of ${NODES} nodes and ${PODS} pods; ${values.workers} workers`);
  const objects = Array.from({ length: DISTINCT }, (_, index) => [
    ...generateCluster({ ...DEFAULT_SHAPE, nodes: NODES, pods: PODS, seed: index + 1 }),
  ]);
  const dumps = objects.map((list) => [...ndjson(list)].join(''));
  if (PARTS.has('live')) {
    await live();
    return;
  }
  if (!existsSync(taken)) {
    await measured('take in all clusters', CLUSTERS, async () => {
      let next = 0;
      await atOnce(AT_ONCE, async () => {
        for (let index = next++; index < CLUSTERS; index = next++) {
          const group = String(Math.floor(index / FEW));
          await service.putCluster(nameOf(index), { fleet: 'bench', half: String(index % 2), group });
          await service.takeSnapshotOf(nameOf(index), dumps[index % DISTINCT]!);
        }
      });
    });
    await writeFile(taken, String(CLUSTERS));
  }
  const client = new pg.Client(postgres.url);
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  await client.end();
  console.log(`database: ${(Number(rows[0]!.bytes) / 1e6).toFixed(0)} MB`);

  if (PARTS.has('start')) {
    await service.stop();
    const before = await treeUsage(postgres.pid);
    const start = performance.now();
    service = await startService();
    const seconds = (performance.now() - start) / 1000;
    const ready = await treeUsage(service.pid);
    await quiet();
    const [later, after] = [await treeUsage(service.pid), await treeUsage(postgres.pid)];
    console.log(
      `start: ${seconds.toFixed(1)} s, CPU ${ready.cpuSeconds.toFixed(1)} s; until it is quiet ${later.cpuSeconds.toFixed(1)} s, of Postgres ${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s; memory ${later.residentMb.toFixed(0)} MB`,
    );
  }
  if (PARTS.has('list')) await measured('GET /clusters, all pages', 1, () => readAll('/clusters'));
  if (PARTS.has('unchanged')) {
    await measured('take in all clusters again, unchanged', CLUSTERS, async () => {
      let next = 0;
      await atOnce(AT_ONCE, async () => {
        for (let index = next++; index < CLUSTERS; index = next++) {
          await service.takeSnapshotOf(nameOf(index), dumps[index % DISTINCT]!);
        }
      });
    });
  }

  if (PARTS.has('ahead')) await measured('digests of all clusters, ahead of questions', CLUSTERS, allCounted);
  // A generated cluster has so many findings that 100 of each cluster are more than a response may have.
  for (const path of PARTS.has('questions') ? ['/taints', '/findings?perCluster=3', '/fleet'] : []) {
    await measured(`GET ${path} over all clusters, the first time`, 1, () => readAll(path));
    await measured(`GET ${path} over all clusters`, QUESTIONS, async () => {
      for (let time = 0; time < QUESTIONS; time++) await readAll(path);
    });
  }
  if (PARTS.has('placement')) {
    // The first loads states from their objects, the second from their images; then they are in memory, as far as they fit.
    for (let time = 1; time <= PLACEMENTS; time++)
      await measured(`a placement over all clusters, time ${time}`, 1, placeAll);
  }
  if (PARTS.has('few')) await few();
  if (PARTS.has('one')) await changeOne(objects[0]!);
  if (PARTS.has('idle')) await idle('idle');
  if (PARTS.has('rule')) {
    const receiver = await silentReceiver();
    await measured('a rule of notifications about all clusters, until all are looked at', CLUSTERS, async () => {
      await service.put('/notification-rules/all', {
        kinds: ['taintChanged'],
        format: 'slack',
        url: receiver.url,
      });
      await quiet();
    });
    await idle('idle, with the rule');
    await changeOne(objects[0]!);
    await service.remove('/notification-rules/all');
    receiver.close();
  }
  if (PARTS.has('changes')) await change(objects);
}

/** Clusters that are followed over connections: all are read, then little happens, then many changes come. */
async function live(): Promise<void> {
  const api = await GeneratedApiServer.start({ ...DEFAULT_SHAPE, nodes: NODES, pods: PODS });
  const names = Array.from({ length: CLUSTERS }, (_, index) => `live-${index}`);
  const changes = SECONDS_FOLLOWED * CHANGES_A_SECOND;
  let isOver = false;
  try {
    await measured('follow all clusters, until each is read and watched', CLUSTERS, async () => {
      for (const name of names) await follow(service, api, name);
      for (const name of names) await untilWatched(service, name);
    });
    await sleep(IDLE_SECONDS * 1000);
    await measured('follow all clusters while nothing changes, a second', IDLE_SECONDS, () =>
      sleep(IDLE_SECONDS * 1000),
    );
    await measured('follow all clusters while nodes renew their leases, a second', IDLE_SECONDS, async () => {
      console.log(`  ${await api.renewLeases(IDLE_SECONDS)} renewals`);
    });
    await measured(`${CHANGES_A_SECOND} changes a second, of each cluster in turn`, changes, async () => {
      const sent = api.spread(names, CHANGES_A_SECOND, SECONDS_FOLLOWED).finally(() => (isOver = true));
      const lags: number[] = [];
      for (let write = 0; !isOver; write++) {
        const began = performance.now();
        await answered(api, names[(write * 37) % CLUSTERS]!, `written-${write}`);
        lags.push(performance.now() - began);
      }
      const versions = await sent;
      const unwatched = versions.filter((version) => version === undefined).length;
      for (const [index, version] of versions.entries()) {
        if (version !== undefined) await untilStored(service, names[index]!, 'Pod', version);
      }
      if (unwatched > 0) throw new Error(`${unwatched} clusters were not watched`);
      lags.sort((a, b) => a - b);
      const of = (share: number): string => lags[Math.floor((lags.length - 1) * share)]!.toFixed(0);
      console.log(
        `  from a taint meanwhile to an answer with it: p50 ${of(0.5)} ms, p90 ${of(0.9)} ms, of ${lags.length}`,
      );
    });
  } finally {
    api.stop();
  }
}

/** Resolves when the service answers with a taint that the API server has told. */
async function answered(api: GeneratedApiServer, cluster: string, key: string): Promise<void> {
  const { node } = await api.taint(cluster, key);
  while (!JSON.stringify(await service.read(`/clusters/${cluster}/nodes/${node}`)).includes(`"${key}"`))
    await sleep(50);
}

/** Resolves when what the service does by itself is done. */
async function quiet(): Promise<void> {
  let last = (await treeUsage(service.pid)).cpuSeconds;
  for (let second = 0, still = 0; second < MOST_SECONDS && still < QUIET_SECONDS; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const now = (await treeUsage(service.pid)).cpuSeconds;
    still = now - last < QUIET ? still + 1 : 0;
    last = now;
  }
}

async function idle(what: string): Promise<void> {
  await quiet();
  await measured(
    `${what}, a second`,
    IDLE_SECONDS,
    () => new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000)),
  );
}

/** A placement in clusters that a selector picks, the first time and again. */
async function few(): Promise<void> {
  const place = async (group: number): Promise<void> => {
    const { items } = (await service.ask('/placements', { clusterSelector: `group=${group}`, pod: POD })) as {
      readonly items: readonly { readonly placement: unknown }[];
    };
    if (items.length !== FEW || items.some(({ placement }) => placement === null)) throw new Error('not all answered');
  };
  const groups = Array.from({ length: Math.min(20, Math.floor(CLUSTERS / FEW)) }, (_, group) => group);
  for (const again of ['the first time', 'again']) {
    await measured(`a placement in ${FEW} clusters by a selector, ${again}`, groups.length, async () => {
      for (const group of groups) await place(group);
    });
  }
}

/** Changes in one cluster, one after another. */
async function changeOne(objects: readonly RawObject[]): Promise<void> {
  const stream = randomUUID();
  const first = Date.now() * 1_000;
  const took: number[] = [];
  const [pod] = objects.filter(isPod);
  await measured('a change in one cluster', OF_ONE, async () => {
    for (let sequence = 1; sequence <= OF_ONE; sequence++) {
      const metadata = {
        ...pod!.metadata,
        resourceVersion: String(first + sequence),
        labels: { change: String(first + sequence) },
      };
      const start = performance.now();
      await service.ask(`/clusters/${nameOf(0)}/deltas`, {
        stream,
        sequence,
        upserts: [JSON.parse(stringifyJson({ ...pod!, metadata }))],
      });
      took.push(performance.now() - start);
    }
  });
  took.sort((a, b) => a - b);
  console.log(`  p50 ${took[OF_ONE / 2]!.toFixed(1)} ms, p99 ${took[Math.floor(OF_ONE * 0.99)]!.toFixed(1)} ms`);
}

/** A receiver of notifications that says yes to everything. */
async function silentReceiver(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function change(objects: readonly (readonly RawObject[])[]): Promise<void> {
  const streams = Array.from({ length: CLUSTERS }, () => ({
    id: randomUUID(),
    sequence: 0,
    last: Promise.resolve(),
  }));
  const lags: number[] = [];
  await measured(
    `${CHANGES_A_SECOND} changes a second, in deltas of ${IN_A_DELTA}`,
    SECONDS * CHANGES_A_SECOND,
    async () => {
      const deltas = (SECONDS * CHANGES_A_SECOND) / IN_A_DELTA;
      const start = performance.now();
      let next = 0;
      await atOnce(16, async () => {
        for (let at = next++; at < deltas; at = next++) {
          const due = start + (at * 1000 * IN_A_DELTA) / CHANGES_A_SECOND;
          const early = due - performance.now();
          if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
          const index = at % CLUSTERS;
          const stream = streams[index]!;
          // The deltas of a stream come in their order.
          stream.last = stream.last.then(async () => {
            const { unchanged } = (await service.ask(`/clusters/${nameOf(index)}/deltas`, {
              stream: stream.id,
              sequence: ++stream.sequence,
              upserts: changed(objects[index % DISTINCT]!, at),
            })) as { readonly unchanged: boolean };
            if (unchanged) throw new Error('a delta changed nothing');
          });
          await stream.last;
          lags.push(performance.now() - due);
        }
      });
    },
  );
  lags.sort((a, b) => a - b);
  const of = (share: number): string => lags[Math.floor((lags.length - 1) * share)]!.toFixed(0);
  console.log(`  from when a delta is due to its answer: p50 ${of(0.5)} ms, p99 ${of(0.99)} ms`);
}

function nameOf(index: number): string {
  return `fleet-${index}`;
}

async function measured(what: string, count: number, work: () => Promise<void>): Promise<void> {
  const before = [await treeUsage(service.pid), await treeUsage(postgres.pid)] as const;
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const after = [await treeUsage(service.pid), await treeUsage(postgres.pid)] as const;
  const cpu = after.map((usage, at) => usage.cpuSeconds - before[at]!.cpuSeconds) as [number, number];
  const each = (used: number): string => `${((used * 1000) / count).toPrecision(3)} ms`;
  console.log(
    `${what}: ${seconds.toFixed(1)} s, ${each(seconds)} each; CPU of the service ${each(cpu[0])} each, of Postgres ${each(cpu[1])}; memory ${after[0].residentMb.toFixed(0)} MB, of Postgres's own ${after[1].residentMb.toFixed(0)} MB`,
  );
}

/** Resolves when the figures of all clusters are those of their heads; they are kept last. */
async function allCounted(): Promise<void> {
  for (;;) {
    const { sums } = (await service.read('/fleet?compute=0&limit=1')) as {
      readonly sums: { readonly uncounted: number; readonly outdated: number };
    };
    if (sums.uncounted + sums.outdated === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
}

async function atOnce(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}

async function readAll(path: string): Promise<void> {
  let after = '';
  let seen = 0;
  do {
    const page = (await service.read(`${path}${path.includes('?') ? '&' : '?'}limit=200${after}`)) as {
      readonly items: readonly unknown[];
      readonly continue: string | null;
    };
    seen += page.items.length;
    after = page.continue === null ? '' : `&continue=${encodeURIComponent(page.continue)}`;
  } while (after !== '');
  if (seen === 0) throw new Error(`${path}: nothing was read`);
}

async function placeAll(): Promise<void> {
  let after: string | null = null;
  let answered = 0;
  do {
    const page = (await service.ask('/placements', {
      clusterSelector: 'fleet=bench',
      limit: 200,
      pod: POD,
      ...(after !== null && { continue: after }),
    })) as { readonly items: readonly { readonly placement: unknown }[]; readonly continue: string | null };
    answered += page.items.filter(({ placement }) => placement !== null).length;
    after = page.continue;
  } while (after !== null);
  if (answered !== CLUSTERS) throw new Error(`${answered} of ${CLUSTERS} clusters answered`);
}

interface RawPod extends RawObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: object };
  readonly spec: object;
}

function isPod(object: RawObject): object is RawPod {
  return object.kind === 'Pod';
}

/** Pods with another label and a newer version. */
function changed(objects: readonly RawObject[], number: number): readonly object[] {
  const pods = objects.filter(isPod);
  return Array.from({ length: IN_A_DELTA }, (_, at) => {
    const pod = pods[(number * IN_A_DELTA + at) % pods.length]!;
    const resourceVersion = String(FIRST_VERSION + number * IN_A_DELTA + at);
    const metadata = {
      ...pod.metadata,
      resourceVersion,
      labels: { ...pod.metadata.labels, change: `${FIRST_VERSION}-${number}` },
    };
    return JSON.parse(stringifyJson({ ...pod, metadata })) as object;
  });
}
