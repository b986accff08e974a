import { JsonReader } from './json-reader.js';
import { JsonSyntaxError } from './json-syntax-error.js';
import type { JsonValue } from './json-value.js';

export { JsonSyntaxError };

export interface ParseJsonOptions {
  /** How many objects and arrays may lie inside each other; 1000 by default, and never more than 2000. */
  readonly maxDepth?: number;
  /** What a key given twice in one object does: the last one wins (as in JSON.parse and Go), or the text is refused. */
  readonly duplicateKeys?: 'last' | 'reject';
}

const DEFAULT_DEPTH = 1000;
/** The reader and the writer recurse; half of the stack that Node gives a program is used up at some 4000 levels. */
const GREATEST_DEPTH = 2000;
/** 2^53 has 16 digits; a shorter run of digits is an integer that a `number` holds. */
const LONG_DIGITS = /[0-9]{16}/;

/**
 * Reads one JSON document; integers beyond 2^53 - 1 become `bigint`, so that no int64 is rounded.
 *
 * @throws {JsonSyntaxError} with offset, line and column, when the text is not JSON, is nested too deep, or (with
 *   `duplicateKeys: 'reject'`) gives a key twice.
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): JsonValue {
  const maxDepth = Math.min(options.maxDepth ?? DEFAULT_DEPTH, GREATEST_DEPTH);
  const rejectDuplicates = options.duplicateKeys === 'reject';
  if (!rejectDuplicates && !LONG_DIGITS.test(text) && !isDeeperThan(text, maxDepth)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // Read again below, for the place of the error.
    }
  }
  return new JsonReader(text, maxDepth, rejectDuplicates).read();
}

/** Characters between two steps; some milliseconds of the costliest text. */
const STEP = 32 * 1024;

/** As `parseJson`, in steps: for a long text of a stranger. */
export function stepJson(text: string, options: ParseJsonOptions = {}): Generator<undefined, JsonValue, undefined> {
  const maxDepth = Math.min(options.maxDepth ?? DEFAULT_DEPTH, GREATEST_DEPTH);
  return new JsonReader(text, maxDepth, options.duplicateKeys === 'reject').steps(STEP);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether brackets outside strings open more than `depth` levels; one pass, without building anything. */
function isDeeperThan(text: string, depth: number): boolean {
  // Each level takes a character to open, so a short text cannot be deep.
  if (text.length <= depth) return false;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      level += 1;
      if (level > depth) return true;
    } else if (code === 0x7d || code === 0x5d) {
      level -= 1;
    }
  }
  return false;
}

/** The offset of the quote that closes the string opened at `start`, or the length of a text that never closes it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

export interface StringifyJsonOptions {
  /** Write the keys of every object in code unit order: the canonical form, equal for equal values. */
  readonly sortKeys?: boolean;
}

/**
 * Writes a value as JSON without white space; `bigint` bare, members that are undefined left out, keys in their own
 * order unless `sortKeys`.
 */
export function stringifyJson(value: unknown, options: StringifyJsonOptions = {}): string {
  const sortKeys = options.sortKeys === true;
  const ordered = sortKeys ? withSortedKeys(value) : value;
  if (ordered !== UNSORTABLE) {
    try {
      return JSON.stringify(ordered ?? null);
    } catch {
      // JSON.stringify refuses a bigint; write it below.
    }
  }
  return written(value, sortKeys) ?? 'null';
}

/** What `withSortedKeys` gives for a value whose keys the engine puts in an order of its own. */
const UNSORTABLE = Symbol('unsortable');
/** Integer-like keys come first in every object, by number; setting `__proto__` sets something else. */
const OUT_OF_ORDER_KEY = /^(?:[0-9]|__proto__$)/;

/** The value with the keys of every object in code unit order; whatever is in order already is not copied. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? arrayWithSortedKeys(value) : objectWithSortedKeys(value as Record<string, unknown>);
}

function arrayWithSortedKeys(array: readonly unknown[]): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < array.length; index += 1) {
    const item = array[index];
    const sorted = withSortedKeys(item);
    if (sorted === UNSORTABLE) return UNSORTABLE;
    if (sorted === item) continue;
    copy ??= array.slice();
    copy[index] = sorted;
  }
  return copy ?? array;
}

function objectWithSortedKeys(object: Readonly<Record<string, unknown>>): unknown {
  const keys = Object.keys(object);
  let inOrder = true;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    if (OUT_OF_ORDER_KEY.test(key)) return UNSORTABLE;
    if (index > 0 && key < keys[index - 1]!) inOrder = false;
  }
  if (!inOrder) keys.sort();
  let copy: Record<string, unknown> | undefined = inOrder ? undefined : {};
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    const member = object[key];
    const sorted = withSortedKeys(member);
    if (sorted === UNSORTABLE) return UNSORTABLE;
    if (copy === undefined) {
      if (sorted === member) continue;
      copy = {};
      for (let before = 0; before < index; before += 1) copy[keys[before]!] = object[keys[before]!];
    }
    copy[key] = sorted;
  }
  return copy ?? object;
}

/** The text of a value, or undefined for what JSON has no word for. */
function written(value: unknown, sortKeys: boolean): string | undefined {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => written(item, sortKeys) ?? 'null').join(',')}]`;
  if (value instanceof Date) return JSON.stringify(value);
  const keys = Object.keys(value);
  if (sortKeys) keys.sort();
  let text = '';
  for (const key of keys) {
    const member = written((value as Record<string, unknown>)[key], sortKeys);
    if (member !== undefined) text += `${text === '' ? '' : ','}${quoted(key)}:${member}`;
  }
  return `{${text}}`;
}

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A string as JSON: most need no escape, and to see that is cheaper than a call of JSON.stringify. */
export const quoted = (text: string): string => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);
