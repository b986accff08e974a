import { hash as digestOf } from 'node:crypto';
import { KindTotal, termOf } from '../../storage/kind-total.js';

/** What is stored of an object. */
export interface MirroredObject {
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** Words of 32 bits. */
const KEY = 4;
const TERM = 2;
const VERSION = 4;
const RECORD = KEY + TERM + VERSION;

/** Slots of a table that has any, how much of it is used at most, and how much larger the next one is. */
const FEWEST = 8;
const FULLEST = 0.8;
const GROWTH = 1.3;

const WORD = 2 ** 32;

/**
 * Which objects of a kind are stored, in which versions, without their content. A replica that follows a thousand clusters has millions of
 * them, so each is a record of 40 bytes in one table, which the garbage collector does not look into: the first 128 bits of SHA-256 of its
 * key, its term of the total, and the first 128 bits of SHA-256 of its uid and hash.
 */
export class KindMirror {
  private readonly total = KindTotal.empty();
  /** Open addressing; a slot whose first word is 0 is free. A record is in the first free slot from its place on. */
  private table = new Uint32Array(0);

  get count(): number {
    return this.total.count;
  }

  get hash(): string {
    return this.total.hash;
  }

  has(namespace: string, name: string): boolean {
    return this.find(keyOf(namespace, name)) >= 0;
  }

  /** Whether the object is stored with this uid and this hash. */
  holds(namespace: string, name: string, object: Pick<MirroredObject, 'uid' | 'hash'>): boolean {
    const at = this.find(keyOf(namespace, name));
    if (at < 0) return false;
    return this.isAt(at + KEY + TERM, versionOf(object));
  }

  set(namespace: string, name: string, object: MirroredObject): void {
    const key = keyOf(namespace, name);
    const former = this.find(key);
    if (former >= 0) this.removeTerm(former);
    else this.makeRoom();
    const at = former >= 0 ? former : this.freeFrom(this.placeOf(key[1]!));
    const { high, low } = termOf({ namespace, name, ...object });
    this.table.set(key, at);
    this.table[at + KEY] = high;
    this.table[at + KEY + 1] = low;
    this.table.set(versionOf(object), at + KEY + TERM);
    this.total.addTerm(high, low);
  }

  delete(namespace: string, name: string): void {
    const at = this.find(keyOf(namespace, name));
    if (at < 0) return;
    this.removeTerm(at);
    this.free(at);
  }

  private removeTerm(at: number): void {
    this.total.removeTerm(this.table[at + KEY]!, this.table[at + KEY + 1]!);
  }

  /** The position of the record with the key; -1 if there is none. */
  private find(key: Uint32Array): number {
    if (this.table.length === 0) return -1;
    for (let at = this.placeOf(key[1]!); this.table[at] !== 0; at = this.after(at)) {
      if (this.isAt(at, key)) return at;
    }
    return -1;
  }

  private isAt(start: number, words: Uint32Array): boolean {
    for (let index = 0; index < words.length; index++) if (this.table[start + index] !== words[index]) return false;
    return true;
  }

  private placeOf(word: number): number {
    return Math.floor((word / WORD) * (this.table.length / RECORD)) * RECORD;
  }

  private after(at: number): number {
    return at + RECORD === this.table.length ? 0 : at + RECORD;
  }

  private freeFrom(place: number): number {
    let at = place;
    while (this.table[at] !== 0) at = this.after(at);
    return at;
  }

  private makeRoom(): void {
    const slots = this.table.length / RECORD;
    if (this.count + 1 <= slots * FULLEST) return;
    const former = this.table;
    this.table = new Uint32Array(Math.max(FEWEST, Math.ceil(slots * GROWTH)) * RECORD);
    for (let at = 0; at < former.length; at += RECORD) {
      if (former[at] === 0) continue;
      this.table.set(former.subarray(at, at + RECORD), this.freeFrom(this.placeOf(former[at + 1]!)));
    }
  }

  /** Frees a slot, and moves records behind it up that would not be found any longer. */
  private free(slot: number): void {
    let gap = slot;
    for (let at = this.after(gap); this.table[at] !== 0; at = this.after(at)) {
      const place = this.placeOf(this.table[at + 1]!);
      const isBetween = gap < at ? gap < place && place <= at : gap < place || place <= at;
      if (isBetween) continue;
      this.table.copyWithin(gap, at, at + RECORD);
      gap = at;
    }
    this.table[gap] = 0;
  }
}

/** Its first word is not 0, which says that a slot is free. */
function keyOf(namespace: string, name: string): Uint32Array {
  const key = wordsOf(`${namespace}/${name}`, KEY);
  key[0] ||= 1;
  return key;
}

const versionOf = ({ uid, hash }: Pick<MirroredObject, 'uid' | 'hash'>): Uint32Array =>
  wordsOf(`${uid === null ? '' : `=${uid}`}\n${hash}`, VERSION);

function wordsOf(text: string, count: number): Uint32Array {
  const digest = digestOf('sha256', text, 'buffer');
  const words = new Uint32Array(count);
  for (let word = 0; word < count; word++) words[word] = digest.readUInt32LE(4 * word);
  return words;
}
