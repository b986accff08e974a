import type { Database } from '../../src/storage/database.js';

/** Removes all clusters, and the trails that would outlive them, so that the next cluster has the id 1. */
export async function emptyDatabase(database: Database): Promise<void> {
  // Triggers refuse to truncate a trail.
  await database.query(
    `set session_replication_role = replica; truncate taint_trail; reset session_replication_role;
     delete from object_versions; delete from clusters; truncate cluster_names restart identity`,
  );
}
