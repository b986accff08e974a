/** The notation of a quantity (`resource.Format`, k8s.io/apimachinery v0.36.2, pkg/api/resource/quantity.go). */
export type QuantityFormat = 'DecimalSI' | 'DecimalExponent' | 'BinarySI';

/** The meaning of a suffix: a power of ten, or of two for BinarySI. */
export interface SuffixMeaning {
  readonly format: QuantityFormat;
  /** The exponent to base 10, or to base 2 for BinarySI; an int32. */
  readonly exponent: number;
}

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const MEANINGS: ReadonlyMap<string, SuffixMeaning> = new Map<string, SuffixMeaning>([
  ...BINARY.slice(1).map((suffix, index): [string, SuffixMeaning] => [
    suffix,
    { format: 'BinarySI', exponent: 10 * (index + 1) },
  ]),
  ...DECIMAL.map((suffix, index): [string, SuffixMeaning] => [
    suffix,
    { format: 'DecimalSI', exponent: 3 * index - 9 },
  ]),
]);

const INT64_MAX = 2n ** 63n - 1n;
const EXPONENT = /^[eE]([+-]?)0*([0-9]+)$/;
/** The number of decimal digits of the largest int64. */
const INT64_DIGITS = 19;

/**
 * Parses a suffix; undefined if Kubernetes refuses it: `K` and `mi` are invalid, and `E` alone is Exa.
 *
 * The exponent after `e` or `E` must be an int64, of which the lower 32 bits count: `e4294967296` is `e0`
 * (k8s.io/apimachinery v0.36.2, pkg/api/resource/suffix.go, `interpret`).
 */
export function interpretSuffix(suffix: string): SuffixMeaning | undefined {
  const known = MEANINGS.get(suffix);
  if (known !== undefined) return known;
  const match = EXPONENT.exec(suffix);
  if (match === null) return undefined;
  const [, sign = '', digits = ''] = match;
  if (digits.length > INT64_DIGITS) return undefined;
  const exponent = sign === '-' ? -BigInt(digits) : BigInt(digits);
  if (exponent > INT64_MAX || exponent < -INT64_MAX - 1n) return undefined;
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) };
}

/**
 * The suffix for a power of ten.
 *
 * DecimalSI has no suffix beyond `E`, and upstream then writes none: `1000E` becomes `1` (v0.36.2; later versions fix
 * this).
 */
export function decimalSuffix(exponent: number, format: 'DecimalSI' | 'DecimalExponent'): string {
  if (format === 'DecimalSI') return DECIMAL[exponent / 3 + 3] ?? '';
  return exponent === 0 ? '' : `e${exponent}`;
}

/** The suffix for a power of 1024; none beyond `Ei`, as upstream. */
export function binarySuffix(power: number): string {
  return BINARY[power] ?? '';
}
