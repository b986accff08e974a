import type { JsonValue } from '../../json/json-value.js';
import type { Decoding } from './decoding.js';

/** How the values of a field, or of a whole object, are read from JSON. */
export interface Schema<T> {
  /**
   * The typed, pruned copy of a value, never null; undefined where the value is not readable (then `decoding` has the
   * errors) or `keep` is false (then the value is only checked).
   */
  decode(value: JsonValue, decoding: Decoding, keep: boolean): T | undefined;
  /** What Go's decoder leaves in the field when it is absent or null. */
  zero(): T;
}

/** A field that the typed object always has: absent, it becomes the zero value, as in Go. */
export interface RequiredField<T> {
  readonly required: Schema<T>;
}

/** Marks a field that the typed object always has. */
export function required<T>(schema: Schema<T>): RequiredField<T> {
  return { required: schema };
}
