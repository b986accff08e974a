import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import { byteStream, kubectlList, ndjson } from '../generator/dump.js';
import type { ClusterShape } from '../generator/cluster-shape.js';
import { generateCluster, type RawObject } from '../generator/generate-cluster.js';
import { BenchService } from './bench-service.js';
import { newDataFolder } from './data-folder.js';
import { partitionByCluster } from '../../test/support/partition-by-cluster.js';

/** The name of the cluster in the shared service. */
export const CLUSTER = 'bench';

const GIGABYTE = 1_000_000_000;

/**
 * Resources shared by the benchmarks of the whole service: a temporary folder with dumps, a Postgres with the settings of the
 * embedded one, and a service that has ingested the generated cluster. Each is created on first use.
 */
export class TestBed {
  private folder: Promise<string> | undefined;
  private postgres: Promise<EmbeddedPostgres> | undefined;
  private dumped: Promise<string> | undefined;
  private shared: Promise<string> | undefined;
  private taken: Promise<string> | undefined;
  private loaded: Promise<BenchService> | undefined;
  private databases = 0;
  private readonly closers: (() => Promise<void>)[] = [];

  /** @param isPartitioned whether the tables of clusters in its databases are partitioned by cluster */
  constructor(
    private readonly shape: ClusterShape,
    private readonly isPartitioned = false,
  ) {}

  /** The generated cluster's objects as NDJSON. */
  dump(): Promise<string> {
    return (this.dumped ??= this.write('cluster.ndjson', byteStream(ndjson(generateCluster(this.shape)))));
  }

  /** A gigabyte of `kubectl get -o json`, ending after the object that reaches this size. */
  gigabyteDump(): Promise<string> {
    let bytes = 0;
    const objects = generateCluster(this.shape);
    const some = function* (): Generator<RawObject> {
      for (const object of objects) {
        if (bytes >= GIGABYTE) return;
        yield object;
      }
    };
    const counted = function* (): Generator<string> {
      for (const chunk of kubectlList(some())) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    return this.write('gigabyte.json', byteStream(counted()));
  }

  /** The URL of a new database without clusters. */
  async newDatabase(): Promise<string> {
    const server = await this.server();
    const name = `bench_${++this.databases}`;
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = server.urlOf(name);
    if (this.isPartitioned) await partitionByCluster(url);
    return url;
  }

  /** The shared service. The head of the cluster CLUSTER is revision 1 or later, and is loaded. */
  async service(): Promise<BenchService> {
    return (this.loaded ??= this.startLoaded());
  }

  /** The URL of the shared service's database. */
  sharedDatabase(): Promise<string> {
    return (this.shared ??= this.newDatabase());
  }

  /** The same with the cluster in it, and no service at work on it: the shared one has stopped until it is asked for. */
  async databaseAlone(): Promise<string> {
    const url = await this.clusterTaken();
    const running = this.loaded;
    this.loaded = undefined;
    await (await running)?.stop();
    return url;
  }

  /** Has something closed before the rest is. */
  onClose(close: () => Promise<void>): void {
    this.closers.push(close);
  }

  /** Stops and removes everything. */
  async close(): Promise<void> {
    for (const close of this.closers.splice(0)) await close();
    await (await this.loaded)?.stop();
    await (await this.postgres)?.stop();
    const folder = await this.folder;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  private clusterTaken(): Promise<string> {
    return (this.taken ??= (async () => {
      const url = await this.sharedDatabase();
      const service = await BenchService.start(url);
      await service.takeSnapshot(CLUSTER, await this.dump());
      await service.stop();
      return url;
    })());
  }

  /** As replicas mostly do, it starts on a database with clusters, and warms up. */
  private async startLoaded(): Promise<BenchService> {
    const service = await BenchService.start(await this.clusterTaken());
    // The time for the warm-up may end before the head is loaded.
    await service.ask(`/clusters/${CLUSTER}/placements`, {
      detail: 'summary',
      pod: { spec: { containers: [{ name: 'a' }] } },
    });
    return service;
  }

  private server(): Promise<EmbeddedPostgres> {
    return (this.postgres ??= this.startServer());
  }

  private async startServer(): Promise<EmbeddedPostgres> {
    const dataDir = join(await this.temporary(), 'postgres');
    return EmbeddedPostgres.start({
      dataDir,
      log: (level, message) => {
        if (level !== 'info') console.error(`postgres: ${message}`);
      },
    });
  }

  private async write(name: string, content: Readable): Promise<string> {
    const path = join(await this.temporary(), name);
    await pipeline(content, createWriteStream(path));
    return path;
  }

  private temporary(): Promise<string> {
    return (this.folder ??= newDataFolder('bench'));
  }
}
