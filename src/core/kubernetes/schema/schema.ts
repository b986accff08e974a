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
  /** What `decode` accepts and keeps, for a reader that goes over the source text instead of parsed values. */
  readonly shape: SchemaShape;
}

/** A field of an object: whether its value is part of the typed copy, or only checked. */
export interface SchemaField {
  readonly schema: Schema<unknown>;
  readonly keep: boolean;
}

/** How a schema is made; each type says what the function or constant of that name in this folder says. */
export type SchemaShape =
  | {
      readonly type:
        'string' | 'constant' | 'boolean' | 'int32' | 'int64' | 'quantity' | 'time' | 'int-or-string' | 'anything';
    }
  | { readonly type: 'map'; readonly values: Schema<unknown> }
  /** `keeps`: which keys are kept; all of them where it is absent. Where it leaves none, there is no map. */
  | { readonly type: 'string-map'; readonly keeps?: (key: string) => boolean }
  | { readonly type: 'list'; readonly items: Schema<unknown> }
  | {
      readonly type: 'object';
      readonly fields: ReadonlyMap<string, SchemaField>;
      readonly always: readonly (readonly [name: string, schema: Schema<unknown>])[];
    }
  /** `refine` changes nothing in an object that has not the member named. */
  | {
      readonly type: 'refined';
      readonly inner: Schema<unknown>;
      readonly refine: (value: never) => unknown;
      readonly onlyWith: string;
    };

/** A field that the typed object always has: absent, it becomes the zero value, as in Go. */
export interface RequiredField<T> {
  readonly required: Schema<T>;
}

/** Marks a field that the typed object always has. */
export function required<T>(schema: Schema<T>): RequiredField<T> {
  return { required: schema };
}
