import { canonicalJson } from './canonical-json.js';

/** SHA-256 over the UTF-8 bytes of a text, in lower-case hexadecimal. Passed in, since core has no cryptography. */
export type Sha256 = (text: string) => string;

/** What the first record of a chain carries for the hash of the one before: 64 zeros. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * A record as the chain sees it. `content` is all that the record says, the trail that it belongs to included, so that a
 * record cannot be moved to another trail; `sequence` counts from 1 without a gap.
 */
export interface ChainedRecord {
  readonly sequence: number;
  readonly previousHash: string;
  readonly hash: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** What a record says of its place in the chain, and its hash. */
type ChainLink = Omit<ChainedRecord, 'content'>;

/** A record's place and hash, kept elsewhere: what a chain looked like at that time. */
export interface Checkpoint {
  readonly sequence: number;
  readonly hash: string;
}

export type ChainFaultCode =
  /** The record does not carry the next number: one was taken out, put in, or repeated. */
  | 'sequence'
  /** It does not carry the hash of the record before it. */
  | 'previousHash'
  /** Its hash is not that of its content: content or hash was changed. */
  | 'hash'
  /** It holds in itself, but is not the record that the checkpoint was taken of: the chain was written anew. */
  | 'checkpoint'
  /** The chain ends before the checkpoint: its tail was cut off. */
  | 'tailCut';

export interface ChainFault {
  readonly code: ChainFaultCode;
  /** The first record that does not hold; for a cut tail, the first that is missing. */
  readonly sequence: number;
  readonly expected: string | number;
  readonly found?: string | number;
}

/** What came of a verification: how many records hold, the head of what holds, and the first fault. */
export interface ChainVerdict {
  readonly verified: number;
  readonly head: Checkpoint;
  readonly fault?: ChainFault;
}

/**
 * The hash of a record: SHA-256 over the canonical JSON (RFC 8785) of its content with `sequence` and `previousHash`
 * as members of it. Anyone can compute it from an exported record with any implementation of both.
 *
 * @throws {TypeError} when the content has a member of one of these names, or `hash`.
 * @throws {CanonicalJsonError} when the content is not JSON.
 */
export function recordHash(record: Omit<ChainedRecord, 'hash'>, sha256: Sha256): string {
  return sha256(recordText(record));
}

/**
 * The text that the hash of a record is made of.
 * @throws as `recordHash`
 */
export function recordText({ content, sequence, previousHash }: Omit<ChainedRecord, 'hash'>): string {
  for (const name of ['sequence', 'previousHash', 'hash']) {
    if (Object.hasOwn(content, name)) throw new TypeError(`the content of a record has no member ${name} of its own`);
  }
  return canonicalJson({ ...content, sequence, previousHash });
}

/**
 * Verifies a chain record by record, so that one of any length can be streamed past it: constant memory.
 *
 * From the beginning, or from a trusted checkpoint on (`from`: the first record given is the one after it). With
 * `checkpoint`, the record of that number must be the very one, and must be there.
 */
export class ChainVerifier {
  private head: Checkpoint;
  private verified = 0;
  private fault: ChainFault | undefined;

  constructor(
    private readonly sha256: Sha256,
    private readonly options: { readonly from?: Checkpoint; readonly checkpoint?: Checkpoint } = {},
  ) {
    this.head = options.from ?? { sequence: 0, hash: GENESIS_HASH };
    const { checkpoint } = options;
    if (checkpoint?.sequence === this.head.sequence && checkpoint.hash !== this.head.hash) {
      this.fault = fault('checkpoint', checkpoint.sequence, checkpoint.hash, this.head.hash);
    }
  }

  /** Takes the next record. False as soon as one does not hold: those after it prove nothing and need not be given. */
  add(record: ChainedRecord): boolean {
    return this.take(record, () => hashOf(record, this.sha256));
  }

  /**
   * The same for a record as it is kept: its canonical text, of which nothing has to be written anew, and the hash beside it.
   * @returns what the text says; undefined as soon as a record does not hold
   */
  addWritten(text: string, hash: string): Readonly<Record<string, unknown>> | undefined {
    const said = objectIn(text);
    const { sequence, previousHash } = said;
    if (typeof sequence !== 'number' || typeof previousHash !== 'string') {
      this.fault ??= fault('hash', this.head.sequence + 1, this.sha256(text), hash);
      return undefined;
    }
    return this.take({ sequence, previousHash, hash }, () => this.sha256(text)) ? said : undefined;
  }

  private take(link: ChainLink, ownHash: () => string): boolean {
    this.fault ??= this.faultOf(link, ownHash);
    if (this.fault !== undefined) return false;
    this.head = { sequence: link.sequence, hash: link.hash };
    this.verified += 1;
    return true;
  }

  /** The verdict over the records given so far, taken for the whole chain. */
  finish(): ChainVerdict {
    const { checkpoint } = this.options;
    const cut = checkpoint !== undefined && checkpoint.sequence > this.head.sequence;
    const found = this.fault ?? (cut ? fault('tailCut', this.head.sequence + 1, checkpoint.sequence) : undefined);
    return { verified: this.verified, head: this.head, ...(found !== undefined && { fault: found }) };
  }

  private faultOf(record: ChainLink, ownHash: () => string): ChainFault | undefined {
    const next = this.head.sequence + 1;
    if (record.sequence !== next) return fault('sequence', next, next, record.sequence);
    if (record.previousHash !== this.head.hash) {
      return fault('previousHash', next, this.head.hash, record.previousHash);
    }
    const hash = ownHash();
    if (record.hash !== hash) return fault('hash', next, hash, record.hash);
    const { checkpoint } = this.options;
    if (checkpoint?.sequence === next && checkpoint.hash !== hash) {
      return fault('checkpoint', next, checkpoint.hash, hash);
    }
    return undefined;
  }
}

/** Verifies a chain that is at hand; see `ChainVerifier`. Stops reading at the first record that does not hold. */
export function verifyChain(
  records: Iterable<ChainedRecord>,
  sha256: Sha256,
  options: { readonly from?: Checkpoint; readonly checkpoint?: Checkpoint } = {},
): ChainVerdict {
  const verifier = new ChainVerifier(sha256, options);
  for (const record of records) {
    if (!verifier.add(record)) break;
  }
  return verifier.finish();
}

/** What a text says; nothing where it is not the JSON of an object. Canonical JSON has no number that would be rounded. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** The hash that a record ought to carry; one whose content can have none, since it was tampered with, carries a wrong one. */
function hashOf(record: ChainedRecord, sha256: Sha256): string {
  try {
    return recordHash(record, sha256);
  } catch {
    return 'none: the content of the record has no canonical form';
  }
}

function fault(code: ChainFaultCode, sequence: number, expected: string | number, found?: string | number): ChainFault {
  return { code, sequence, expected, ...(found !== undefined && { found }) };
}
