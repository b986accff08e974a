/**
 * The two representations of a quantity's number upstream, and its arithmetic on them (k8s.io/apimachinery v0.36.2,
 * pkg/api/resource/amount.go, math.go and scale_int.go; gopkg.in/inf.v0 v0.9.1).
 *
 * `Int64Amount` is `value * 10^scale` with an int64 value. `DecimalAmount` is `unscaled * 10^zeros / 10^scale`; `zeros` exists
 * only here, so that the digits of a number such as `1e99999999999` are never written out; upstream has `unscaled * 10^zeros`
 * as one big integer. The representation affects int64 overflow and the rounding of negative numbers, so it is reproduced
 * rather than simplified.
 */
export interface Int64Amount {
  readonly kind: 'int64';
  readonly value: bigint;
  /** The power of ten, an int32. */
  readonly scale: number;
}

export interface DecimalAmount {
  readonly kind: 'decimal';
  readonly unscaled: bigint;
  /** The trailing zeros of upstream's unscaled number that are not written out; above 0 only for very large numbers. */
  readonly zeros: number;
  /** The number of digits after the decimal point, an int32: the negated power of ten. */
  readonly scale: number;
}

export type Amount = Int64Amount | DecimalAmount;

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);

/** Up to this many zeros are written out. */
const WRITTEN_ZEROS = 1_000;
/**
 * If two numbers are further apart than this many digits, the smaller one is ignored in a sum. Upstream would need gigabytes
 * for the exact result; no real amounts are this far apart.
 */
const ADDED_DIGITS = 100_000;

const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

export const powerOfTen = (exponent: number): bigint => POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);

const int32 = (value: number): number => value | 0;
const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const fitsInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;
const abs = (value: bigint): bigint => (value < 0n ? -value : value);
const signOf = (value: bigint): -1 | 0 | 1 => (value > 0n ? 1 : value < 0n ? -1 : 0);

export function int64Amount(value: bigint, scale = 0): Int64Amount {
  return { kind: 'int64', value, scale };
}

export function decimalAmount(unscaled: bigint, zeros: number, scale: number): DecimalAmount {
  if (unscaled === 0n) return { kind: 'decimal', unscaled, zeros: 0, scale };
  if (zeros === 0 || zeros > WRITTEN_ZEROS) return { kind: 'decimal', unscaled, zeros, scale };
  return { kind: 'decimal', unscaled: unscaled * powerOfTen(zeros), zeros: 0, scale };
}

export function toDecimal(amount: Amount): DecimalAmount {
  return amount.kind === 'decimal' ? amount : decimalAmount(amount.value, 0, int32(-amount.scale));
}

export function signOfAmount(amount: Amount): -1 | 0 | 1 {
  return signOf(amount.kind === 'int64' ? amount.value : amount.unscaled);
}

export function negateAmount(amount: Amount): Amount {
  if (amount.kind === 'int64') return int64Amount(int64(-amount.value), amount.scale);
  return decimalAmount(-amount.unscaled, amount.zeros, amount.scale);
}

/**
 * Whether |value| is certainly below 10^digits. It may return false for a value that is only slightly below, which costs time
 * but changes no result.
 */
function certainlyBelow(value: bigint, digits: number): boolean {
  // A hexadecimal digit corresponds to 1.2042 decimal digits.
  return abs(value).toString(16).length * 1.2042 <= digits;
}

/** `inf.Dec.Round` with `RoundUp`: rounded away from zero to exactly `scale` digits after the point. */
export function roundDecimal(amount: DecimalAmount, scale: number): DecimalAmount {
  // Upstream computes the difference as an int32, which may overflow.
  const shift = int32(scale - amount.scale);
  if (shift >= 0) return decimalAmount(amount.unscaled, amount.zeros + shift, scale);
  if (amount.zeros >= -shift) return decimalAmount(amount.unscaled, amount.zeros + shift, scale);
  const dropped = -shift - amount.zeros;
  if (amount.unscaled === 0n) return decimalAmount(0n, 0, scale);
  if (certainlyBelow(amount.unscaled, dropped)) return decimalAmount(BigInt(signOf(amount.unscaled)), 0, scale);
  const divisor = powerOfTen(dropped);
  const quotient = amount.unscaled / divisor;
  const inexact = quotient * divisor !== amount.unscaled;
  return decimalAmount(inexact ? quotient + BigInt(signOf(amount.unscaled)) : quotient, 0, scale);
}

