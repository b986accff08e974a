/**
 * A kept object that is about to be stored.
 *
 * `content` is the pruned object as canonical JSON (sorted keys, 64-bit integers without quotes), `hash` the first 16 bytes of
 * SHA-256 over it without heartbeats (`versionText`): objects with the same hash are the same version.
 */
export interface ObjectRow {
  readonly kind: string;
  /** Empty for kinds that are not namespaced. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  /** null if the source has none. It is no part of `content`, because it changes with every heartbeat. */
  readonly resourceVersion: string | null;
  readonly hash: Uint8Array;
  readonly content: string;
  /**
   * The whole object, of which `content` is without the parts that can hold secrets: `data` and `binaryData` of a ConfigMap. It is stored
   * only if a policy needs it.
   */
  readonly withheld?: string;
}

/** In place of a row that the state which a snapshot is compared with has with the same hash. */
export interface UnchangedRow {
  /** The position of the object in that state. */
  readonly unchanged: number;
  readonly resourceVersion: string | null;
}

/** A row with its content as UTF-8, as a reader found it and the database takes it. */
export interface EncodedRow extends Omit<ObjectRow, 'content' | 'withheld'> {
  readonly utf8: Uint8Array;
}

export type SnapshotRow = ObjectRow | EncodedRow | UnchangedRow;

/** The rows of a snapshot in batches. */
export interface RowBatches extends AsyncIterable<readonly SnapshotRow[]> {
  /** Takes back the memory of a batch, whose bytes must not be used any more. */
  readonly release?: (batch: readonly SnapshotRow[]) => void;
}
