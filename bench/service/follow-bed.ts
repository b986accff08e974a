import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterShape } from '../generator/cluster-shape.js';
import { BenchService } from './bench-service.js';
import { GeneratedApiServer } from './generated-api-server.js';
import { LivePlane } from './live-plane.js';
import type { TestBed } from './test-bed.js';

/** The name of the followed cluster of the generated shape. */
export const FOLLOWED = 'followed';

/** A followed cluster, and what its first list took. */
export interface BigCluster {
  readonly api: GeneratedApiServer;
  readonly service: BenchService;
  readonly seconds: number;
  /** Of the service, its Postgres apart, in MB. */
  readonly peakMemory: number;
}

/** A followed control plane, and what its first list took. */
export interface LiveCluster {
  readonly plane: LivePlane;
  readonly service: BenchService;
  readonly seconds: number;
}

/** Services that follow clusters of generated API servers. Those that the benchmarks share are created on first use. */
export class FollowBed {
  private folder: Promise<string> | undefined;
  private bigCluster: Promise<BigCluster> | undefined;
  private liveCluster: Promise<LiveCluster> | undefined;
  private readonly closers: (() => unknown)[] = [];

  constructor(
    readonly shape: ClusterShape,
    private readonly bed: TestBed,
  ) {
    bed.onClose(async () => {
      for (const close of this.closers.reverse()) await close();
    });
  }

  newDatabase(): Promise<string> {
    return this.bed.newDatabase();
  }

  async api(shape: Partial<ClusterShape>): Promise<GeneratedApiServer> {
    const api = await GeneratedApiServer.start(shape);
    this.closers.push(() => {
      api.stop();
    });
    return api;
  }

  async service(databaseUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<BenchService> {
    // On a busy machine, a new connection may take long.
    const busy = { RATE_LIMIT: '0', DATABASE_CONNECT_TIMEOUT_MS: '20000' };
    const all = { CONNECTION_KEY_FILE: join(await this.keys(), 'keys'), ...busy, ...settings };
    const service = await BenchService.start(databaseUrl, [], all);
    this.closers.push(() => service.stop());
    return service;
  }

  /** A cluster of the generated shape that has been listed and is watched, with the default settings. */
  big(): Promise<BigCluster> {
    return (this.bigCluster ??= this.listBig());
  }

  private async listBig(): Promise<BigCluster> {
    const api = await this.api(this.shape);
    const service = await this.service(await this.newDatabase());
    const started = performance.now();
    await follow(service, api, FOLLOWED);
    await untilWatched(service, FOLLOWED);
    const seconds = (performance.now() - started) / 1000;
    return { api, service, seconds, peakMemory: (await service.memory()).peak };
  }

  /** A running control plane that has been listed and is watched, with the default settings. */
  live(): Promise<LiveCluster> {
    return (this.liveCluster ??= this.listLive());
  }

  private async listLive(): Promise<LiveCluster> {
    const plane = await LivePlane.start();
    this.closers.push(() => plane.stop());
    const service = await this.service(await this.newDatabase());
    const started = performance.now();
    await connect(service, plane.kubeconfig, 'live');
    await untilWatched(service, 'live');
    return { plane, service, seconds: (performance.now() - started) / 1000 };
  }

  private keys(): Promise<string> {
    return (this.folder ??= (async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kube-placement-follow-'));
      await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
      this.closers.push(() => rm(folder, { recursive: true, force: true }));
      return folder;
    })());
  }
}

/** Has a service follow a cluster of a generated API server. */
export const follow = (service: BenchService, api: GeneratedApiServer, cluster: string): Promise<void> =>
  connect(service, api.kubeconfig(cluster), cluster);

/** Has a service follow a cluster. */
export async function connect(service: BenchService, kubeconfig: unknown, cluster: string): Promise<void> {
  await service.putCluster(cluster, {});
  await service.put(`/clusters/${cluster}/connection`, { kubeconfig, follow: true });
}

interface Connection {
  readonly following: {
    readonly kinds: readonly { readonly state: string; readonly resourceVersion: string | null }[];
  };
}

/** Waits until all kinds of a cluster that its API server serves are stored and watched. */
export async function untilWatched(service: BenchService, cluster: string): Promise<void> {
  for (;;) {
    const { following } = (await service.read(`/clusters/${cluster}/connection`)) as Connection;
    const { kinds } = following;
    const served = kinds.filter(({ state }) => state !== 'notServed');
    if (served.length > 0 && served.every(({ state }) => state === 'watching')) return;
    await sleep(100);
  }
}

/** Waits until a kind is stored as of a version. */
export async function untilStored(
  service: BenchService,
  cluster: string,
  kind: string,
  version: string,
): Promise<void> {
  for (;;) {
    const { positions } = (await service.read(`/clusters/${cluster}/deltas`)) as {
      readonly positions: readonly { readonly kind: string; readonly resourceVersion: string | null }[];
    };
    const stored = positions.find((one) => one.kind === kind)?.resourceVersion ?? '0';
    if (BigInt(stored) >= BigInt(version)) return;
    await sleep(10);
  }
}