/** The value in units of 10^digits, rounded away from zero, and whether the result is exact. */
function scaleDown(value: bigint, digits: number): readonly [bigint, boolean] {
  if (digits >= POWERS_OF_TEN.length) return [BigInt(signOf(value)), value === 0n];
  const divisor = powerOfTen(digits);
  const quotient = value / divisor;
  const exact = quotient * divisor === value;
  return [exact ? quotient : quotient + BigInt(signOf(value)), exact];
}

/** `AsScale`: the amount rounded away from zero to at least this power of ten, and whether the result is exact. */
export function amountAtScale(amount: Amount, scale: number): readonly [Amount, boolean] {
  if (amount.kind === 'decimal') {
    const rounded = roundDecimal(amount, -scale);
    return [rounded, compareAmounts(rounded, amount) === 0];
  }
  if (amount.scale >= scale) return [amount, true];
  const [value, exact] = scaleDown(amount.value, scale - amount.scale);
  return [int64Amount(value, scale), exact];
}

const WRAPPING_SCALES: ReadonlySet<number> = new Set([1, 2, 3, 6, 9]);

/**
 * `positiveScaleInt64`: value * 10^digits, and whether it overflows.
 *
 * On overflow `value` is what upstream's callers get: the lower 64 bits of the product for factors that upstream applies in
 * one step, otherwise 0.
 */
function scaleUp(value: bigint, digits: number): { readonly value: bigint; readonly overflowed: boolean } {
  // A number of digits that overflowed to a negative one has no effect.
  if (digits <= 0 || value === 0n) return { value, overflowed: false };
  if (digits < POWERS_OF_TEN.length) {
    const product = value * powerOfTen(digits);
    if (fitsInt64(product) && value !== INT64_MIN) return { value: product, overflowed: false };
    if (WRAPPING_SCALES.has(digits) && value !== INT64_MIN) return { value: int64(product), overflowed: true };
  }
  return { value: 0n, overflowed: true };
}

/** `int64Amount.Add`: undefined if the sum overflows; the caller then uses decimals. */
function addInt64(a: Int64Amount, b: Int64Amount): Int64Amount | undefined {
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  const left = scaleUp(a.value, int32(a.scale - scale));
  const right = scaleUp(b.value, int32(b.scale - scale));
  const sum = left.value + right.value;
  return left.overflowed || right.overflowed || !fitsInt64(sum) ? undefined : int64Amount(sum, scale);
}

/** `inf.Dec.Add`: the sum has as many digits after the point as the operand with more of them. */
function addDecimal(a: DecimalAmount, b: DecimalAmount): DecimalAmount {
  const scale = Math.max(a.scale, b.scale);
  const zerosOfA = a.zeros + scale - a.scale;
  const zerosOfB = b.zeros + scale - b.scale;
  if (a.unscaled === 0n) return decimalAmount(b.unscaled, zerosOfB, scale);
  if (b.unscaled === 0n) return decimalAmount(a.unscaled, zerosOfA, scale);
  const common = Math.min(zerosOfA, zerosOfB);
  const gap = Math.max(zerosOfA, zerosOfB) - common;
  const [high, low] = zerosOfA > zerosOfB ? [a.unscaled, b.unscaled] : [b.unscaled, a.unscaled];
  if (gap > ADDED_DIGITS && certainlyBelow(low, gap)) return decimalAmount(high, common + gap, scale);
  return decimalAmount(high * powerOfTen(gap) + low, common, scale);
}

export function addAmounts(a: Amount, b: Amount): Amount {
  const sum = a.kind === 'int64' && b.kind === 'int64' ? addInt64(a, b) : undefined;
  return sum ?? addDecimal(toDecimal(a), toDecimal(b));
}

export function subtractAmounts(a: Amount, b: Amount): Amount {
  if (a.kind === 'int64' && b.kind === 'int64') {
    // Negating the smallest int64 returns the same number, as upstream.
    const difference = addInt64(a, int64Amount(int64(-b.value), b.scale));
    if (difference !== undefined) return difference;
  }
  const subtrahend = toDecimal(b);
  return addDecimal(toDecimal(a), decimalAmount(-subtrahend.unscaled, subtrahend.zeros, subtrahend.scale));
}

