import { SUCCESS } from './plugin.js';

/** Of four codes: `UNSCHEDULABLE`, `UNRESOLVABLE` and `ERROR` are made of the bits 1 and 2, and `UNKNOWN` is the bit 4 alone. */
const LOWEST_BITS = 0x01010101;
/** The number of nodes in a word: columns are merged word by word. */
const IN_WORD = 4;

/** How many nodes have which verdict. */
export interface VerdictCounts {
  readonly feasible: number;
  readonly infeasible: number;
  readonly unknown: number;
}

export interface Verdicts {
  /** By node: FEASIBLE, INFEASIBLE or NOT_KNOWN. */
  readonly verdicts: Uint8Array;
  readonly counts: VerdictCounts;
}

/**
 * The columns of a placement, a byte for each node, in one piece of memory: many small ones would cost the garbage collector more
 * than they cost to fill.
 */
export class StatusColumns {
  private readonly bytes: Uint8Array;
  private readonly words: Uint32Array;
  private readonly wordsOfColumn: number;
  private used = 0;

  constructor(
    columns: number,
    private readonly rows: number,
  ) {
    this.wordsOfColumn = Math.ceil(rows / IN_WORD);
    this.words = new Uint32Array(columns * this.wordsOfColumn);
    this.bytes = new Uint8Array(this.words.buffer);
  }

  /** A column of zeros, which are successes. */
  next(): Uint8Array {
    const start = this.used++ * this.wordsOfColumn * IN_WORD;
    return this.bytes.subarray(start, start + this.rows);
  }

  /**
   * Makes the next column that of the verdicts by all columns so far: FEASIBLE is 0, INFEASIBLE 1, NOT_KNOWN 2. A refusal outweighs what is
   * unknown, and that a success.
   */
  merge(): Verdicts {
    const { words, wordsOfColumn, rows } = this;
    const end = this.used * wordsOfColumn;
    const verdicts = this.next();
    let infeasible = 0;
    let unknown = 0;
    for (let word = 0; word < wordsOfColumn; word++) {
      // The bits of four nodes' codes: which of them say what does not matter.
      let codes = SUCCESS;
      for (let at = word; at < end; at += wordsOfColumn) codes |= words[at]!;
      if (codes === SUCCESS) continue;
      const refused = (codes | (codes >>> 1)) & LOWEST_BITS;
      const unsure = (codes >>> 2) & LOWEST_BITS & ~refused;
      words[end + word] = refused | (unsure << 1);
      // The sum of the bytes, in the highest one.
      infeasible += Math.imul(refused, LOWEST_BITS) >>> 24;
      unknown += Math.imul(unsure, LOWEST_BITS) >>> 24;
    }
    return { verdicts, counts: { feasible: rows - infeasible - unknown, infeasible, unknown } };
  }
}
