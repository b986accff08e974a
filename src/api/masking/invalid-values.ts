import { MASK, type ValuesByKey } from '../../app/withheld-values.js';
import { quoteGo } from '../../core/kubernetes/go-text.js';

/** A taint value that the API server accepts; `maskText` finds these word by word. */
const WORD = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
/** A taint key that the API server accepts: a prefix of up to 253 characters, a slash, and a name. */
const KEY = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,315}[A-Za-z0-9])?$/;
/** Shorter values are masked only in the position of a value: every text contains spaces and commas. */
const SHORT = 3;
/** A taint's text has its effect directly after a colon, and no valid value there. */
export const EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
/** What precedes a value in a text about it. */
const BEFORE_VALUE = '(?<=[=:"\'] ?|\\b(?:Equal|Lt|Gt|value) )';

/** Masks invalid values in a text, exactly, whatever characters they contain. */
export type MaskInvalid = (text: string) => string;

const known = new WeakMap<ValuesByKey, MaskInvalid>();

/**
 * Masks values that no API server would accept but that snapshots may contain (`invalid=keep`): with spaces, commas,
 * quotes or other punctuation. Their end cannot be recognized from the format of a text, so the function searches for
 * the values themselves, in plain form and as JSON, Go, a shell and CSV would quote them.
 */
export function maskInvalidIn(values: ValuesByKey): MaskInvalid {
  let mask = known.get(values);
  if (mask === undefined) known.set(values, (mask = maskFor(values)));
  return mask;
}

function maskFor(values: ValuesByKey): MaskInvalid {
  const invalid = new Set<string>();
  for (const [key, ofKey] of values) {
    // An invalid key cannot be found in a text, so its values are searched for on their own.
    const isInvalidKey = !KEY.test(key);
    for (const value of ofKey)
      if (isInvalidKey || !WORD.test(value)) for (const written of writtenForms(value)) invalid.add(written);
  }
  if (invalid.size === 0) return (text) => text;
  // If one value is a prefix of another, the longer one is masked first.
  const longestFirst = [...invalid].sort((a, b) => b.length - a.length);
  const long = longestFirst.filter((value) => value.length >= SHORT);
  const short = longestFirst.filter((value) => value.length < SHORT);
  const patterns = [
    ...(long.length === 0 ? [] : [long.map(patternOf).join('|')]),
    ...(short.length === 0 ? [] : [`${BEFORE_VALUE}(?:${short.map(patternOf).join('|')})`]),
  ];
  const pattern = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(pattern, MASK);
}

/**
 * A valid value that is searched for only because of its invalid key is not masked inside longer words, nor in the place of the effect that
 * it equals.
 */
function patternOf(value: string): string {
  if (!WORD.test(value)) return escaped(value);
  const before = EFFECTS.has(value) ? 'A-Za-z0-9_:' : 'A-Za-z0-9_';
  return `(?<![${before}])${escaped(value)}(?![A-Za-z0-9_])`;
}

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

function writtenForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [
    value,
    json,
    // Quoted values that are quoted again, for example a command inside an error message.
    JSON.stringify(json).slice(1, -1),
    quoteGo(value).slice(1, -1),
    value.replaceAll("'", `'\\''`),
    value.replaceAll('"', '""'),
  ];
}
