import DataLoader from 'dataloader';
import type { ClusterPlaces } from './cluster-places.js';

/** The maximum number of keys per statement. */
const MAX_KEYS = 1_000;

/** How often background work that every new head wakes may send the same statement, in milliseconds. */
export const FOR_EACH_HEAD = 100;

/**
 * Combines reads requested at the same time into one statement, such as the snapshots of all clusters in a GraphQL query.
 * Nothing is cached, so that changes are visible immediately.
 * @param read returns the values of these keys, in the same order; a key may occur twice
 * @param everyMs the shortest time between two statements, in milliseconds; reads requested meanwhile are combined, too
 */
export function batched<Key, Value>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
  everyMs = 0,
): (key: Key) => Promise<Value> {
  const loader = new DataLoader<Key, Value>(read, {
    cache: false,
    maxBatchSize: MAX_KEYS,
    ...(everyMs > 0 && { batchScheduleFn: apart(everyMs) }),
  });
  return (key) => loader.load(key);
}

/** Schedules runs at least some milliseconds apart; the first one at once. */
function apart(everyMs: number): (run: () => void) => void {
  let ranAt = -Infinity;
  return (run) => {
    const wait = Math.max(0, ranAt + everyMs - performance.now());
    setTimeout(() => {
      ranAt = performance.now();
      run();
    }, wait);
  };
}

/**
 * Combines reads about clusters that are requested at the same time, such as those about all clusters when the service starts, into one
 * statement for each place: one that is lost fails the reads about its clusters alone.
 * @param read returns the rows of those clusters that have one
 * @param everyMs as for `batched`
 */
export function batchedOfClusters<Row extends { readonly id: number }>(
  places: () => Pick<ClusterPlaces, 'ofAll'>,
  read: (clusterIds: readonly number[]) => Promise<readonly Row[]>,
  everyMs = 0,
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
  }, everyMs);
}
