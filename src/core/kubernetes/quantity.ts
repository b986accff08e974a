import {
  addAmounts,
  amountAtScale,
  compareAmounts,
  decimalAmount,
  digitsAndExponent,
  int64Amount,
  negateAmount,
  powerOfTen,
  roundDecimal,
  scaledInt64,
  signOfAmount,
  subtractAmounts,
  toDecimal,
  INT64_MAX,
  type Amount,
} from './quantity-amount.js';
import { binarySuffix, decimalSuffix, interpretSuffix, type QuantityFormat } from './quantity-suffix.js';

export type { QuantityFormat } from './quantity-suffix.js';

export type QuantityErrorCode = 'quantity-format' | 'quantity-number' | 'quantity-suffix' | 'quantity-length';

const MESSAGES: Readonly<Record<QuantityErrorCode, string>> = {
  'quantity-format': "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  'quantity-number': 'unable to parse numeric part of quantity',
  'quantity-suffix': "unable to parse quantity's suffix",
  'quantity-length': 'must have no more than 1000 significant digits',
};

/** Text that is not a quantity; the message is Kubernetes' own, except for `quantity-length`. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';

  constructor(readonly code: QuantityErrorCode) {
    super(MESSAGES[code]);
  }
}

/**
 * The maximum number of digits from the first that is not 0. Upstream has no such limit, and the API server accepts 3 MiB of
 * digits; but arithmetic on such numbers blocks other work for seconds, and real quantities are shorter.
 */
const MAX_DIGITS = 1000;
const NANO = -9;
const MILLI = -3;
/**
 * With more trailing zeros than this, a binary quantity is written with a decimal exponent; upstream would write out the
 * zeros.
 */
const WRITTEN_BINARY_ZEROS = 100_000;

function leadingZeros(digits: string): number {
  let count = 0;
  while (digits[count] === '0') count += 1;
  return count;
}

/**
 * A Kubernetes quantity: an exact number with its notation (`resource.Quantity`, k8s.io/apimachinery v0.36.2,
 * pkg/api/resource/quantity.go). Immutable.
 *
 * `toString` returns the parsed text if upstream keeps it (`+1`, `007`, `1E3`), otherwise the canonical form. The result of
 * arithmetic is always in canonical form, in the format of the left operand, or of the right one if the left is zero: `64Mi` +
 * `100M` is `167108864`, `0` + `1Gi` is `1Gi`.
 */
export class Quantity {
  private text: string | undefined;

  private constructor(
    private readonly amount: Amount,
    /** Empty only for the quantity that JSON null decodes to. */
    readonly format: QuantityFormat | '',
    spelling?: string,
  ) {
    this.text = spelling;
  }

  static readonly ZERO = new Quantity(int64Amount(0n), 'DecimalSI', '0');

  /** A quantity of value * 10^scale; value is an int64. */
  static of(value: bigint | number, format: QuantityFormat = 'DecimalSI', scale = 0): Quantity {
    return new Quantity(int64Amount(BigInt(value), scale), format);
  }

  /** The same as {@link parseQuantity}, without its cache. */
  static parse(text: string): Quantity {
    if (text === '') throw new QuantityError('quantity-format');
    if (text === '0') return Quantity.ZERO;
    const { positive, value, numerator, denominator, suffix } = split(text);
    const meaning = interpretSuffix(suffix);
    if (meaning === undefined) throw new QuantityError('quantity-suffix');
    const { format, exponent } = meaning;
    const digits = numerator.length + denominator.length;
    if (digits > MAX_DIGITS && digits - leadingZeros(numerator + denominator) > MAX_DIGITS) {
      throw new QuantityError('quantity-length');
    }
    return (
      Quantity.parseSmall(text, positive, numerator, denominator, format, exponent) ??
      Quantity.parseLarge(value, format, exponent)
    );
  }

