import { Database } from './database.js';

/** One object as it is stored. */
export interface StoredObject {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  /** The 16 bytes as 32 lower case hexadecimal digits. */
  readonly hash: string;
  /** Canonical JSON, to the letter as it was committed. */
  readonly content: string;
}

export interface ObjectKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What leads from one revision to another, in either direction of time. */
export interface ObjectChanges {
  readonly upserts: readonly StoredObject[];
  readonly deletes: readonly ObjectKey[];
}

/** Reads the objects of revisions; each call sees one moment of the database, so a revision is whole or not found. */
export class ObjectReader {
  constructor(private readonly database: Database) {}

  /**
   * Every object of a revision in batches of some thousand, in no particular order, at most two batches in memory.
   * Leaving the loop early frees the connection.
   * @throws {RevisionNotFound} before the first batch
   */
  // eslint-disable-next-line require-yield -- being built
  async *stream(
    _clusterId: number,
    _revision: number,
    _kinds?: readonly string[],
  ): AsyncGenerator<readonly StoredObject[], void, undefined> {
    await Promise.resolve();
    throw new Error('not built yet');
  }

  /** One object of a revision. @throws {RevisionNotFound} */
  get(_clusterId: number, _revision: number, _key: ObjectKey): Promise<StoredObject | undefined> {
    throw new Error('not built yet');
  }

  /**
   * What to apply to the state of `from` to have that of `to` (which may be the older one).
   * @throws {RevisionNotFound} when either is gone: load `to` anew then
   */
  changesBetween(_clusterId: number, _from: number, _to: number): Promise<ObjectChanges> {
    throw new Error('not built yet');
  }
}
