import DataLoader from 'dataloader';
import type { ClusterPlaces } from './cluster-places.js';

/** The maximum number of keys per statement. */
const MAX_KEYS = 1_000;

/**
 * Combines reads requested at the same time into one statement, such as the snapshots of all clusters in a GraphQL query.
 * Nothing is cached, so that changes are visible immediately.
 * @param read returns the values of these keys, in the same order; a key may occur twice
 */
export function batched<Key, Value>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  const loader = new DataLoader<Key, Value>(read, { cache: false, maxBatchSize: MAX_KEYS });
  return (key) => loader.load(key);
}

/**
 * Combines reads about clusters that are requested at the same time, such as those about all clusters when the service starts, into one
 * statement for each place: one that is lost fails the reads about its clusters alone.
 * @param read returns the rows of those clusters that have one
 */
export function batchedOfClusters<Row extends { readonly id: number }>(
  places: () => Pick<ClusterPlaces, 'ofAll'>,
  read: (clusterIds: readonly number[]) => Promise<readonly Row[]>,
): (clusterId: number) => Promise<Row | undefined> {
  return batched<number, Row | undefined>(async (given) => {
    const ids = [...new Set(given)];
    const lost = new Map<number, Error>();
    const rows =
      ids.length === 1
        ? await read(ids)
        : await places().ofAll(
            read,
            (error, clusterIds) => {
              for (const id of clusterIds) lost.set(id, error instanceof Error ? error : new Error(String(error)));
            },
            ids,
          );
    const found = new Map(rows.map((row) => [row.id, row]));
    return given.map((id) => lost.get(id) ?? found.get(id)) as (Row | undefined)[];
  });
}
