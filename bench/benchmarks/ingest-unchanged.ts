import pg from 'pg';
import { timed, type Benchmark } from '../measure.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { bareCopy } from './ingest.js';

/** Sends a snapshot that equals the head revision. */
export const ingestUnchanged = (bed: TestBed): Benchmark => ({
  name: 'ingest-unchanged',
  unit: 's',
  target: { ratio: 2 },
  about:
    'the same dump, from the third time on, to its committed revision, with no new object version, by a service that does nothing else; reference: COPY of its rows, as for ingest',
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const dump = await bed.dump();
    const database = await bed.sharedDatabase();
    const client = new pg.Client(database);
    await client.connect();
    /** The revision of the newest version: old ones may go meanwhile. */
    const newest = async (): Promise<number> => {
      const { rows } = await client.query<{ newest: number }>(
        'select max(valid_from) as newest from object_versions where cluster_id = (select id from clusters where name = $1)',
        [CLUSTER],
      );
      return rows[0]!.newest;
    };
    // What other benchmarks have changed in the cluster is undone first. The next time is the first that nothing has changed: the service
    // notes hashes, and goes on with what it had put off.
    for (let time = 1; time <= 2; time++) await service.takeSnapshot(CLUSTER, dump);
    const before = await newest();
    const copy = await bareCopy(database);
    await service.untilIdle();
    return {
      subject: async () => {
        let unchanged = false;
        const seconds = await timed('s', async () => {
          ({ unchanged } = await service.takeSnapshot(CLUSTER, dump));
        })();
        if (!unchanged)
          throw new Error('ingest-unchanged: somebody else has changed the cluster since the last snapshot');
        if ((await newest()) !== before) throw new Error('ingest-unchanged: something was written');
        return seconds;
      },
      reference: copy.reference,
      teardown: async () => {
        await copy.teardown();
        await client.end();
      },
    };
  },
});
