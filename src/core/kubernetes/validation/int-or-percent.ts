import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { IntOrString } from '../objects/meta.js';
import { nonNegative } from './non-negative.js';
import { regexError } from './names.js';

const PERCENT = '[0-9]+%';
const percent = new RegExp(`^${PERCENT}$`);
const PERCENT_RULE = regexError(
  "a valid percent string must be a numeric string followed by an ending '%'",
  PERCENT,
  '1%',
  '93%',
);

/**
 * A string without a percent sign is invalid.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/apps/validation/validation.go, `ValidatePositiveIntOrPercent`.
 */
export function validateIntOrPercent(value: IntOrString, path: FieldPath): FieldError[] {
  if (typeof value === 'number') return nonNegative(value, path);
  return percent.test(value) ? [] : [invalid(path, value, PERCENT_RULE)];
}

/** `IsNotMoreThan100Percent`. */
export function validateAtMost100Percent(value: IntOrString, path: FieldPath): FieldError[] {
  const isMore = typeof value === 'string' && percent.test(value) && amountOf(value) > 100;
  return isMore ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** The number, with or without its percent sign; 0 for another string (`getIntOrPercentValue`). */
export function amountOf(value: IntOrString): number {
  if (typeof value === 'number') return value;
  if (percent.test(value)) return Number(value.slice(0, -1));
  return /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}
