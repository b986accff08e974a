import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import { copyOfDataFolder } from '../support/postgres.js';
import { sql } from '../support/sql.js';
import { Judge } from './judge.js';
import { Killer, type Victim } from './killer.js';
import { Ledger } from './ledger.js';
import { Reader } from './reader.js';
import { ServiceProcess } from '../support/service-process.js';
import { Snapshotter } from './snapshotter.js';
import { settle } from './soak-client.js';
import { BASE, dumpOf, FIRST_NODES } from './soak-cluster.js';
import { Writer } from './writer.js';

/** A part of a soak: this many seconds, or this many kills, whichever takes longer. */
export interface Stage {
  readonly victim?: Victim;
  readonly seconds?: number;
  readonly blows?: number;
}

export interface SoakOptions {
  /** Run one after another, on one cluster. */
  readonly stages: readonly Stage[];
  /** Approximate seconds between the recovery from a kill and the next kill. */
  readonly pause: number;
  readonly writers: number;
  readonly readers: number;
  readonly replicas: number;
  readonly seed: number;
}

/** The result of a soak. */
export interface SoakReport {
  readonly seconds: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** Changes that were repeated with their key after their response. */
  readonly replayed: number;
  /** Changes whose response was lost, and that turned out to be made when they were repeated. */
  readonly settled: number;
  readonly snapshots: number;
  readonly reads: number;
  /** Milliseconds from a request to its acknowledgement. */
  readonly p50: number;
  readonly p99: number;
  /** Records of the trail that were verified. */
  readonly records: number;
  readonly kills: number;
  /** Maximum milliseconds from a kill, or from the restart of what was killed, to the first change after it. */
  readonly longestSilence: number;
  /** Empty if all checks succeed. */
  readonly violations: readonly string[];
}

interface Scene {
  readonly server: EmbeddedPostgres;
  readonly replicas: readonly ServiceProcess[];
  readonly start: (name: string) => Promise<ServiceProcess>;
}

/** Soaks replicas of the service over a Postgres that syncs commits to disk, and checks the final state. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const folder = await copyOfDataFolder();
  const server = await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined, durable: true });
  const started: ServiceProcess[] = [];
  const start = async (name: string): Promise<ServiceProcess> => {
    const service = new ServiceProcess(name, server.url);
    started.push(service);
    await service.run();
    return service;
  };
  try {
    const names = Array.from({ length: options.replicas }, (_, index) => `replica-${index + 1}`);
    return await soak(options, { server, start, replicas: await Promise.all(names.map(start)) });
  } finally {
    await Promise.all(started.map((service) => service.kill()));
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function soak(options: SoakOptions, { server, replicas, start }: Scene): Promise<SoakReport> {
  const { stages, pause, seed } = options;
  const first = { method: 'POST', path: `${BASE}/snapshots?createCluster=true`, body: dumpOf(FIRST_NODES) } as const;
  await settle(() => replicas[0]!, first);
  const ledger = new Ledger();
  const killer = new Killer(replicas, server, ledger, seed);
  let over = false;
  let disturbed = false;
  const phase = {
    replicas,
    ledger,
    careful: stages.some(({ victim }) => victim !== undefined),
    isDisturbed: () => disturbed,
    isOver: () => over,
  };
  const writers = Array.from({ length: options.writers }, (_, index) => new Writer(index, phase, seed));
  const readers = Array.from({ length: options.readers }, (_, index) => new Reader(index, phase, seed));
  const working = Promise.all([...writers, ...readers, new Snapshotter(phase, seed)].map((one) => one.run()));
  const end = (): void => {
    over = true;
  };
  working.catch(end);
  const began = performance.now();
  for (const { victim, seconds = 0, blows = 0 } of stages) {
    const until = performance.now() + seconds * 1000;
    const target = killer.kills + blows;
    disturbed ||= victim !== undefined;
    while (!phase.isOver() && (killer.kills < target || performance.now() < until)) {
      await (victim === undefined ? sleep(50) : killer.strike(victim, pause * 1000));
    }
  }
  end();
  await working;
  const seconds = (performance.now() - began) / 1000;
  await untilExpired(server.url);
  const judge = new Judge(ledger, server.url);
  const own = writers.map(({ operations }) => ({ key: operations.key, values: operations.own }));
  await judge.run(replicas, await start('a fresh replica'), own);
  return {
    seconds,
    ...figuresOf(ledger),
    records: judge.records,
    kills: killer.kills,
    longestSilence: killer.longestSilence,
  };
}

function figuresOf(ledger: Ledger) {
  const latencies = ledger.latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    acknowledged: ledger.acknowledged.size,
    refused: ledger.absent.size,
    replayed: ledger.replayed,
    settled: ledger.settled,
    snapshots: [...ledger.snapshots.values()].filter(({ revision }) => revision !== undefined).length,
    reads: ledger.reads,
    p50: quantile(0.5),
    p99: quantile(0.99),
    violations: ledger.found,
  };
}

/** Waits until every change that expires has expired; the judge reports those that do not. */
async function untilExpired(url: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const pending = await sql(url, `select from taint_changes where expiry = 'pending' limit 1`);
    if (pending.length === 0 || Date.now() > deadline) return;
    await sleep(100);
  }
}
