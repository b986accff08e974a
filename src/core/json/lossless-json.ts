import { JsonReader, type JsonNotes } from './json-reader.js';
import { JsonSyntaxError } from './json-syntax-error.js';
import type { JsonValue } from './json-value.js';

export { JsonSyntaxError, type JsonNotes };

export interface ParseJsonOptions {
  /** The greatest number of nested objects and arrays: 1000 by default, at most 2000. */
  readonly maxDepth?: number;
  /** Of a source that limits the depth itself: levels are counted only in texts with long numbers. */
  readonly isTrusted?: boolean;
  /**
   * How duplicate keys in an object are handled: the last one wins (as in JSON.parse and Go), or the text is refused.
   */
  readonly duplicateKeys?: 'last' | 'reject';
  /** Filled by the reader. */
  readonly notes?: JsonNotes;
}

const DEFAULT_DEPTH = 1000;
/** The reader and the writer recurse; about 4000 levels use half of Node's default stack. */
const GREATEST_DEPTH = 2000;
/** 2^53 has 16 digits; an integer with fewer digits fits a `number`. */
const LONG = 16;
/** A number that is longer than the reader allows has so many digits in a row. */
const VERY_LONG = 300;
/** Digits in the middle of a string, such as those of a digest, are no number. */
const LONG_NUMBER = /(?:^|"\s*:|[,[])\s*-?[0-9]{16}/;

/**
 * Reads one JSON document. Integers beyond 2^53 - 1 become `bigint`, so that no int64 is rounded.
 *
 * @throws {JsonSyntaxError} with offset, line and column, if the text is not JSON, is nested too deeply, or (with
 *   `duplicateKeys: 'reject'`) has a duplicate key
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): JsonValue {
  const quick = parseJsonQuickly(text, options);
  if (quick !== undefined) return quick;
  return new JsonReader(text, depthOf(options), options.duplicateKeys === 'reject', options.notes).read();
}

/**
 * The same by `JSON.parse`, several times as fast.
 * @returns undefined if that does not do: with notes, for long integers, and for a text that is refused, whose fault the reader finds
 */
export function parseJsonQuickly(
  text: string,
  options: ParseJsonOptions & {
    /** Of a text with more keys, objects and arrays, undefined is returned: they take longer than its length says. */
    readonly mostParts?: number;
  } = {},
): JsonValue | undefined {
  if (options.notes !== undefined || hasLongNumber(text)) return undefined;
  const rejectDuplicates = options.duplicateKeys === 'reject';
  const { mostParts = Infinity } = options;
  const isNeeded = rejectDuplicates || mostParts < text.length;
  const isCounted = isNeeded || options.isTrusted !== true;
  const keys = isCounted ? keysWithin(text, { depth: depthOf(options), mostParts }, isNeeded) : 0;
  if (keys === undefined) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    // Of two equal keys, one is left.
    return rejectDuplicates && keysOf(value) !== keys ? undefined : value;
  } catch {
    return undefined;
  }
}

const depthOf = ({ maxDepth = DEFAULT_DEPTH }: ParseJsonOptions): number => Math.min(maxDepth, GREATEST_DEPTH);

/** Characters per step; the slowest text takes some milliseconds. */
const STEP = 32 * 1024;

/** The same as `parseJson`, in steps: for long untrusted text. */
export function stepJson(text: string, options: ParseJsonOptions = {}): Generator<undefined, JsonValue, undefined> {
  return new JsonReader(text, depthOf(options), options.duplicateKeys === 'reject', options.notes).steps(STEP);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Whether there may be a number with that many digits. So many digits in a row have one at every sixteenth place. */
function hasLongNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text, at)) continue;
    let first = at;
    while (first > 0 && isDigit(text, first - 1)) first--;
    let end = at + 1;
    while (isDigit(text, end)) end++;
    if (end - first >= VERY_LONG) return true;
    if (end - first >= LONG) return LONG_NUMBER.test(text);
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/**
 * The number of keys in a text, if it is JSON; undefined if brackets outside strings open more than `depth` levels, or if there are more parts.
 * One pass that builds nothing.
 * @param isNeeded otherwise a text that is too short to be nested so deeply is not read
 */
function keysWithin(
  text: string,
  { depth, mostParts }: { readonly depth: number; readonly mostParts: number },
  isNeeded: boolean,
): number | undefined {
  // Each level takes one character to open, so a short text cannot be deep.
  if (!isNeeded && text.length <= depth) return 0;
  let level = 0;
  let keys = 0;
  let opened = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COLON) {
      keys += 1;
    } else if (code === 0x7b || code === 0x5b) {
      level += 1;
      opened += 1;
      if (level > depth || keys + opened > mostParts) return undefined;
    } else if (code === 0x7d || code === 0x5d) {
      level -= 1;
    }
  }
  return keys + opened > mostParts ? undefined : keys;
}

/** The number of keys in a value. */
function keysOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += keysOf(item);
  else {
    for (const key of Object.keys(value)) keys += 1 + keysOf(value[key]!);
  }
  return keys;
}

/** The offset of the quote that closes the string opened at `start`, or the length of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

export interface StringifyJsonOptions {
  /** Writes the keys of every object in code unit order: the canonical form, which is identical for equal values. */
  readonly sortKeys?: boolean;
}

/**
 * Writes a value as JSON without white space: a `bigint` as an integer, undefined members omitted, keys in their own
 * order unless `sortKeys` is set.
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

/** Returned by `withSortedKeys` for a value whose keys the JavaScript engine orders itself. */
const UNSORTABLE = Symbol('unsortable');
/** Integer-like keys come first in every object, in numeric order; assigning `__proto__` sets the prototype instead. */
function isOutOfOrder(key: string): boolean {
  const first = key.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || key === '__proto__';
}

/** The value with the keys of every object in code unit order; parts that are already in order are not copied. */
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
    if (isOutOfOrder(key)) return UNSORTABLE;
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

/** The JSON text of a value, or undefined if JSON cannot represent it. */
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

/** A string as JSON. Most strings need no escape, and testing that is faster than calling JSON.stringify. */
export const quoted = (text: string): string => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);
