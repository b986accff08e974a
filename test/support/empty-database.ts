import type { Database } from '../../src/storage/database.js';

/** Removes all clusters, and the trails that would outlive them, so that the next cluster has the id 1. */
export async function emptyDatabase(database: Database): Promise<void> {
  await database.transaction(async (client) => {
    // Triggers refuse to change a trail, on each node of a distributed database: the setting goes there, too.
    await client.query('set local citus.propagate_set_commands to local');
    await client.query('set local session_replication_role to replica');
    await client.query('delete from taint_trail');
  });
  for (const table of ['object_versions', 'clusters', 'cluster_names']) await database.query(`delete from ${table}`);
  await database.query(`select setval(pg_get_serial_sequence('cluster_names', 'id'), 1, false)`);
}
