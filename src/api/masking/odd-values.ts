import { MASK, type ValuesByKey } from '../../app/withheld-values.js';
import { quoteGo } from '../../core/kubernetes/go-text.js';

/** What the API server takes as a value of a taint: these are found word by word, see `maskText`. */
const WORD = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
/** The same of a key: a prefix of 253 characters, a slash, and a name. */
const KEY = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,315}[A-Za-z0-9])?$/;
/** A shorter one is masked only where values stand: a space, or a comma, is in every text. */
const SHORT = 3;
/** What stands before a value in words about it. */
const BEFORE_VALUE = '(?<=[=:"\'] ?|\\b(?:Equal|Lt|Gt|value) )';

/** Masks values that are no words, in a text: exactly, whatever characters they have. */
export type MaskOdd = (text: string) => string;

const known = new WeakMap<ValuesByKey, MaskOdd>();

/**
 * Masks the values that no API server would take, which snapshots may keep (`invalid=keep`): with spaces, commas, quotes,
 * signs. No form of a text tells where such a value ends, so that the values themselves are looked for, as they are and as
 * JSON, Go, a shell and CSV would write them.
 */
export function maskOddIn(values: ValuesByKey): MaskOdd {
  let mask = known.get(values);
  if (mask === undefined) known.set(values, (mask = maskFor(values)));
  return mask;
}

function maskFor(values: ValuesByKey): MaskOdd {
  const odd = new Set<string>();
  for (const [key, ofKey] of values) {
    // A key that is no word is not found in a text, so that its values are looked for by themselves.
    const isOddKey = !KEY.test(key);
    for (const value of ofKey)
      if (isOddKey || !WORD.test(value)) for (const written of writtenForms(value)) odd.add(written);
  }
  if (odd.size === 0) return (text) => text;
  // Where one begins with another, the longer one is meant.
  const longestFirst = [...odd].sort((a, b) => b.length - a.length);
  const long = longestFirst.filter((value) => value.length >= SHORT);
  const short = longestFirst.filter((value) => value.length < SHORT);
  const patterns = [
    ...(long.length === 0 ? [] : [long.map(patternOf).join('|')]),
    ...(short.length === 0 ? [] : [`${BEFORE_VALUE}(?:${short.map(patternOf).join('|')})`]),
  ];
  const pattern = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(pattern, MASK);
}

/** A word that only happens to be looked for, because of its key, is not masked inside other words. */
const patternOf = (value: string): string =>
  WORD.test(value) ? `(?<![A-Za-z0-9_])${escaped(value)}(?![A-Za-z0-9_])` : escaped(value);

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

function writtenForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [
    value,
    json,
    // Quoted words that are quoted once more, such as a command in the words of an error.
    JSON.stringify(json).slice(1, -1),
    quoteGo(value).slice(1, -1),
    value.replaceAll("'", `'\\''`),
    value.replaceAll('"', '""'),
  ];
}
