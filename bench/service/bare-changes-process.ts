import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Helper, help } from './helper.js';

/** Transactions that write what the last taint change wrote. */
export interface BareChanges {
  readonly databaseUrl: string;
  readonly count: number;
}

const writer = new Helper<BareChanges, readonly number[]>(import.meta.url);

/**
 * Rewrites the rows of the last change into copies of the tables without triggers, in one transaction after another, from a
 * separate process.
 * @returns the milliseconds of each
 */
export const writeBareChanges = (changes: BareChanges): Promise<readonly number[]> => writer.ask(changes);

/** The tables that a change writes, with the condition that selects the rows of the last change. */
const TABLES = {
  object_versions: `kind = 'Node' and valid_from = (select max(number) from revisions r where r.cluster_id = t.cluster_id)`,
  observed_nodes: 'valid_from = (select max(valid_from) from observed_nodes o where o.cluster_id = t.cluster_id)',
  revisions: 'number = (select max(number) from revisions r where r.cluster_id = t.cluster_id)',
  taint_trail: 'revision = (select max(number) from revisions r where r.cluster_id = t.cluster_id)',
  node_intents: 'change_id = (select id from taint_changes c order by sequence desc limit 1)',
  taint_changes: 'id = (select id from taint_changes c order by sequence desc limit 1)',
} as const;

async function write({ databaseUrl, count }: BareChanges): Promise<readonly number[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await copyTables(client);
    const taken: number[] = [];
    while (taken.length < count) {
      const started = performance.now();
      await writeRows(client);
      taken.push(performance.now() - started);
    }
    await client.query('drop schema bare cascade');
    return taken;
  } finally {
    await client.end();
  }
}

async function copyTables(client: pg.Client): Promise<void> {
  await client.query('drop schema if exists bare cascade');
  await client.query('create schema bare');
  for (const [table, last] of Object.entries(TABLES)) {
    await client.query(`create table bare.${table} (like public.${table} including defaults)`);
    await client.query(`create table bare.last_${table} as select * from public.${table} t where ${last}`);
  }
}

async function writeRows(client: pg.Client): Promise<void> {
  await client.query('begin');
  for (const table of Object.keys(TABLES)) {
    await client.query(`insert into bare.${table} select * from bare.last_${table}`);
  }
  await client.query(`update bare.revisions set source = $1 where number = -1`, [randomUUID()]);
  await client.query('commit');
}

help(write);
