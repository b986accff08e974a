import { CelUnsupported } from '../errors.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { doubleText } from '../operations.js';
import { textOfUtf8, utf8 } from '../unescape.js';
import { CelError, CelMap, isList, typeNameOf, Uint, type Value } from '../values.js';
import { CONVERSIONS } from './conversions.js';

/** A format that is none, or an argument that does not fit it, with cel-go's words. */
export class FormatError extends Error {
  override readonly name = 'FormatError';

  constructor(
    message: string,
    /** The argument that it is about. */
    readonly argument?: number,
  ) {
    super(message);
  }
}

/** What a clause such as `%.2f` asks for. */
export interface Clause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  readonly precision: number | undefined;
}

/**
 * Goes through a format, with the text of each clause by `write`, which throws what is wrong with the argument.
 *
 * Source: cel-go v0.26.0, ext/formatting.go, `parseFormatString`.
 *
 * @returns the text, and how many arguments were asked for
 * @throws {FormatError}
 */
export function format(
  text: string,
  count: number,
  write: (clause: Clause, index: number) => string,
): { readonly text: string; readonly used: number } {
  let written = '';
  let used = 0;
  for (let at = 0; at < text.length;) {
    const percent = text.indexOf('%', at);
    if (percent === -1) return { text: written + text.slice(at), used };
    written += text.slice(at, percent);
    if (text.charAt(percent + 1) === '%') {
      written += '%';
      at = percent + 2;
      continue;
    }
    if (used >= count) throw new FormatError(`index ${used} out of range`);
    if (percent + 1 >= text.length) throw new FormatError('unexpected end of string');
    const { clause, end } = clauseAt(text, percent + 1);
    written += during(() => write(clause, used), used);
    at = end;
    used += 1;
  }
  return { text: written, used };
}

function during(write: () => string, index: number): string {
  try {
    return write();
  } catch (error) {
    if (error instanceof FormatError) {
      throw new FormatError(`error during formatting: ${error.message}`, error.argument ?? index);
    }
    throw error;
  }
}

