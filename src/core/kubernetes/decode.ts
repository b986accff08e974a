import type { JsonValue } from '../json/json-value.js';
import type { FieldError } from './field-error.js';
import type { KindInfo } from './kinds.js';
import type { KubernetesObject } from './objects/meta.js';

export interface DecodeOptions {
  /** Unknown fields are errors, as with `kubectl --validate=strict`. Otherwise they are counted. */
  readonly strict?: boolean;
  /** For an object that names none, such as an item of a `PodList`. */
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** What became of a JSON value that should be a Kubernetes object. */
export type Decoded =
  | {
      readonly outcome: 'object';
      readonly object: KubernetesObject;
      readonly info: KindInfo;
      /** How many known fields were left out, a subtree counting once. */
      readonly droppedFields: number;
      /** How many fields Kubernetes v1.36 does not know, and the paths of the first of them. */
      readonly unknownFieldCount: number;
      readonly unknownFields: readonly string[];
    }
  | { readonly outcome: 'ignored'; readonly apiVersion: string; readonly kind: string }
  | {
      readonly outcome: 'invalid';
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
      /** Every wrong field, not only the first. */
      readonly errors: readonly FieldError[];
      /** What could be decoded, the wrong fields left out; absent where not even a name could. */
      readonly salvage?: KubernetesObject;
      readonly info?: KindInfo;
    };

export declare function decodeObject(value: JsonValue, options?: DecodeOptions): Decoded;
