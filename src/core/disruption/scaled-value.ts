import { quoteGo } from '../kubernetes/go-text.js';
import type { IntOrString } from '../kubernetes/objects/meta.js';

/** The count that an `IntOrString` represents, or upstream's error. */
export type ScaledValue = { readonly value: number } | { readonly error: string };

const INTEGER = /^[+-]?\d+$/;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * An absolute number, or a percentage of `total` rounded up: `34%` of 5 is 2. A string that is not a percentage
 * (`"50"`) is an error.
 *
 * The value is a Go int that its readers truncate to 32 bits; this function already truncates it.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/util/intstr/intstr.go, `GetScaledValueFromIntOrPercent`.
 */
export function scaledValue(intOrPercent: IntOrString, total: number): ScaledValue {
  if (typeof intOrPercent === 'number') return { value: toInt32(intOrPercent) };
  if (!intOrPercent.endsWith('%')) return wrong('invalid type: string is not a percentage');
  const digits = intOrPercent.slice(0, -1);
  const refusal = refusalOf(digits);
  if (refusal !== undefined) {
    return wrong(`invalid value ${quoteGo(intOrPercent)}: strconv.Atoi: parsing ${quoteGo(digits)}: ${refusal}`);
  }
  return { value: toInt32(Math.ceil((Number(digits) * total) / 100)) };
}

const wrong = (reason: string): ScaledValue => ({ error: `invalid value for IntOrString: ${reason}` });

/** Why `strconv.Atoi` refuses a string. */
function refusalOf(digits: string): string | undefined {
  if (!INTEGER.test(digits)) return 'invalid syntax';
  const significant = digits.replace(/^[+-]?0*/, '');
  if (significant.length > 19) return 'value out of range';
  const value = BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  return value > INT64_MAX || value < INT64_MIN ? 'value out of range' : undefined;
}

const TWO_TO_63 = 2 ** 63;

/**
 * A double converted to int64 and then to int32 as on amd64: values beyond int64 become its minimum, whose low half is
 * 0.
 */
function toInt32(value: number): number {
  return Math.abs(value) < TWO_TO_63 ? Number(BigInt.asIntN(32, BigInt(Math.trunc(value)))) : 0;
}
