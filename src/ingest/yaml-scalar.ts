/** A plain YAML scalar that JSON cannot represent: `.nan`, `.inf`. */
export class UnrepresentableScalar extends Error {}

type Scalar = null | boolean | number | bigint | string;

const WORDS = new Map<string, null | boolean>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);
const NOT_FINITE = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;
const DOT_FLOAT = /^\.[0-9]+([eE][-+]?[0-9]+)?$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+)$/;
/** More digits than any 64-bit integer has in any base; longer ones are not computed. */
const MAX_DIGITS = 100;

/**
 * The meaning of a plain scalar for kubectl: `resolve` of sigs.k8s.io/yaml v1.6.0, goyaml.v2, which mostly follows YAML 1.1.
 * `yes`, `on`, `y` are booleans; `0777`, `0o777`, `0x1F`, `0b11` and `1_000` are integers; a time stays a string; `12:30` is a
 * string. An integer beyond 64 bits becomes a float.
 *
 * @throws UnrepresentableScalar for a number that JSON cannot represent.
 */
export function resolvePlainScalar(source: string): Scalar {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  const first = source.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (NOT_FINITE.test(source)) throw new UnrepresentableScalar(`${source} is not a JSON number`);
  if (first === 0x2e) return DOT_FLOAT.test(source) ? finite(source) : source;
  if (!isDigit && first !== 0x2b && first !== 0x2d) return source;
  const plain = source.replaceAll('_', '');
  const integer = plain.length <= MAX_DIGITS ? INTEGER.exec(plain) : null;
  if (integer !== null) {
    const value = integerOf(integer[1] === '-', integer[2]!);
    if (value !== undefined) return value;
  }
  return FLOAT.test(plain) ? finite(plain) : source;
}

/** An int64 or uint64; undefined for a larger number. */
function integerOf(negative: boolean, digits: string): number | bigint | undefined {
  const octal = /^0[0-7]+$/.test(digits);
  const magnitude = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  if (magnitude > (negative ? 1n << 63n : (1n << 64n) - 1n)) return undefined;
  const value = negative ? -magnitude : magnitude;
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** A literal beyond the range of a float stays a string, because strconv.ParseFloat rejects it. */
function finite(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/**
 * A mapping key in JSON: `convertToJSONableObject` of sigs.k8s.io/yaml v1.6.0 converts integers, floats and booleans to text,
 * so that `yes: 1` has the key `true`. Returns undefined for null, which it rejects.
 */
export function keyText(key: Scalar): string | undefined {
  if (key === null) return undefined;
  if (typeof key !== 'number' || Number.isInteger(key)) return String(key);
  return shortestFloat32(key);
}

/** Go's `strconv.FormatFloat(value, 'g', -1, 32)`: the fewest digits that identify the 32-bit float. */
function shortestFloat32(value: number): string {
  const wanted = Math.fround(value);
  let digits = 1;
  while (digits < 17 && Math.fround(Number(wanted.toPrecision(digits))) !== wanted) digits++;
  const [mantissa, exponentText] = Number(wanted.toPrecision(digits)).toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 21) return String(Number(wanted.toPrecision(digits)));
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa!}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
