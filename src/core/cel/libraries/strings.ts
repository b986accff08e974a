import { method, overload, type CelFunction } from '../declarations.js';
import { printed } from '../operations.js';
import { DYN, INT, listOf, STRING } from '../types.js';
import { CelError, type Value } from '../values.js';
import { formatted } from './string-format.js';

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

const isOutside = (index: bigint, length: number): boolean => index < 0n || index > BigInt(length);

function charAt(text: string, index: bigint): Value {
  const points = Array.from(text);
  return isOutside(index, points.length) ? outOfRange(index) : (points[Number(index)] ?? '');
}

function isAt(points: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((point, index) => points[at + index] === point);
}

function indexOf(text: string, part: string, offset: bigint): Value {
  if (part === '') return offset;
  if (offset < 0n) return outOfRange(offset);
  const points = Array.from(text);
  const wanted = Array.from(part);
  if (offset >= BigInt(points.length)) return -1n;
  for (let at = Number(offset); at + wanted.length <= points.length; at += 1) {
    if (isAt(points, wanted, at)) return BigInt(at);
  }
  return -1n;
}

function lastIndexOf(text: string, part: string, given?: bigint): Value {
  const points = Array.from(text);
  const wanted = Array.from(part);
  if (part === '') return given ?? BigInt(points.length);
  const offset = given ?? BigInt(points.length - 1);
  if (given === undefined && points.length < wanted.length) return -1n;
  if (offset < 0n) return outOfRange(offset);
  if (offset >= BigInt(points.length)) return -1n;
  for (let at = Math.min(Number(offset), points.length - wanted.length); at >= 0; at -= 1) {
    if (isAt(points, wanted, at)) return BigInt(at);
  }
  return -1n;
}

/** Go's `strings.Replace`; all of them where `most` is negative. */
function replace(text: string, old: string, by: string, most: bigint): string {
  const limit = most < 0n ? Infinity : Number(most);
  if (limit === 0 || old === by) return text;
  if (old === '') {
    const points = Array.from(text);
    const replaced = points.map((point, index) => (index < limit ? by + point : point)).join('');
    return points.length < limit ? replaced + by : replaced;
  }
  const parts = text.split(old);
  return parts.reduce((joined, part, index) => joined + (index <= limit ? by : old) + part);
}

/** Go's `strings.SplitN`; all parts where `most` is negative. */
function split(text: string, separator: string, most: bigint): string[] {
  if (most === 0n) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  const limit = most < 0n ? Infinity : Number(most);
  if (parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function substring(text: string, start: bigint, end?: bigint): Value {
  const points = Array.from(text);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (isOutside(start, points.length)) return outOfRange(start);
  if (end !== undefined && isOutside(end, points.length)) return outOfRange(end);
  return points.slice(Number(start), end === undefined ? undefined : Number(end)).join('');
}

/** What Go's `unicode.IsSpace` holds for. */
const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING = new RegExp(`^${SPACE}+`);
const SPACE_CHARACTER = new RegExp(SPACE);

/** Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  const from = LEADING.exec(text)?.[0].length ?? 0;
  let to = text.length;
  while (to > from && SPACE_CHARACTER.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

const QUOTED: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

const quote = (text: string): string =>
  `"${Array.from(text)
    .map((character) => QUOTED.get(character) ?? character)
    .join('')}"`;

function join(list: readonly Value[], separator: string): Value {
  const other = list.find((item) => typeof item !== 'string');
  return other === undefined
    ? (list as readonly string[]).join(separator)
    : new CelError(`join: invalid input: ${printed(other)}`);
}

/** Calls with arguments that the signature has made sure of. */
type Run = (...args: never[]) => Value;
const run = (fn: Run): ((...args: Value[]) => Value) => fn as (...args: Value[]) => Value;

/** cel-go v0.26.0, ext/strings.go, version 2. */
export const STRINGS: readonly CelFunction[] = [
  { name: 'charAt', overloads: [method('string_char_at_int', [STRING, INT], STRING, run(charAt))] },
  {
    name: 'indexOf',
    overloads: [
      method(
        'string_index_of_string',
        [STRING, STRING],
        INT,
        run((text: string, part: string) => indexOf(text, part, 0n)),
      ),
      method('string_index_of_string_int', [STRING, STRING, INT], INT, run(indexOf)),
    ],
  },
  {
    name: 'lastIndexOf',
    overloads: [
      method('string_last_index_of_string', [STRING, STRING], INT, run(lastIndexOf)),
      method('string_last_index_of_string_int', [STRING, STRING, INT], INT, run(lastIndexOf)),
    ],
  },
  { name: 'lowerAscii', overloads: [method('string_lower_ascii', [STRING], STRING, run(lower))] },
  {
    name: 'replace',
    overloads: [
      method(
        'string_replace_string_string',
        [STRING, STRING, STRING],
        STRING,
        run((text: string, old: string, by: string) => replace(text, old, by, -1n)),
      ),
      method('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, run(replace)),
    ],
  },
  {
    name: 'split',
    overloads: [
      method(
        'string_split_string',
        [STRING, STRING],
        listOf(STRING),
        run((text: string, separator: string) => split(text, separator, -1n)),
      ),
      method('string_split_string_int', [STRING, STRING, INT], listOf(STRING), run(split)),
    ],
  },
  {
    name: 'substring',
    overloads: [
      method('string_substring_int', [STRING, INT], STRING, run(substring)),
      method('string_substring_int_int', [STRING, INT, INT], STRING, run(substring)),
    ],
  },
  { name: 'trim', overloads: [method('string_trim', [STRING], STRING, run(trimSpace))] },
  { name: 'upperAscii', overloads: [method('string_upper_ascii', [STRING], STRING, run(upper))] },
  { name: 'format', overloads: [method('string_format', [STRING, listOf(DYN)], STRING, run(formatted))] },
  { name: 'strings.quote', overloads: [overload('strings_quote', [STRING], STRING, run(quote))] },
  {
    name: 'join',
    overloads: [
      method(
        'list_join',
        [listOf(STRING)],
        STRING,
        run((list: readonly Value[]) => join(list, '')),
      ),
      method('list_join_string', [listOf(STRING), STRING], STRING, run(join)),
    ],
  },
];
