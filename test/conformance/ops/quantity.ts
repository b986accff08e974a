import { parseQuantity, type Quantity } from '../../../src/core/kubernetes/quantity.js';
import type { Op } from '../op.js';

/** `{string}` -> `{canonical, format, value, milli, nano, sign, float}` or `{error}`. */
export const quantity: Op = {
  answer: (input) => {
    const parsed = parseQuantity(input['string'] as string);
    return {
      canonical: parsed.toString(),
      format: parsed.format,
      value: parsed.value().toString(),
      milli: parsed.milliValue().toString(),
      nano: inNano(parsed),
      sign: parsed.sign(),
      float: formatGo(parsed.approximate()),
    };
  },
};

/** Exact, in units of 10^-9; the vectors write `?` where the number has digits below that, which only a zero can. */
function inNano(quantity: Quantity): string {
  const { digits, exponent } = quantity.exact();
  return exponent < -9 ? '?' : (digits * 10n ** BigInt(exponent + 9)).toString();
}

/** As Go's `strconv.FormatFloat(value, 'g', -1, 64)`: with an exponent, of two digits at least, below -4 and from 6 on. */
function formatGo(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
