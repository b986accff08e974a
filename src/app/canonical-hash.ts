import { createHash } from 'node:crypto';
import { stepWriteJson } from '../core/json/step-write-json.js';

/** 22 characters that are the same for equal values, whatever the order of their members. Yields after each piece of a long value. */
export function* stepCanonicalHash(value: unknown): Generator<undefined, string> {
  const hash = createHash('sha256');
  yield* stepWriteJson(value, (piece) => hash.update(piece), { sortKeys: true });
  return hash.digest('base64url').slice(0, 22);
}
