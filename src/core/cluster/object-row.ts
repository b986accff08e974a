/**
 * A kept object on its way into storage.
 *
 * `content` is the pruned object as canonical JSON (keys sorted, 64-bit integers bare), `hash` the first 16 bytes of its
 * SHA-256: two objects with one hash are the same version.
 */
export interface ObjectRow {
  readonly kind: string;
  /** Empty for kinds that are not namespaced. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly hash: Uint8Array;
  readonly content: string;
}
