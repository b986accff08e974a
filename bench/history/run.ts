import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ObjectRow } from '../../src/core/cluster/object-row.js';
import { readSnapshot } from '../../src/ingest/read-snapshot.js';
import type { Database } from '../../src/storage/database.js';
import { DeltaWriter } from '../../src/storage/delta-writer.js';
import { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import { ObjectReader } from '../../src/storage/object-reader.js';
import { connect } from '../../src/storage/open-database.js';
import { Retention } from '../../src/storage/retention.js';
import { RevisionStore } from '../../src/storage/revision-store.js';
import { SnapshotWriter } from '../../src/storage/snapshot-writer.js';
import { DEFAULT_SHAPE } from '../generator/cluster-shape.js';
import { byteStream, ndjson } from '../generator/dump.js';
import { generateCluster } from '../generator/generate-cluster.js';
import { newDataFolder } from '../service/data-folder.js';

/**
 * The history of a busy cluster, a revision a second: `npm run history [-- --revisions N --pods N --keep N]`. Writes it with the classes
 * of the storage, without the service, and prints its size, the time of reads at past moments, and of retention.
 */
const { values } = parseArgs({
  options: {
    revisions: { type: 'string', default: '86400' },
    pods: { type: 'string', default: '3000' },
    /** How many of the newest revisions retention keeps. */
    keep: { type: 'string', default: '43200' },
  },
});
const REVISIONS = Number(values.revisions);
const PODS = Number(values.pods);
const KEEP = Number(values.keep);

/** In each revision so many pods change; in one of so many, a pod is replaced by another one. */
const CHANGED = 2;
const REPLACED_EVERY = 5;
const CLUSTER = 'busy';
const START = Date.UTC(2026, 0, 1);
const PARTS = 4;

async function run(database: Database): Promise<void> {
  console.log(`${REVISIONS} revisions of ${PODS} pods, ${CHANGED} pods changed in each`);
  const pods = await takeIn(database);
  const writer = new History(new DeltaWriter(database), pods);
  for (let part = 1; part <= PARTS; part++) {
    await timed(`write revisions up to ${Math.round((REVISIONS * part) / PARTS)}`, () =>
      writer.writeUpTo(Math.round((REVISIONS * part) / PARTS)),
    );
    await printSizes(database);
  }
  await readPast(database);
  const retention = new Retention(database);
  await timed(`remove all but ${KEEP} revisions`, () => retention.prune(1, { count: KEEP }));
  await printSizes(database);
  await timed('vacuum', () => database.query('vacuum (analyze) object_versions, revisions'));
  await printSizes(database);
  // As the service does it: a round every ten minutes.
  const before = writer.head;
  await timed(`write ${KEEP / 4} more revisions, with a round of retention after every 600`, async () => {
    while (writer.head < before + KEEP / 4) {
      await writer.writeUpTo(writer.head + 600);
      await retention.prune(1, { count: KEEP });
    }
  });
  await printSizes(database);
  await timed('a round of retention with nothing to remove', () => retention.prune(1, { count: KEEP }));
  await readPast(database);
}

/** Stores the first revision. @returns its pods */
async function takeIn(database: Database): Promise<ObjectRow[]> {
  const objects = generateCluster({ ...DEFAULT_SHAPE, nodes: Math.ceil(PODS / 30), pods: PODS, seed: 1 });
  const reading = readSnapshot(byteStream(ndjson(objects)), { contentType: 'application/x-ndjson', invalid: 'keep' });
  const rows: ObjectRow[] = [];
  for await (const batch of reading.rows) rows.push(...batch);
  await reading.report;
  await new SnapshotWriter(database).commit({
    cluster: { name: CLUSTER, create: true },
    capturedAt: new Date(START),
    receivedAt: new Date(START),
    backfill: false,
    source: null,
    author: null,
    rows: inOneBatch(rows),
    describe: () => ({
      scope: { kinds: [...new Set(rows.map(({ kind }) => kind))], namespaces: null },
      stats: {},
      findings: [],
      kubernetesVersion: 'v1.36.2',
    }),
  });
  return rows.filter(({ kind }) => kind === 'Pod');
}

async function* inOneBatch(rows: readonly ObjectRow[]): AsyncGenerator<readonly ObjectRow[]> {
  await Promise.resolve();
  yield rows;
}

class History {
  head = 1;
  private next = 0;

  constructor(
    private readonly writer: DeltaWriter,
    private readonly pods: ObjectRow[],
  ) {}

  async writeUpTo(revision: number): Promise<void> {
    while (this.head < revision) await this.write(this.head + 1);
  }

  private async write(revision: number): Promise<void> {
    const rows: ObjectRow[] = [];
    const deletions = [];
    for (let change = 0; change < CHANGED; change++) {
      const at = this.next++ % this.pods.length;
      const pod = this.pods[at]!;
      const version = String(1_000_000_000_000 + revision * CHANGED + change);
      const isReplaced = change === 0 && revision % REPLACED_EVERY === 0;
      if (isReplaced) {
        const { kind, namespace, name, uid } = pod;
        deletions.push({ kind, namespace, name, uid, resourceVersion: version });
      }
      const name = isReplaced ? `${pod.name.slice(0, 40)}-${revision}` : pod.name;
      const content = contentAt(pod, name, revision);
      const hash = createHash('sha256').update(content).digest().subarray(0, 16);
      const uid = isReplaced ? `uid-${revision}` : pod.uid;
      this.pods[at] = { ...pod, name, uid, resourceVersion: version, hash, content };
      rows.push(this.pods[at]);
    }
    const capturedAt = new Date(START + revision * 1000);
    const { revision: made } = await this.writer.commit({
      cluster: CLUSTER,
      stream: 'history',
      sequence: revision - 1,
      capturedAt,
      receivedAt: capturedAt,
      author: null,
      rows,
      deletions,
      positions: [],
    });
    if (made !== revision) throw new Error(`revision ${revision} became ${made ?? 'none'}`);
    this.head = revision;
  }
}

function contentAt({ content }: ObjectRow, name: string, revision: number): string {
  const pod = JSON.parse(content) as { metadata: { name: string; labels?: object } };
  return JSON.stringify({
    ...pod,
    metadata: { ...pod.metadata, name, labels: { ...pod.metadata.labels, change: String(revision) } },
  });
}

/** Reads all objects at moments from the newest to the oldest. */
async function readPast(database: Database): Promise<void> {
  const reader = new ObjectReader(database);
  const revisions = new RevisionStore(database);
  const head = (await revisions.head(1))!;
  const { number: oldest } = (await revisions.list(1, { limit: 1, before: head.number - KEEP + 2 })).items[0] ?? head;
  for (const share of [0, 0.01, 0.25, 0.5, 0.75, 0.99]) {
    const number = Math.round(head.number - share * (head.number - Math.min(oldest, head.number - 1)));
    const { capturedAt } = (await revisions.get(1, number))!;
    let found = 0;
    await timed(`read revision ${number}, ${head.number - number} before the head`, async () => {
      const revision = await revisions.at(1, capturedAt);
      for await (const batch of reader.stream(1, revision!.number)) found += batch.length;
    });
    if (found < PODS) throw new Error(`revision ${number} has ${found} objects`);
  }
  await timed('the changes of the last 600 revisions', () => reader.changesBetween(1, head.number - 600, head.number));
}

async function printSizes(database: Database): Promise<void> {
  const rows = await database.query<{ name: string; table: string; indexes: string; dead: string }>(
    `select relname as name, pg_table_size(relid)::float8 / 1e6 as table, pg_indexes_size(relid)::float8 / 1e6 as indexes,
            n_dead_tup as dead
     from pg_stat_user_tables where pg_total_relation_size(relid) > 1e6 order by pg_total_relation_size(relid) desc`,
  );
  for (const { name, table, indexes, dead } of rows) {
    console.log(
      `    ${name}: ${Number(table).toFixed(0)} MB, indexes ${Number(indexes).toFixed(0)} MB, dead rows ${dead}`,
    );
  }
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(2)} s`);
}

const folder = await newDataFolder('history');
const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'data'), log: () => undefined, durable: false });
const database = await connect(postgres.url, { poolSize: 4 }, () => undefined);
try {
  await run(database);
} finally {
  await database.dataSource.destroy();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
