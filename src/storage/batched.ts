import DataLoader from 'dataloader';

/** Keys that one statement looks for. */
const MAX_KEYS = 1_000;

/**
 * Reads with one statement what is asked for at the same time, such as the snapshots of every cluster of a GraphQL query. Nothing is
 * kept: what is asked for again is read again, so that a change is seen at once.
 * @param read the values of these keys, in their order; a key may come twice
 */
export function batched<Key, Value>(
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  const loader = new DataLoader<Key, Value>(read, { cache: false, maxBatchSize: MAX_KEYS });
  return (key) => loader.load(key);
}
