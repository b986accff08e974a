import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import pg from 'pg';
import type { ObjectRow } from '../../src/core/cluster/object-row.js';
import { readSnapshot } from '../../src/ingest/read-snapshot.js';
import { DeltaWriter } from '../../src/storage/delta-writer.js';
import { connect } from '../../src/storage/open-database.js';
import { generateCluster } from '../generator/generate-cluster.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

/** The number of deltas in one sample, and of objects in each. */
const DELTAS = size(60, 3);
const OBJECTS = 100;
/** The resourceVersions of the generated objects are below, and those over HTTP are newer than those before. */
const FIRST_DELTA = 2_000_000;
const FIRST_DELTA_HTTP = 3_000_000;

/** Stores what changed in a second of a busy cluster, as a follower in the service does. The reference writes the same rows directly. */
export const delta = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'delta',
  unit: 'ms',
  target: { absolute: 10 },
  about: `median of ${DELTAS} deltas of ${OBJECTS} pods each, from their rows to the committed revision with its totals; reference: median of bare transactions that end and write the same rows, which Postgres compresses, too`,
  rounds: 2,
  prepare: async () => {
    // A service would load each new head beside it, and nothing beside the reference.
    const url = await bed.databaseAlone();
    const database = await connect(url, {}, () => undefined);
    const writer = new DeltaWriter(database);
    const pods = podsOf(cluster);
    const stream = randomUUID();
    let sequence = 0;
    const commit = async (): Promise<number> => {
      sequence += 1;
      const rows = await rowsOf(changedPods(pods, (FIRST_DELTA + sequence) * OBJECTS));
      const started = performance.now();
      const { counts } = await writer.commit({
        cluster: CLUSTER,
        stream,
        sequence,
        capturedAt: null,
        receivedAt: new Date(),
        author: null,
        rows,
        deletions: [],
        positions: [],
      });
      const taken = performance.now() - started;
      if (counts['Pod']?.changed !== OBJECTS) throw new Error('delta: not all pods changed');
      return taken;
    };
    await commit();
    const bare = await BareTransactions.of(url);
    return {
      subject: () => median(commit),
      reference: () => median(timedBy(() => bare.write())),
      teardown: async () => {
        await bare.close();
        await database.dataSource.destroy();
      },
    };
  },
});

/** The same over HTTP, from request to response, while the service loads each new head. */
export const deltaHttp = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'delta-http',
  unit: 'ms',
  target: {},
  about: `median of ${DELTAS} deltas of ${OBJECTS} pods each over HTTP, one after another, with their revisions and totals; reference: median of bare transactions that end and write the same rows, which Postgres compresses, too`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const pods = podsOf(cluster);
    const stream = randomUUID();
    let sequence = 0;
    const send = async (): Promise<void> => {
      sequence += 1;
      const upserts = changedPods(pods, (FIRST_DELTA_HTTP + sequence) * OBJECTS);
      const answer = (await service.ask(`/clusters/${CLUSTER}/deltas`, { stream, sequence, upserts })) as {
        readonly counts: readonly { readonly kind: string; readonly changed: number }[];
      };
      const made = answer.counts.find(({ kind }) => kind === 'Pod')?.changed;
      if (made !== OBJECTS) throw new Error(`delta: ${made ?? 0} pods changed`);
    };
    await send();
    const bare = await BareTransactions.of(await bed.sharedDatabase());
    return {
      subject: () => median(timedBy(send)),
      reference: () => median(timedBy(() => bare.write())),
      teardown: () => bare.close(),
    };
  },
});

interface RawPod {
  readonly metadata: { readonly labels?: object };
}

function podsOf(cluster: BenchCluster): readonly RawPod[] {
  const pods: RawPod[] = [];
  for (const object of generateCluster(cluster.shape)) {
    if ((object as { kind?: unknown }).kind !== 'Pod') continue;
    pods.push(object as unknown as RawPod);
    if (pods.length === OBJECTS) break;
  }
  return pods;
}

const changedPods = (pods: readonly RawPod[], version: number): readonly object[] =>
  pods.map((pod, index) => changed(pod, version + index));

async function rowsOf(objects: readonly object[]): Promise<readonly ObjectRow[]> {
  const text = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const reading = readSnapshot(Readable.from([Buffer.from(text)]), { invalid: 'refuse' });
  const rows: ObjectRow[] = [];
  for await (const batch of reading.rows) rows.push(...batch);
  return rows;
}

const timedBy = (work: () => Promise<void>) => async (): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

const changed = (pod: RawPod, version: number): object => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    labels: { ...pod.metadata.labels, change: String(version) },
    resourceVersion: String(version),
  },
});

/** @param sample resolves to milliseconds */
async function median(sample: () => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < DELTAS; round++) {
    taken.push(await sample());
  }
  taken.sort((a, b) => a - b);
  const at = (part: number): number => taken[Math.min(DELTAS - 1, Math.floor(DELTAS * part))]!;
  console.log(`  p50 ${at(0.5).toFixed(2)} ms, p90 ${at(0.9).toFixed(2)} ms, greatest ${taken.at(-1)!.toFixed(2)} ms`);
  return at(0.5);
}

/** Ends and writes the rows of the last delta again, in copies of the tables with their keys and indexes. */
class BareTransactions {
  private revision = 1_000_000;

  private constructor(private readonly client: pg.Client) {}

  static async of(url: string): Promise<BareTransactions> {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('drop schema if exists bare_delta cascade');
    await client.query('create schema bare_delta');
    for (const table of ['object_versions', 'revisions']) {
      await client.query(`create table bare_delta.${table} (like public.${table} including all)`);
    }
    // Postgres would copy what it has compressed as it is: what comes from a client has to be compressed.
    await client.query('create table bare_delta.last (like public.object_versions)');
    await client.query('alter table bare_delta.last alter column content set storage plain');
    await client.query(`
      insert into bare_delta.last (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, content)
      select cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, content || ''
      from public.object_versions
      where cluster_id = (select id from clusters where name = '${CLUSTER}')
        and valid_from = (select head_revision from clusters where name = '${CLUSTER}')`);
    await client.query(`
      create table bare_delta.last_revision as select * from public.revisions
      where cluster_id = (select id from clusters where name = '${CLUSTER}')
        and number = (select head_revision from clusters where name = '${CLUSTER}')`);
    return new BareTransactions(client);
  }

  async write(): Promise<void> {
    this.revision += 1;
    await this.client.query('begin');
    await this.client.query('update bare_delta.object_versions set valid_to = $1 where valid_to is null', [
      this.revision,
    ]);
    await this.client.query(
      `insert into bare_delta.object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, content)
       select cluster_id, kind, namespace, name, uid, resource_version, hash, $1, content from bare_delta.last`,
      [this.revision],
    );
    await this.client.query('update bare_delta.last_revision set number = $1', [this.revision]);
    await this.client.query('insert into bare_delta.revisions select * from bare_delta.last_revision');
    await this.client.query('commit');
  }

  async close(): Promise<void> {
    await this.client.query('drop schema bare_delta cascade');
    await this.client.end();
  }
}
