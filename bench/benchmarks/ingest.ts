import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { timed, type Benchmark, type Prepared, type Sample } from '../measure.js';
import type { BenchService } from '../service/bench-service.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';

/** Ingests a full snapshot, from its first byte over HTTP to the committed revision. */
export const ingest = (bed: TestBed): Benchmark => ({
  name: 'ingest',
  unit: 's',
  target: { ratio: 0.5 },
  about:
    "a dump (NDJSON) over HTTP to its committed revision in a new cluster; reference: COPY of the same pruned rows, ready in memory, into an empty table with object_versions' columns and primary key (cluster, kind, namespace, name, revision), logged, on the same server",
  rounds: 2,
  warmUp: false,
  prepare: async () => {
    const service = await bed.service();
    const { reference, teardown } = await bareCopy(await bed.sharedDatabase());
    return { subject: fullIngest(service, await bed.dump()), reference, teardown };
  },
});

/** Ingests the dump as a new cluster. Deleting the cluster afterwards is not part of the measured time. */
function fullIngest(service: BenchService, dump: string): Sample {
  let number = 0;
  return async () => {
    const name = `full-${++number}`;
    const seconds = await timed('s', () => service.takeSnapshot(name, dump))();
    await service.deleteCluster(name);
    return seconds;
  };
}

/** Times a COPY of the newest rows of the cluster, ready in memory, into a table of their own, logged. */
export async function bareCopy(database: string): Promise<Pick<Required<Prepared>, 'reference' | 'teardown'>> {
  const client = new pg.Client(database);
  await client.connect();
  const rows = await storedRows(client);
  await client.query('create table bare (like object_versions)');
  await client.query('alter table bare add primary key (cluster_id, kind, namespace, name, valid_from)');
  const copy = timed('s', async () => {
    const stream = client.query(copyStreams.from('copy bare from stdin'));
    // Write in pieces, as a file stream would.
    for (let at = 0; at < rows.length; at += 1 << 20) stream.write(rows.subarray(at, at + (1 << 20)));
    stream.end();
    await finished(stream);
  });
  return {
    reference: async () => {
      // Truncate in a separate transaction: rows copied into a table that the same transaction truncated would skip
      // the WAL.
      await client.query('truncate bare');
      await client.query('checkpoint');
      return copy();
    },
    teardown: async () => {
      await client.query('drop table bare');
      await client.end();
    },
  };
}

async function storedRows(client: pg.Client): Promise<Buffer> {
  const rows = `select * from object_versions where cluster_id = (select id from clusters where name = '${CLUSTER}') and valid_to is null`;
  return buffer(client.query(copyStreams.to(`copy (${rows}) to stdout`)));
}
