import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { distribute } from '../../src/storage/distribute.js';
import { connect } from '../../src/storage/open-database.js';

/** A database that is distributed over the workers of a coordinator. */
export interface CitusDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Creates an empty database on a coordinator and its workers, migrates and distributes it. The workers must be reachable at the addresses
 * that the coordinator has for them, by the same superuser.
 * @param url a database of the coordinator in which the extension knows the workers
 */
export async function createCitusDatabase(url: string): Promise<CitusDatabase> {
  const name = `kube_placement_test_${randomBytes(6).toString('hex')}`;
  const nodes = await query<{ host: string; port: number; isCoordinator: boolean }>(
    url,
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node
     where noderole = 'primary' order by groupid`,
  );
  const at = ({ host, port }: (typeof nodes)[number], database: string): string => {
    const address = new URL(url);
    address.hostname = host;
    address.port = String(port);
    address.pathname = `/${database}`;
    return address.href;
  };
  const admin = new URL(url).pathname.slice(1);
  for (const node of nodes) {
    await query(at(node, admin), `create database ${name}`);
    await query(at(node, name), 'create extension citus');
  }
  const [coordinator, ...workers] = nodes;
  const own = at(coordinator!, name);
  await query(own, `select citus_set_coordinator_host('${coordinator!.host}', ${coordinator!.port})`);
  for (const { host, port } of workers) await query(own, `select citus_add_node('${host}', ${port})`);
  const database = await connect(own, { poolSize: 2, statementTimeoutMs: 0 }, () => undefined);
  await distribute(database);
  await database.dataSource.destroy();
  return {
    url: own,
    drop: async () => {
      for (const node of nodes) await query(at(node, admin), `drop database ${name} with (force)`);
    },
  };
}

async function query<Row extends object>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
