import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

/** The number of changes in one sample. Of 300, the p99 would be the third slowest. */
const CHANGES = size(1000, 6);
const KEY = 'bench.example.com/change';

/** Changes the taints of one node, measured from request to response. The reference writes the same rows directly. */
export const taintChange = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'taint-change',
  unit: 'ms',
  target: { absolute: 10 },
  about: `p99 of ${CHANGES} changes of one node over HTTP, one after another, with their records, effects and revision; reference: p99 of bare transactions that write the same rows`,
  rounds: 2,
  prepare: async () => {
    // Takes longer than an idle connection to the service is kept.
    const { state } = cluster;
    const service = await bed.service();
    let made = 0;
    const change = async (): Promise<void> => {
      const node = state.nodes.name((Math.floor(made / 2) * 37) % state.nodes.count);
      const word = made % 2 === 0 ? `${KEY}=yes:NoSchedule` : `${KEY}:NoSchedule-`;
      made++;
      await service.ask(`/clusters/${CLUSTER}/taint-changes`, { nodes: [node], taints: [word], reason: 'a benchmark' });
    };
    await change();
    await change();
    await service.untilIdle();
    const bare = await BareTransactions.of(await bed.sharedDatabase());
    return {
      subject: () => p99(CHANGES, change),
      reference: () => p99(CHANGES, () => bare.write()),
      teardown: () => bare.close(),
    };
  },
});

/** Changes the taints of all nodes and reverts the change. */
export const taintChangeAll = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'taint-change-all-nodes',
  unit: 's',
  target: { absolute: 1 },
  about: `one change of all ${cluster.shape.nodes} nodes over HTTP, with a record for each; reference: COPY of the same rows`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const url = await bed.sharedDatabase();
    let made = 0;
    const subject = async (): Promise<number> => {
      const word = made++ % 2 === 0 ? `${KEY}=all:NoSchedule` : `${KEY}:NoSchedule-`;
      const started = performance.now();
      await service.ask(`/clusters/${CLUSTER}/taint-changes`, {
        allNodes: true,
        taints: [word],
        reason: 'a benchmark',
      });
      return (performance.now() - started) / 1000;
    };
    return { subject, reference: () => copyOfLastChange(url) };
  },
});

async function p99(count: number, work: () => Promise<void>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < count; round++) {
    const started = performance.now();
    await work();
    taken.push(performance.now() - started);
  }
  taken.sort((a, b) => a - b);
  const at = (part: number): number => taken[Math.min(count - 1, Math.floor(count * part))]!;
  console.log(`  p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, greatest ${taken.at(-1)!.toFixed(2)} ms`);
  return at(0.99);
}

/** The tables that a change writes, with the condition that selects the rows of the last change. */
const TABLES = {
  object_versions: `kind = 'Node' and valid_from = (select max(number) from revisions r where r.cluster_id = t.cluster_id)`,
  observed_nodes: 'valid_from = (select max(valid_from) from observed_nodes o where o.cluster_id = t.cluster_id)',
  revisions: 'number = (select max(number) from revisions r where r.cluster_id = t.cluster_id)',
  taint_trail: 'revision = (select max(number) from revisions r where r.cluster_id = t.cluster_id)',
  node_intents: 'change_id = (select id from taint_changes c order by sequence desc limit 1)',
  taint_changes: 'id = (select id from taint_changes c order by sequence desc limit 1)',
} as const;

/** Rewrites the rows of the last change into copies of the tables without triggers, in one transaction per sample. */
class BareTransactions {
  private constructor(private readonly client: pg.Client) {}

  static async of(url: string): Promise<BareTransactions> {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('drop schema if exists bare cascade');
    await client.query('create schema bare');
    for (const [table, last] of Object.entries(TABLES)) {
      await client.query(`create table bare.${table} (like public.${table} including defaults)`);
      await client.query(`create table bare.last_${table} as select * from public.${table} t where ${last}`);
    }
    return new BareTransactions(client);
  }

  async write(): Promise<void> {
    await this.client.query('begin');
    for (const table of Object.keys(TABLES)) {
      await this.client.query(`insert into bare.${table} select * from bare.last_${table}`);
    }
    await this.client.query(`update bare.revisions set source = $1 where number = -1`, [randomUUID()]);
    await this.client.query('commit');
  }

  async close(): Promise<void> {
    await this.client.query('drop schema bare cascade');
    await this.client.end();
  }
}

/** @returns the seconds needed to copy the rows of the last change into identical tables */
async function copyOfLastChange(url: string): Promise<number> {
  const bare = await BareTransactions.of(url);
  try {
    const started = performance.now();
    await bare.write();
    return (performance.now() - started) / 1000;
  } finally {
    await bare.close();
  }
}
