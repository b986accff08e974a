import { createHash } from 'node:crypto';
import { stringifyJson } from '../../core/json/lossless-json.js';

/** A value as JSON with sorted keys and without white space, and its hash. */
export interface CanonicalJson {
  readonly text: string;
  /** SHA-256 of the text in UTF-8, in hexadecimal. */
  readonly hash: string;
}

export function canonicalJson(value: unknown): CanonicalJson {
  const text = stringifyJson(value, { sortKeys: true });
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}
