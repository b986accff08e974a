import { quoted } from '../json/lossless-json.js';

/** A value without a canonical form, for which no hash can be computed. */
export class CanonicalJsonError extends Error {
  override readonly name = 'CanonicalJsonError';
}

/**
 * A value in the canonical form of RFC 8785 (JSON Canonicalization Scheme): no white space, keys in the order of their
 * UTF-16 code units, strings and numbers as in ECMAScript. Equal values have equal texts in any language, so a hash of
 * the text can be verified without this program.
 *
 * A `bigint` within 2^53 is written as a number. Larger ones, which JSON readers of other languages would round, are
 * written as strings of digits, as recommended by RFC 8785 (appendix D). Exports of records contain this text itself:
 * parsing and writing it again yields the same text. Undefined members are omitted.
 *
 * @throws {CanonicalJsonError} for a lone surrogate, for NaN and the infinities, and for anything that is not JSON: a
 * Map, a Date, a function, undefined outside an object.
 *
 * Source: RFC 8785, sections 3.2.2 (serialization) and 3.2.3 (sorting).
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return wellFormed(value);
    case 'number':
      if (!Number.isFinite(value)) throw new CanonicalJsonError(`${value} is not a JSON number`);
      // ECMAScript's shortest form; minus zero is 0.
      return String(value);
    case 'bigint':
      return value >= -GREATEST && value <= GREATEST ? String(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? array(value) : object(value);
    default:
      throw new CanonicalJsonError(`${typeof value} is not a JSON value`);
  }
}

const GREATEST = BigInt(Number.MAX_SAFE_INTEGER);

function array(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index += 1) {
    text += index === 0 ? canonicalJson(items[index]) : `,${canonicalJson(items[index])}`;
  }
  return `${text}]`;
}

function object(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new CanonicalJsonError('an instance of a class is not a JSON value');
  }
  const members = value as Readonly<Record<string, unknown>>;
  let text = '{';
  let isFirst = true;
  for (const key of inOrder(Object.keys(value))) {
    const member = members[key];
    if (member === undefined) continue;
    text += isFirst ? begun(key) : `,${begun(key)}`;
    text += canonicalJson(member);
    isFirst = false;
  }
  return `${text}}`;
}

/** The beginnings of members with short keys, those that came first: records have few different ones. */
const beginnings = new Map<string, string>();
const MOST_BEGINNINGS = 1000;
const SHORT = 64;

/** A key with its colon. @throws {CanonicalJsonError} for a lone surrogate */
function begun(key: string): string {
  let beginning = beginnings.get(key);
  if (beginning === undefined) {
    beginning = `${wellFormed(key)}:`;
    if (beginnings.size < MOST_BEGINNINGS && key.length <= SHORT) beginnings.set(key, beginning);
  }
  return beginning;
}

/** More keys than records have members. */
const FEW = 24;

/** Sorts keys by their UTF-16 code units, as the RFC requires, in their list. Few keys, as most objects have, take no memory for that. */
function inOrder(keys: string[]): readonly string[] {
  // Without a comparison function `sort` uses this order.
  if (keys.length > FEW) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index]!;
    let at = index;
    for (; at > 0 && keys[at - 1]! > key; at -= 1) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

/** With the u flag a surrogate pair is one character, not two surrogates. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function wellFormed(text: string): string {
  const written = quoted(text);
  // A lone surrogate is written as an escape, which is longer.
  if (written.length > text.length + 2 && LONE_SURROGATE.test(text)) {
    throw new CanonicalJsonError('a lone surrogate is not a character');
  }
  return written;
}
