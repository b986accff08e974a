/** A regular expression as it is written. A set is pairs of code points, from and to, in order. */
export type Node =
  | { readonly kind: 'set'; readonly ranges: readonly number[] }
  | { readonly kind: 'assertion'; readonly of: Assertion }
  | { readonly kind: 'all'; readonly parts: readonly Node[] }
  | { readonly kind: 'one'; readonly of: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

/** Where a text begins or ends, a line does, or a word does or does not. */
export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'boundary' | 'noBoundary';

/** A regular expression that Go refuses, with its words. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(code: string, part: string) {
    super(`error parsing regexp: ${code}: \`${part}\``);
  }
}

export const LAST = 0x10ffff;
export const NEW_LINE = 10;

/** Pairs in order, without overlaps. */
export function normalized(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < ranges.length; index += 2) pairs.push([ranges[index]!, ranges[index + 1]!]);
  pairs.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [from, to] of pairs) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last + 1) merged[merged.length - 1] = Math.max(last, to);
    else merged.push(from, to);
  }
  return merged;
}

/** All other code points. */
export function negated(ranges: readonly number[]): number[] {
  const others: number[] = [];
  let next = 0;
  const sorted = normalized(ranges);
  for (let index = 0; index < sorted.length; index += 2) {
    if (sorted[index]! > next) others.push(next, sorted[index]! - 1);
    next = sorted[index + 1]! + 1;
  }
  if (next <= LAST) others.push(next, LAST);
  return others;
}

const codes = (text: string): number[] => Array.from(text).map((character) => character.codePointAt(0)!);

export const DIGITS = codes('09');
export const WORD = codes('09AZ__az');
const SPACE = [9, 10, 12, 13, 32, 32];

/** `\d`, `\w`, `\s`; the capital letters are their opposites. */
export const PERL: ReadonlyMap<string, readonly number[]> = new Map([
  ['d', DIGITS],
  ['w', WORD],
  ['s', SPACE],
]);

/** `[:alpha:]` and the like. */
export const POSIX: ReadonlyMap<string, readonly number[]> = new Map([
  ['alnum', codes('09AZaz')],
  ['alpha', codes('AZaz')],
  ['ascii', [0, 127]],
  ['blank', [9, 9, 32, 32]],
  ['cntrl', [0, 31, 127, 127]],
  ['digit', DIGITS],
  ['graph', [33, 126]],
  ['lower', codes('az')],
  ['print', [32, 126]],
  ['punct', codes('!/:@[`{~')],
  ['space', [9, 13, 32, 32]],
  ['upper', codes('AZ')],
  ['word', WORD],
  ['xdigit', codes('09AFaf')],
]);