  /** Parses the numbers that upstream represents as int64: up to 18 digits, fewer for binary ones, and none below nano. */
  private static parseSmall(
    text: string,
    positive: boolean,
    numerator: string,
    denominator: string,
    format: QuantityFormat,
    exponent: number,
  ): Quantity | undefined {
    const binary = format === 'BinarySI';
    if (binary && (denominator !== '' || numerator.length + (exponent / 10) * 3 > 14)) return undefined;
    if (!binary && numerator.length + denominator.length > 18) return undefined;
    const scale = binary ? 0 : (exponent - denominator.length) | 0;
    if (scale < NANO) return undefined;
    const digits = numerator + denominator;
    const number = BigInt(digits);
    const magnitude = binary ? number << BigInt(exponent) : number;
    const keepsSpelling = binary
      ? (number & 7n) !== 0n
      : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
    const amount = int64Amount(positive ? magnitude : -magnitude, scale);
    return new Quantity(amount, format, keepsSpelling ? text : undefined);
  }

  /** Parses all other numbers: decimals of any length, rounded away from zero to nano; binary ones are capped at int64. */
  private static parseLarge(value: string, format: QuantityFormat, exponent: number): Quantity {
    const point = value.indexOf('.');
    const digits = value.replace('.', '').replace(/^[+-]/, '');
    if (digits === '') throw new QuantityError('quantity-number');
    const fraction = point < 0 ? 0 : value.length - point - 1;
    const binary = format === 'BinarySI';
    const number = binary ? BigInt(digits) << BigInt(exponent) : BigInt(digits);
    let magnitude = decimalAmount(number, 0, binary ? fraction : (fraction - exponent) | 0);
    if (number !== 0n) magnitude = roundDecimal(magnitude, -NANO);
    if (binary && compareAmounts(magnitude, int64Amount(INT64_MAX)) > 0) magnitude = decimalAmount(INT64_MAX, 0, 0);
    const belowOne = binary && number !== 0n && compareAmounts(magnitude, int64Amount(1n)) < 0;
    const amount = value.startsWith('-') ? negateAmount(magnitude) : magnitude;
    return new Quantity(amount, belowOne ? 'DecimalSI' : format);
  }

  /** The quantity that JSON null in a resource list decodes to: zero, without a format. */
  static readonly NULL = new Quantity(int64Amount(0n), '');

  isZero(): boolean {
    return this.sign() === 0;
  }

  sign(): -1 | 0 | 1 {
    return signOfAmount(this.amount);
  }

  /** -1, 0 or 1 if this value is less than, equal to or greater than the other one; the notation does not matter. */
  cmp(other: Quantity): -1 | 0 | 1 {
    return compareAmounts(this.amount, other.amount);
  }

