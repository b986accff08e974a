import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';

/**
 * How one op of the vectors is answered and judged.
 *
 * `answer` gives what this project says to `input`, in the shape of the vector's `want`; it may throw where Kubernetes
 * refuses, and a wanted `{error}` then agrees by the fact alone. `agree` replaces the comparison by equality.
 */
export interface Op {
  readonly answer: (input: JsonObject) => unknown;
  readonly agree?: (want: JsonValue, got: unknown, input: JsonObject) => boolean;
}
