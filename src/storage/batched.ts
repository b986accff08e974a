import DataLoader from 'dataloader';

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