  add(other: Quantity): Quantity {
    return new Quantity(addAmounts(this.amount, other.amount), this.isZero() ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    return new Quantity(subtractAmounts(this.amount, other.amount), this.isZero() ? other.format : this.format);
  }

  /** This quantity times `count`, a nonnegative integer. */
  times(count: number): Quantity {
    if (count === 0) return new Quantity(int64Amount(0n), this.format);
    if (count === 1) return this;
    const half = this.times(Math.floor(count / 2));
    const twice = half.add(half);
    return count % 2 === 0 ? twice : twice.add(this);
  }

  /** The same value in another format. */
  in(format: QuantityFormat): Quantity {
    return format === this.format ? this : new Quantity(this.amount, format);
  }

  neg(): Quantity {
    return new Quantity(negateAmount(this.amount), this.format);
  }

  /**
   * The larger of the two, or this one if they are equal.
   *
   * If this is a decimal and the other an int64, the result becomes a decimal, as in upstream's lists of maxima; that matters
   * only for overflow.
   */
  max(other: Quantity): Quantity {
    if (other.cmp(this) <= 0) return this;
    if (this.amount.kind === 'int64' || other.amount.kind === 'decimal') return other;
    return new Quantity(toDecimal(other.amount), other.format, other.text);
  }

  /** Rounds away from zero to 10^scale; keeps the notation only if the amount is an int64 that needs no rounding. */
  roundUp(scale: number): Quantity {
    if (this.amount.kind === 'int64' && this.amount.scale >= scale) return this;
    return new Quantity(amountAtScale(this.amount, scale)[0], this.format);
  }

  /** Rounds to thousandths like {@link roundUp}, as the API server's defaulting does for resource lists. */
  roundUpToMilli(): Quantity {
    return this.roundUp(MILLI);
  }

  /**
   * The value in whole units, rounded up, as an int64. A value beyond int64 has upstream's result: mostly the lower bits,
   * sometimes 0. Use {@link cmp} if that matters.
   */
  value(): bigint {
    return scaledInt64(this.amount, 0);
  }

  /** `AsInt64`: the value, if it is held as an int64 in whole units and fits one; a number that is held as a decimal does not count. */
  asInt64(): bigint | undefined {
    const { amount } = this;
    if (amount.kind !== 'int64' || amount.scale < 0) return undefined;
    const { digits, exponent } = digitsAndExponent(amount);
    if (digits === 0n) return 0n;
    const value = exponent > 18 ? undefined : digits * powerOfTen(exponent);
    return value === undefined || value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
  }

  /** The value in thousandths, as {@link value}: `100m` is 100, `1E` overflows to 0. */
  milliValue(): bigint {
    return scaledInt64(this.amount, MILLI);
  }

  /** The value in units of 10^scale, computed like {@link value}. */
  scaledValue(scale: number): bigint {
    return scaledInt64(this.amount, scale);
  }

  /** The exact value as `digits * 10^exponent`. The exponent may be in the billions, so do not write out the number. */
  exact(): { readonly digits: bigint; readonly exponent: number } {
    return digitsAndExponent(this.amount);
  }

  /** `AsApproximateFloat64`; infinite beyond the range of a double. No decision depends on it. */
  approximate(): number {
    const { amount } = this;
    const [base, exponent] =
      amount.kind === 'int64'
        ? [Number(amount.value), amount.scale]
        : // Zeros are not written out only for numbers beyond the range of a double.
          [amount.zeros > 0 ? Number(amount.unscaled) * Infinity : Number(amount.unscaled), -amount.scale];
    return exponent === 0 ? base : base * floatPowerOfTen(exponent);
  }

  toString(): string {
    this.text ??= this.canonical();
    return this.text;
  }

  toJSON(): string {
    return this.toString();
  }

  /**
   * The canonical form (`CanonicalizeBytes`): no fraction, and the largest possible exponent. A binary quantity between -1024
   * and 1024, or with a fraction, is written as a decimal one.
   */
  canonical(): string {
    if (this.isZero()) return '0';
    return (this.format === 'BinarySI' ? this.canonicalBinary() : undefined) ?? this.canonicalDecimal();
  }

  private canonicalBinary(): string | undefined {
    if (compareAmounts(this.amount, int64Amount(-1024n)) > 0 && compareAmounts(this.amount, int64Amount(1024n)) < 0) {
      return undefined;
    }
    const [rounded, exact] = amountAtScale(this.amount, 0);
    const { digits, exponent } = digitsAndExponent(rounded);
    if (!exact || exponent > WRITTEN_BINARY_ZEROS) return undefined;
    let number = digits * powerOfTen(exponent);
    let power = 0;
    for (const step of [64, 1]) {
      const bits = 10 * step;
      while (BigInt.asUintN(bits, number) === 0n) {
        number >>= BigInt(bits);
        power += step;
      }
    }
    return `${number}${binarySuffix(power)}`;
  }

  private canonicalDecimal(): string {
    const { digits, exponent: given } = digitsAndExponent(this.amount);
    const written = digits.toString();
    let end = written.length;
    while (written.charAt(end - 1) === '0') end -= 1;
    let exponent = (given + written.length - end) | 0;
    let zeros = '';
    while (exponent % 3 !== 0) {
      zeros += '0';
      exponent = (exponent - 1) | 0;
    }
    const beyondSuffixes = this.format === 'BinarySI' && exponent > WRITTEN_BINARY_ZEROS;
    const format =
      this.format === '' || this.format === 'DecimalExponent' || beyondSuffixes ? 'DecimalExponent' : 'DecimalSI';
    return written.slice(0, end) + zeros + decimalSuffix(exponent, format);
  }
}

interface Parts {
  readonly positive: boolean;
  /** The sign, digits and point that upstream's scanner accepts. */
  readonly value: string;
  /** Without leading zeros; `0` if there is none. */
  readonly numerator: string;
  readonly denominator: string;
  readonly suffix: string;
}

const ZERO_PARTS = { value: '0', numerator: '0', denominator: '', suffix: '' } as const;
const SIGN_AND_ZEROS = /^[+-]?0*/;
const DIGITS = /[0-9]*/y;
const SUFFIX = /[eEinumkKMGTP]*[+-]?[0-9]*/y;

function matchAt(pattern: RegExp, text: string, from: number): string {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? '';
}

/** `parseQuantityString`, which accepts more than the documented grammar, such as `+`, `.` and `Ki`, all of which are zero. */
function split(text: string): Parts {
  const positive = !text.startsWith('-');
  const start = SIGN_AND_ZEROS.exec(text)?.[0].length ?? 0;
  if (start === text.length) return { positive, ...ZERO_PARTS };
  const numerator = matchAt(DIGITS, text, start);
  let end = start + numerator.length;
  let denominator = '';
  if (text.startsWith('.', end)) {
    denominator = matchAt(DIGITS, text, end + 1);
    end += 1 + denominator.length;
  }
  const suffix = matchAt(SUFFIX, text, end);
  if (end + suffix.length !== text.length) throw new QuantityError('quantity-format');
  return { positive, value: text.slice(0, end), numerator: numerator === '' ? '0' : numerator, denominator, suffix };
}

const REMEMBERED = 4_096;
const REMEMBERED_LENGTH = 32;
const remembered = new Map<string, Quantity>();

/**
 * Parses a quantity like `resource.ParseQuantity` (k8s.io/apimachinery v0.36.2). Spaces are not allowed; a sign, leading
 * zeros, `.5`, `5.`, `1e3` and `1E` (Exa) are, as are `+`, `.` and `Ki`, which are zero.
 *
 * The cost depends on the length of the text, not on its exponent. Results are cached, up to a limit.
 *
 * @throws QuantityError
 */
export function parseQuantity(text: string): Quantity {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const quantity = Quantity.parse(text);
  if (text.length <= REMEMBERED_LENGTH) {
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(text, quantity);
  }
  return quantity;
}

/** White space that may be unescaped in a JSON string, and that Kubernetes' decoder trims from a quantity. */
const TRIMMED = /[ \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * Parses a quantity as the API server decodes it from JSON (`Quantity.UnmarshalJSON`): spaces around it are ignored; tabs and
 * line breaks, which JSON has to escape, are refused.
 *
 * @throws QuantityError
 */
export function decodeQuantity(text: string): Quantity {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  let start = 0;
  let end = text.length;
  // A regular expression with `+$` would take quadratic time for a long run of spaces.
  while (start < end && TRIMMED.test(text.charAt(start))) start += 1;
  while (end > start && TRIMMED.test(text.charAt(end - 1))) end -= 1;
  return parseQuantity(start === 0 && end === text.length ? text : text.slice(start, end));
}

const NEGATIVE_TABLE_END = -323;
const POSITIVE_TABLE_END = 308;

/** Go's `math.Pow10`, which computes negative exponents as quotients of entries of two tables. */
function floatPowerOfTen(exponent: number): number {
  if (exponent > POSITIVE_TABLE_END) return Infinity;
  if (exponent < NEGATIVE_TABLE_END) return 0;
  const steps = Math.floor(Math.abs(exponent) / 32) * 32;
  const rest = Number(`1e${Math.abs(exponent) - steps}`);
  return exponent >= 0 ? Number(`1e${steps}`) * rest : Number(`1e-${steps}`) / rest;
}
