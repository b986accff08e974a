import { createHash } from 'node:crypto';
import pg from 'pg';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { TrailDraft } from '../../src/core/audit/trail-record.js';
import { appendToTrail } from '../../src/storage/taint-trail/trail-writer.js';
import type { Benchmark } from '../measure.js';
import type { TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

const RECORDS = size(1_000_000, 1000);
const BATCH = size(10_000, 500);
const CLUSTER = 'trail';
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };

/** Verifies a long trail from its first record to its last. */
export const trailVerify = (bed: TestBed): Benchmark => ({
  name: 'trail-verify',
  unit: 'us',
  target: {},
  about: `per record: GET verify of a trail of ${RECORDS} records; reference: their texts read from the database, and the hash of each`,
  rounds: 2,
  warmUp: false,
  prepare: async () => {
    const service = await bed.service();
    await service.takeSnapshotOf(CLUSTER, stringifyJson(NAMESPACE));
    const client = new pg.Client(await bed.sharedDatabase());
    await client.connect();
    const { rows } = await client.query<{ id: string }>('select id from clusters where name = $1', [CLUSTER]);
    const id = Number(rows[0]!.id);
    for (let start = 0; start < RECORDS; start += BATCH) {
      const drafts = Array.from({ length: BATCH }, (_, index) => draft(start + index));
      await appendToTrail(client, { id, name: CLUSTER }, drafts, { recordedAt: new Date('2026-06-01T00:00:00Z') });
    }
    await client.query('analyze taint_trail');
    return {
      subject: async () => {
        const started = performance.now();
        const verdict = (await service.read(`/clusters/${CLUSTER}/taint-trail/verify`)) as {
          readonly verified: number;
        };
        if (verdict.verified !== RECORDS) throw new Error(`trail-verify: ${verdict.verified} records hold`);
        return ((performance.now() - started) * 1000) / RECORDS;
      },
      reference: async () => {
        const started = performance.now();
        await hashAll(client, id);
        return ((performance.now() - started) * 1000) / RECORDS;
      },
      teardown: () => client.end(),
    };
  },
});

/** A record as large as that of a change to one node. */
function draft(number: number): TrailDraft {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
  const taint = { key: 'dedicated', value: `team-${number % 50}`, effect: 'NoSchedule' };
  const node = `node-${number % 5000}`;
  return {
    kind: 'change',
    body: {
      node,
      change: '6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10',
      difference: { added: [taint], removed: [], changed: [] },
      when: { kind: 'point', at },
      channel: 'api',
      by: { username: 'alice', kind: 'oidc', groups: ['sre'] },
      reason: 'A benchmark of the length of a sentence that somebody wrote',
      status: 'recorded',
      effect: { evictions: { now: 0, after: 0, never: 0, cancelled: 0 }, pods: [] },
    },
    index: { node, happenedAt: at, author: 'alice', channel: 'api', taints: [taint] },
  };
}

async function hashAll(client: pg.Client, clusterId: number): Promise<void> {
  await client.query('begin');
  await client.query(
    `declare texts no scroll cursor for select content from taint_trail where cluster_id = ${clusterId} order by sequence`,
  );
  for (;;) {
    const { rows } = await client.query<{ content: string }>(`fetch ${BATCH} from texts`);
    for (const { content } of rows) createHash('sha256').update(content).digest('hex');
    if (rows.length < BATCH) break;
  }
  await client.query('commit');
}
