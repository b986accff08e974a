import type { ClientBase } from 'pg';
import { packKey } from './object-key.js';

/** The objects of one revision by packed key, each with its hash as 32 hexadecimal digits. */
export type StateHashes = ReadonlyMap<string, string>;

export const NO_OBJECTS: StateHashes = new Map();

/** How many rows are fetched at once: large enough to be fast, small enough not to hold up the event loop. */
const BATCH = 10_000;

/** Reads the hashes of a revision; inside a transaction of the caller's. */
export async function loadHashes(client: ClientBase, clusterId: number, revision: number): Promise<StateHashes> {
  const hashes = new Map<string, string>();
  if (revision === 0) return hashes;
  await client.query(
    `declare state_hashes no scroll cursor for
     select kind, namespace, name, encode(hash, 'hex') from object_versions
     where cluster_id = ${clusterId} and valid_from <= ${revision} and (valid_to is null or valid_to > ${revision})`,
  );
  for (;;) {
    const { rows } = await client.query<[string, string, string, string]>({
      text: `fetch ${BATCH} from state_hashes`,
      rowMode: 'array',
    });
    for (const [kind, namespace, name, hash] of rows) hashes.set(packKey(kind, namespace, name), hash);
    if (rows.length < BATCH) break;
  }
  await client.query('close state_hashes');
  return hashes;
}
