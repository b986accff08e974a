import type { ClientBase } from 'pg';
import { ClusterNotFound } from './storage-error.js';

/**
 * Locks the row of a cluster until the end of the transaction: nobody else commits to the cluster meanwhile.
 * @returns its name and the number of its head
 * @throws {ClusterNotFound}
 */
export async function lockCluster(
  client: ClientBase,
  clusterId: number,
): Promise<{ readonly name: string; readonly head: number }> {
  const { rows } = await client.query<{ name: string; head: number }>(
    'select name, head_revision as head from clusters where id = $1 for no key update',
    [clusterId],
  );
  if (rows[0] === undefined) throw new ClusterNotFound(clusterId);
  return rows[0];
}
