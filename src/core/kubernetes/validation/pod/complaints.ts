import { invalid, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { Int64 } from '../../objects/meta.js';
import type { NameRule } from '../object-names.js';

/** One error for each fault that a rule for names finds. */
export const complaints = (rule: NameRule, value: string, path: FieldPath): FieldError[] =>
  rule(value, false).map((message) => invalid(path, value, message));

/** `field.Invalid` for a number. */
export const invalidNumber = (path: FieldPath, value: Int64, detail: string): FieldError =>
  invalid(path, { text: String(value) }, detail);

/** `InclusiveRangeError`. */
export const between = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;
