import { canonicalJson } from './canonical-json.js';
import { isJsonObject } from '../json/json-value.js';

/** SHA-256 over the UTF-8 bytes of a text, in lower-case hexadecimal. A parameter, because core has no cryptography. */
export type Sha256 = (text: string) => string;

/** The previous hash in the first record of a chain: 64 zeros. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * A record in the chain. `content` is the complete content of the record, including the trail that it belongs to, so a
 * record cannot be moved to another trail; `sequence` counts from 1 without gaps.
 */
export interface ChainedRecord {
  readonly sequence: number;
  readonly previousHash: string;
  readonly hash: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** A record's position in the chain, and its hash. */
type ChainLink = Omit<ChainedRecord, 'content'>;

/** The position and hash of a record, stored elsewhere to prove the state of the chain at that time. */
export interface Checkpoint {
  readonly sequence: number;
  readonly hash: string;
}

export type ChainFaultCode =
  /** The record does not have the next number: one was removed, inserted, or repeated. */
  | 'sequence'
  /** It does not have the hash of the record before it. */
  | 'previousHash'
  /** Its hash does not match its content: the content or the hash was changed. */
  | 'hash'
  /** It is consistent, but does not match the checkpoint: the chain was rewritten. */
  | 'checkpoint'
  /** The chain ends before the checkpoint: it was truncated. */
  | 'tailCut';

export interface ChainFault {
  readonly code: ChainFaultCode;
  /** The first faulty record; for a truncated chain, the first missing one. */
  readonly sequence: number;
  readonly expected: string | number;
  readonly found?: string | number;
}

/** The result of a verification: the number of valid records, the last valid one, and the first fault. */
export interface ChainVerdict {
  readonly verified: number;
  readonly head: Checkpoint;
  readonly fault?: ChainFault;
}

/**
 * The hash of a record: SHA-256 over the canonical JSON (RFC 8785) of its content, with `sequence` and `previousHash`
 * as members. Any implementation of both can compute it from an exported record.
 *
 * @throws {TypeError} when the content has a member of one of these names, or `hash`.
 * @throws {CanonicalJsonError} when the content is not JSON.
 */
export function recordHash(record: Omit<ChainedRecord, 'hash'>, sha256: Sha256): string {
  return sha256(recordText(record));
}

/**
 * The text that is hashed for a record.
 *
 * @throws as `recordHash`
 */
export function recordText({ content, sequence, previousHash }: Omit<ChainedRecord, 'hash'>): string {
  for (const name of ['sequence', 'previousHash', 'hash']) {
    if (Object.hasOwn(content, name))
      throw new TypeError(`the content of a record must not have its own member ${name}`);
  }
  return canonicalJson({ ...content, sequence, previousHash });
}

/**
 * Verifies a chain record by record in constant memory, so that it can be streamed.
 *
 * Starts at the first record, or after a trusted checkpoint (`from`: the first record given is the next one). With
 * `checkpoint`, the record of that number must exist and match.
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

  /**
   * Checks the next record. Returns false at the first faulty record: later ones prove nothing and need not be given.
   */
  add(record: ChainedRecord): boolean {
    return this.take(record, () => hashOf(record, this.sha256));
  }

  /**
   * Does the same for a stored record: its canonical text, which is hashed as it is, and its hash.
   *
   * @returns the parsed content; undefined from the first faulty record on
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

  /** The verdict if the records given so far are the whole chain. */
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

/** Verifies a chain in memory; see `ChainVerifier`. Stops at the first faulty record. */
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

/** The parsed text; empty if it is not a JSON object. Canonical JSON has no number that would be rounded. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * The hash that a record should have; content that cannot be hashed was tampered with, so it gets a hash that never
 * matches.
 */
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
