import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/** `ValidateNonnegativeField`, for a field that may be absent. */
export const nonNegative = (value: number | undefined, path: FieldPath): FieldError[] =>
  value === undefined || value >= 0
    ? []
    : [invalid(path, { text: String(value) }, 'must be greater than or equal to 0')];
