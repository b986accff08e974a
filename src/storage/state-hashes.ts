import type { ClientBase } from 'pg';
import { packKey } from './object-key.js';

/** The number of bytes of a hash. */
export const HASH_BYTES = 16;

/** The number of rows to fetch at once: large enough to be fast, small enough not to block the event loop. */
const BATCH = 10_000;

/**
 * The objects of one revision without their content: packed keys, hashes and resourceVersions, with consecutive numbers. The representation is
 * compact, because a large cluster's is in memory while a snapshot arrives.
 */
export class StateHashes {
  private readonly numbers = new Map<string, number>();
  private readonly kindNames: string[] = [];
  private bytes: Buffer = Buffer.alloc(0);
  /** The resourceVersions as numbers; `NONE`, or `TEXT` for those in `texts`. */
  private versions = new Float64Array(0);
  private readonly texts = new Map<number, string>();
  /** Once it is needed: the keys. */
  private inOrder: readonly string[] | undefined;

  get size(): number {
    return this.kindNames.length;
  }

  /** Returns -1 if there is no such object. */
  indexOf(key: string): number {
    return this.numbers.get(key) ?? -1;
  }

  /** All hashes, in the order of the objects' numbers. */
  get hashes(): Uint8Array {
    return this.bytes.subarray(0, this.size * HASH_BYTES);
  }

  /** The packed key of an object. */
  key(index: number): string {
    this.inOrder ??= [...this.numbers.keys()];
    return this.inOrder[index]!;
  }

  /** Packed keys, in the order of their numbers. */
  keys(): Iterable<string> {
    return this.numbers.keys();
  }

  kind(index: number): string {
    return this.kindNames[index]!;
  }

  /** Whether the hash of an object equals the one at `offset` of `bytes`. */
  hasHash(index: number, bytes: Uint8Array, offset: number): boolean {
    const own = this.bytes;
    for (let at = index * HASH_BYTES, byte = 0; byte < HASH_BYTES; byte++) {
      if (own[at + byte] !== bytes[offset + byte]) return false;
    }
    return true;
  }

  /** Whether an object of this state has the same hash as an object of another. */
  equals(index: number, other: StateHashes, otherIndex: number): boolean {
    return this.hasHash(index, other.bytes, otherIndex * HASH_BYTES);
  }

  resourceVersion(index: number): string | null {
    const version = this.versions[index]!;
    if (version === NONE) return null;
    return version === TEXT ? this.texts.get(index)! : String(version);
  }

  hasResourceVersion(index: number, text: string | null): boolean {
    const version = numberOf(text);
    return this.versions[index] === version && (version !== TEXT || this.texts.get(index) === text);
  }

  /** @param hash in hexadecimal */
  add(kind: string, namespace: string, name: string, hash: string, resourceVersion: string | null): void {
    const index = this.size;
    if ((index + 1) * HASH_BYTES > this.bytes.length) {
      this.bytes = grown(this.bytes);
      const versions = new Float64Array(this.bytes.length / HASH_BYTES);
      versions.set(this.versions);
      this.versions = versions;
    }
    const version = numberOf(resourceVersion);
    this.versions[index] = version;
    if (version === TEXT) this.texts.set(index, resourceVersion!);
    this.bytes.write(hash, index * HASH_BYTES, 'hex');
    this.numbers.set(packKey(kind, namespace, name), index);
    // Most neighbours have the same kind, so share its string.
    const former = this.kindNames[index - 1];
    this.kindNames.push(former === kind ? former : kind);
  }
}

const NONE = 0;
const TEXT = -1;

/** A resourceVersion as a number if that is exact. */
function numberOf(resourceVersion: string | null): number {
  if (resourceVersion === null) return NONE;
  return resourceVersion.length <= 15 && /^[1-9]\d*$/.test(resourceVersion) ? Number(resourceVersion) : TEXT;
}

/** A copy with at least twice the size. */
export function grown(bytes: Buffer): Buffer {
  const larger = Buffer.alloc(Math.max(bytes.length * 2, 1_024 * HASH_BYTES));
  bytes.copy(larger);
  return larger;
}

/** Reads the hashes of a revision within the caller's transaction. */
export async function loadHashes(client: ClientBase, clusterId: number, revision: number): Promise<StateHashes> {
  const hashes = new StateHashes();
  if (revision === 0) return hashes;
  await client.query(
    `declare state_hashes no scroll cursor for
     select kind, namespace, name, encode(hash, 'hex'), resource_version from object_versions
     where cluster_id = ${clusterId} and valid_from <= ${revision} and (valid_to is null or valid_to > ${revision})`,
  );
  for (;;) {
    const { rows } = await client.query<[string, string, string, string, string | null]>({
      text: `fetch ${BATCH} from state_hashes`,
      rowMode: 'array',
    });
    for (const [kind, namespace, name, hash, version] of rows) hashes.add(kind, namespace, name, hash, version);
    if (rows.length < BATCH) break;
  }
  await client.query('close state_hashes');
  return hashes;
}