/** Compares by value. The cost depends on the operands' own digits, not on the difference of their exponents. */
export function compareAmounts(a: Amount, b: Amount): -1 | 0 | 1 {
  if (a.kind === 'int64' && b.kind === 'int64' && a.scale === b.scale) return signOf(a.value - b.value);
  const sign = signOfAmount(a);
  const other = signOfAmount(b);
  if (sign !== other) return sign > other ? 1 : -1;
  if (sign === 0) return 0;
  const left = digitsAndExponent(a);
  const right = digitsAndExponent(b);
  const exponent = Math.min(left.exponent, right.exponent);
  const gapOfLeft = left.exponent - exponent;
  const gapOfRight = right.exponent - exponent;
  if (gapOfLeft > 0 && certainlyBelow(right.digits, gapOfLeft)) return sign;
  if (gapOfRight > 0 && certainlyBelow(left.digits, gapOfRight)) return sign === 1 ? -1 : 1;
  return signOf(left.digits * powerOfTen(gapOfLeft) - right.digits * powerOfTen(gapOfRight));
}

/** The number as `digits * 10^exponent`. */
export function digitsAndExponent(amount: Amount): { readonly digits: bigint; readonly exponent: number } {
  return amount.kind === 'int64'
    ? { digits: amount.value, exponent: amount.scale }
    : { digits: amount.unscaled, exponent: amount.zeros - amount.scale };
}

/** The lower 64 bits of upstream's unscaled number (`big.Int.Int64`). */
function unscaledInt64(amount: DecimalAmount): bigint {
  // 10^64 is a multiple of 2^64.
  return amount.zeros >= 64 ? 0n : int64(amount.unscaled * powerOfTen(amount.zeros));
}

/** `int64(math.Pow10(n))` on amd64: the smallest int64 if the result is beyond int64 or infinite. */
const powerOfTenInt64 = (exponent: number): bigint => (exponent <= 18 ? powerOfTen(exponent) : INT64_MIN);

/**
 * `ScaledValue`: the value in units of 10^scale as an int64, rounded up.
 *
 * "Up" is away from zero for Int64Amount. For DecimalAmount it adds one to the truncated quotient, so that -1.5 as a decimal
 * becomes 0. A value beyond int64 has upstream's result: mostly the lower bits, or 0.
 */
export function scaledInt64(amount: Amount, scale: number): bigint {
  if (amount.kind === 'int64') {
    if (amount.scale < scale) {
      const digits = int32(scale - amount.scale);
      return digits <= 0 ? amount.value : scaleDown(amount.value, digits)[0];
    }
    return scaleUp(amount.value, int32(amount.scale - scale)).value;
  }
  const difference = amount.scale + scale;
  if (difference === 0) return unscaledInt64(amount);
  if (difference < 0) return int64(unscaledInt64(amount) * powerOfTenInt64(-difference));
  if (difference < 19 && (amount.unscaled < 0n || (amount.zeros === 0 && amount.unscaled < INT64_MAX))) {
    const lower = unscaledInt64(amount);
    const divisor = powerOfTen(difference);
    return lower % divisor === 0n ? lower / divisor : int64(lower / divisor + 1n);
  }
  return floorOf(amount, difference);
}

/** Floored division by 10^digits, plus one if it is not exact, in 64 bits. */
function floorOf(amount: DecimalAmount, digits: number): bigint {
  if (amount.zeros >= digits) {
    const zeros = amount.zeros - digits;
    return zeros >= 64 ? 0n : int64(amount.unscaled * powerOfTen(zeros));
  }
  const dropped = digits - amount.zeros;
  if (amount.unscaled === 0n) return 0n;
  if (certainlyBelow(amount.unscaled, dropped)) return amount.unscaled > 0n ? 1n : 0n;
  const divisor = powerOfTen(dropped);
  const quotient = amount.unscaled / divisor;
  if (quotient * divisor === amount.unscaled) return int64(quotient);
  return int64(amount.unscaled < 0n ? quotient : quotient + 1n);
}