function clauseAt(text: string, start: number): { readonly clause: Clause; readonly end: number } {
  const problem = (what: string): FormatError => new FormatError(`could not parse formatting clause: ${what}`);
  let at = start;
  let precision: number | undefined;
  if (text.charAt(at) === '.') {
    const digits = /^[0-9]*/.exec(text.slice(at + 1))![0];
    at += 1 + digits.length;
    const precisionProblem = (what: string): FormatError => problem(`error while parsing precision: ${what}`);
    if (at >= text.length) throw precisionProblem('could not find end of precision specifier');
    if (digits === '') {
      throw precisionProblem('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
    }
    precision = Number(digits);
    if (precision > 100) throw new CelUnsupported('a precision of more than 100 digits');
  }
  const verb = text.charAt(at);
  if (verb === '' || !'sdfebxXo'.includes(verb)) {
    const byte = String.fromCharCode(utf8(String.fromCodePoint(text.codePointAt(at)!))[0]!);
    throw problem(`unrecognized formatting clause "${byte}"`);
  }
  return { clause: { verb: verb as Clause['verb'], precision }, end: at + 1 };
}

const COMPLAINTS: Readonly<Record<Clause['verb'], string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** An argument of a type that a clause does not take. */
export const misfit = (verb: Clause['verb'], type: string): FormatError =>
  new FormatError(`${COMPLAINTS[verb]}, was given ${type}`);

/** `text.format(args)`. */
export function formatted(text: string, args: readonly Value[]): Value {
  try {
    return format(text, args.length, (clause, index) => clauseText(clause, args[index]!)).text;
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}

function clauseText({ verb, precision = 6 }: Clause, value: Value): string {
  switch (verb) {
    case 's':
      return stringText(value);
    case 'd':
      return integerOf(value)?.toString() ?? refuse(verb, value);
    case 'f':
      return fixedText(value, precision);
    case 'e':
      if (typeof value !== 'number' && !isSpecial(value)) return refuse(verb, value);
      throw new CelUnsupported('the format %e');
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integerOf(value)?.toString(2) ?? refuse(verb, value);
    case 'o':
      return integerOf(value)?.toString(8) ?? refuse(verb, value);
    default: {
      const hex = hexText(value) ?? refuse(verb, value);
      return verb === 'X' ? hex.toUpperCase() : hex;
    }
  }
}

function refuse(verb: Clause['verb'], value: Value): never {
  throw misfit(verb, typeNameOf(value));
}

const integerOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;

function hexText(value: Value): string | undefined {
  const integer = integerOf(value);
  if (integer !== undefined) return integer.toString(16);
  const bytes = typeof value === 'string' ? utf8(value) : value instanceof Uint8Array ? [...value] : undefined;
  return bytes?.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const isSpecial = (value: Value): boolean => value === 'NaN' || value === 'Infinity' || value === '-Infinity';

/** As golang.org/x/text writes a number for the locale `en_US`: with commas between thousands. */
function fixedText(value: Value, precision: number): string {
  const number = isSpecial(value) ? Number(value) : value;
  if (typeof number !== 'number') return refuse('f', value);
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '∞' : '-∞';
  const fraction = /\.([0-9]*)/.exec(doubleText(number))?.[1] ?? '';
  if (fraction.length === precision + 1 && fraction.endsWith('5'))
    throw new CelUnsupported('a number between two that %f can write');
  if (Math.abs(number) >= 1e15) throw new CelUnsupported('the format %f of a number of that size');
  const [whole = '', rest] = number.toFixed(precision).split('.');
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

const STRING_CONVERSION = CONVERSIONS.find(({ name }) => name === 'string')!;
const CONVERTED: ReadonlyMap<string, string> = new Map([
  ['bool', 'bool_to_string'],
  ['bytes', 'bytes_to_string'],
  ['double', 'double_to_string'],
  ['google.protobuf.Duration', 'duration_to_string'],
  ['google.protobuf.Timestamp', 'timestamp_to_string'],
  ['int', 'int64_to_string'],
  ['string', 'string_to_string'],
  ['uint', 'uint64_to_string'],
]);

function stringText(value: Value): string {
  if (value === null) return 'null';
  if (isList(value)) return `[${value.map(memberText).join(', ')}]`;
  if (value instanceof CelMap) return mapText(value);
  const type = typeNameOf(value);
  if (type === 'type') return (value as { name?: string }).name ?? '';
  const id = CONVERTED.get(type);
  if (id === undefined) return refuse('s', value);
  if (value instanceof Uint8Array && textOfUtf8(value) === undefined) {
    throw new FormatError('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string');
  }
  return STRING_CONVERSION.overloads.find((one) => one.id === id)!.run!(value) as string;
}

function memberText(value: Value): string {
  if (typeof value === 'string') return quoteGo(value);
  if (value instanceof Uint8Array) return `b${quoteGo(stringText(value))}`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return quoteGo(doubleText(value));
    if (Math.abs(value) >= 1e21) throw new CelUnsupported('the format of a number of that size');
    return value.toFixed(6);
  }
  const type = typeNameOf(value);
  if (type === 'google.protobuf.Duration') return `duration(${quoteGo(stringText(value))})`;
  if (type === 'google.protobuf.Timestamp') return `timestamp(${quoteGo(stringText(value))})`;
  if (!isList(value) && !(value instanceof CelMap) && value !== null && type !== 'type' && !CONVERTED.has(type)) {
    throw new FormatError(`no formatting function for ${type}`);
  }
  return stringText(value);
}

function mapText(map: CelMap): string {
  const entries = map.all().map(([key, value]) => {
    if (typeof key === 'number') throw new FormatError('no formatting function for map key of type double');
    return [memberText(key), memberText(value)] as const;
  });
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
