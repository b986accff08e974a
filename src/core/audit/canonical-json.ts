import { quoted } from '../json/lossless-json.js';

/** A value that has no canonical form: its hash would say nothing, so there is none. */
export class CanonicalJsonError extends Error {
  override readonly name = 'CanonicalJsonError';
}

/**
 * A value in the canonical form of RFC 8785 (JSON Canonicalization Scheme): no white space, keys in the order of their
 * UTF-16 code units, strings and numbers as ECMAScript writes them. Equal values give equal text, here and in any other
 * language, so a hash over the text can be checked without this program.
 *
 * A `bigint` within 2^53 is written as the number that it is. Beyond, JSON readers of other languages would round it, so it is
 * written as a string of digits, as RFC 8785 (appendix D) advises. Whoever exports a record exports this text itself:
 * read back and written again it is the same. A member that is undefined is left out.
 *
 * @throws {CanonicalJsonError} for a lone surrogate, for NaN and the infinities, and for anything that is not JSON: a
 *   Map, a Date, a function, undefined outside an object.
 *
 * Source: RFC 8785, sections 3.2.2 (serialization) and 3.2.3 (sorting).
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return wellFormed(value);
    case 'number':
      if (!Number.isFinite(value)) throw new CanonicalJsonError(`${value} is not a number of JSON`);
      // ECMAScript's shortest form; minus zero is 0.
      return String(value);
    case 'bigint':
      return value >= -GREATEST && value <= GREATEST ? String(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? array(value) : object(value);
    default:
      throw new CanonicalJsonError(`${typeof value} is not a value of JSON`);
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
    throw new CanonicalJsonError('an instance of a class is not a value of JSON');
  }
  const members = value as Readonly<Record<string, unknown>>;
  // The order of `sort` without a comparison is that of UTF-16 code units, as the RFC has it.
  const keys = Object.keys(value).sort();
  let text = '';
  for (const key of keys) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${wellFormed(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** With the u flag a pair is one character, and no surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function wellFormed(text: string): string {
  if (LONE_SURROGATE.test(text)) throw new CanonicalJsonError('a lone surrogate is not a character');
  return quoted(text);
}
