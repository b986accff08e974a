import { createHash } from 'node:crypto';
import { stepWriteJson } from '../../core/json/step-write-json.js';

/** A value as JSON with sorted keys and without white space, and its hash. */
export interface CanonicalJson {
  readonly text: string;
  /** SHA-256 of the text in UTF-8, in hexadecimal. */
  readonly hash: string;
}

/** Yields after each piece of the text. */
export function* stepCanonicalJson(value: unknown): Generator<undefined, CanonicalJson> {
  const hash = createHash('sha256');
  const pieces: string[] = [];
  const take = (piece: string): void => {
    pieces.push(piece);
    hash.update(piece);
  };
  yield* stepWriteJson(value, take, { sortKeys: true });
  return { text: pieces.join(''), hash: hash.digest('hex') };
}
