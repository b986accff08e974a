import { grown, HASH_BYTES, type StateHashes } from './state-hashes.js';

const SAME = 1;
const DIFFERENT = 2;

/**
 * The objects of a snapshot compared with a base: those equal to the base, and those that differ and were staged. Of several
 * objects with the same key, the last counts.
 */
export class SeenObjects {
  /** Packed key to sequence number of the staged row, for objects that differ from the base. */
  readonly staged = new Map<string, number>();
  /** Sequence numbers of staged rows that a later row with the same key replaced. */
  readonly replaced: number[] = [];

  /** The resourceVersions of objects that are equal to the base but have another one there, by the number of the object. */
  private readonly moved = new Map<number, string | null>();
  /** What the snapshot has of each object of the base: `SAME`, `DIFFERENT` if a staged row replaces it, or nothing yet. */
  private readonly states: Uint8Array;
  private hashes: Buffer = Buffer.alloc(0);
  private nextSequence = 0;

  constructor(readonly base: StateHashes) {
    this.states = new Uint8Array(base.size);
  }

  /**
   * Records a row.
   * @returns the sequence number for staging it; undefined if its content is already known
   */
  note(key: string, hash: Uint8Array, resourceVersion: string | null): number | undefined {
    const inBase = this.base.indexOf(key);
    const former = this.staged.size === 0 ? undefined : this.staged.get(key);
    if (inBase >= 0 && this.base.hasHash(inBase, hash, 0)) {
      this.noteUnchanged(inBase, resourceVersion);
      return undefined;
    }
    if (former !== undefined) this.replaced.push(former);
    if (inBase >= 0) this.states[inBase] = DIFFERENT;
    const sequence = this.nextSequence++;
    const at = sequence * HASH_BYTES;
    if (at + HASH_BYTES > this.hashes.length) this.hashes = grown(this.hashes);
    this.hashes.set(hash, at);
    this.staged.set(key, sequence);
    return sequence;
  }

  /** Records an object that equals the one of the base with this number. */
  noteUnchanged(inBase: number, resourceVersion: string | null): void {
    const isStaged = this.states[inBase] === DIFFERENT;
    this.states[inBase] = SAME;
    if (!this.base.hasResourceVersion(inBase, resourceVersion)) this.moved.set(inBase, resourceVersion);
    else if (this.moved.size > 0) this.moved.delete(inBase);
    if (!isStaged) return;
    const key = this.base.key(inBase);
    this.replaced.push(this.staged.get(key)!);
    this.staged.delete(key);
  }

  /** Whether the snapshot contains this object of the base unchanged. */
  asInBase(index: number): boolean {
    return this.states[index] === SAME;
  }

  /** Whether an object that equals the base has another resourceVersion there. */
  hasMoved(index: number): boolean {
    return this.moved.has(index);
  }

  /** The resourceVersion of an object that equals the base. */
  resourceVersion(index: number): string | null {
    return this.moved.has(index) ? this.moved.get(index)! : this.base.resourceVersion(index);
  }

  /** The packed keys of all objects of the snapshot. */
  *keys(): Generator<string, void> {
    yield* this.staged.keys();
    for (let index = 0; index < this.base.size; index++) if (this.asInBase(index)) yield this.base.key(index);
  }

  has(key: string): boolean {
    if (this.staged.has(key)) return true;
    const index = this.base.indexOf(key);
    return index >= 0 && this.asInBase(index);
  }

  /** The location of a staged row's hash: bytes and offset. */
  stagedHash(sequence: number): [bytes: Uint8Array, offset: number] {
    return [this.hashes, sequence * HASH_BYTES];
  }
}
