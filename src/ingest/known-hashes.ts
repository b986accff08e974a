import { randomFillSync } from 'node:crypto';

/** The number of bytes of a row's hash. */
export const HASH_BYTES = 16;
const WORDS = HASH_BYTES / 4;

/**
 * The hashes of the objects of a state, to find which objects of a stream are in it unchanged. Objects are identified by their
 * position.
 */
export class KnownHashes {
  private readonly words: Uint32Array;
  /** The position of an object plus 1; 0 for an empty slot. */
  private readonly slots: Uint32Array;
  /** Random, so that nobody can prepare objects that share a slot. */
  private readonly factors = randomFillSync(new Uint32Array(WORDS));
  private readonly wanted = new Uint8Array(HASH_BYTES);
  private readonly wantedWords = new Uint32Array(this.wanted.buffer);

  /** @param hashes of 16 bytes each, one after another */
  constructor(hashes: Uint8Array) {
    const copy = new Uint8Array(hashes);
    this.words = new Uint32Array(copy.buffer, 0, Math.floor(copy.length / 4));
    const count = this.words.length / WORDS;
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    for (let index = 0; index < count; index++) {
      const from = index * WORDS;
      this.slots[this.slotOf(this.words, from)] = index + 1;
    }
  }

  /** The position of an object with the hash at `from`; -1 if there is none. */
  indexOf(bytes: Uint8Array, from: number): number {
    for (let index = 0; index < HASH_BYTES; index++) this.wanted[index] = bytes[from + index]!;
    return this.slots[this.slotOf(this.wantedWords, 0)]! - 1;
  }

  /** The slot of the hash, or the empty slot for it. */
  private slotOf(source: Uint32Array, from: number): number {
    const { words, slots, factors } = this;
    const mask = slots.length - 1;
    let mixed = 0;
    for (let word = 0; word < WORDS; word++) mixed = Math.imul(mixed ^ source[from + word]!, factors[word]! | 1);
    let slot = (mixed ^ (mixed >>> 15)) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const other = (slots[slot]! - 1) * WORDS;
      let word = 0;
      while (word < WORDS && words[other + word] === source[from + word]) word++;
      if (word === WORDS) break;
    }
    return slot;
  }
}
