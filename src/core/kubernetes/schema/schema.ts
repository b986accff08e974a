import type { JsonValue } from '../../json/json-value.js';
import type { Decoding } from './decoding.js';

/** How the values of a field, or of a whole object, are decoded from JSON. */
export interface Schema<T> {
  /**
   * The typed and pruned copy of a value, never null; undefined if the value is invalid (`decoding` then has the
   * errors), or if `keep` is false (the value is then only checked).
   */
  decode(value: JsonValue, decoding: Decoding, keep: boolean): T | undefined;
  /** The value that Go's decoder leaves in the field if it is absent or null. */
  zero(): T;
  /** What `decode` accepts and keeps, for a reader that processes the source text instead of parsed values. */
  readonly shape: SchemaShape;
  /**
   * Of a field that not every version has: the first minor version of Kubernetes whose API server knows it, and the first that no longer does
   * (k8s.io/api v0.31 to v0.36). To others it is an unknown field.
   */
  readonly since?: number;
  readonly before?: number;
}

/** Whether the API server of a minor version of Kubernetes knows a field; without a version, whether any does or did. */
export const isKnownIn = (minor: number | undefined, { since = 0, before = Infinity }: Schema<unknown>): boolean =>
  minor === undefined || (since <= minor && minor < before);

/** A field of an object, and whether its value is kept or only checked. */
export interface SchemaField {
  readonly schema: Schema<unknown>;
  readonly keep: boolean;
}

/** The structure of a schema; each type corresponds to the function or constant of that name in this folder. */
export type SchemaShape =
  | {
      readonly type:
        'string' | 'constant' | 'boolean' | 'int32' | 'int64' | 'quantity' | 'time' | 'int-or-string' | 'anything';
    }
  | { readonly type: 'map'; readonly values: Schema<unknown> }
  /** `keeps` selects the kept keys; without it all keys are kept. If no key is kept, there is no map. */
  | { readonly type: 'string-map'; readonly keeps?: (key: string) => boolean }
  | { readonly type: 'list'; readonly items: Schema<unknown> }
  | {
      readonly type: 'object';
      readonly fields: ReadonlyMap<string, SchemaField>;
      readonly always: readonly (readonly [name: string, schema: Schema<unknown>])[];
      /** An object of which nothing is kept is left out. */
      readonly sparse: boolean;
    }
  /** `refine` changes nothing in an object that lacks the named member. */
  | {
      readonly type: 'refined';
      readonly inner: Schema<unknown>;
      readonly refine: (value: never) => unknown;
      readonly onlyWith: string;
    };

/** A field that the typed object always has: if it is absent, it becomes the zero value, as in Go. */
export interface RequiredField<T> {
  readonly required: Schema<T>;
}

/** Marks a field that the typed object always has. */
export function required<T>(schema: Schema<T>): RequiredField<T> {
  return { required: schema };
}
