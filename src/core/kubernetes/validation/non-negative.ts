import { invalid, type FieldError } from '../field-error.js';
import type { Int64 } from '../objects/meta.js';
import type { FieldPath } from '../field-path.js';

/** `ValidateNonnegativeField`, for a field that may be absent. */
export const nonNegative = (value: Int64 | undefined, path: FieldPath): FieldError[] =>
  value === undefined || value >= 0
    ? []
    : [invalid(path, { text: String(value) }, 'must be greater than or equal to 0')];
