import type { CelIssue } from './errors.js';

export type TokenKind =
  'bytes' | 'end' | 'escapedIdentifier' | 'float' | 'identifier' | 'int' | 'string' | 'symbol' | 'uint' | 'word';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Offset in code points. */
  readonly at: number;
}

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const RAW_STRING = String.raw`[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`;
const STRING = [
  RAW_STRING,
  `"""(?:${ESCAPE}|[^\\\\])*?"""`,
  `'''(?:${ESCAPE}|[^\\\\])*?'''`,
  `"(?:${ESCAPE}|[^\\\\"\\n\\r])*"`,
  `'(?:${ESCAPE}|[^\\\\'\\n\\r])*'`,
].join('|');

const EXPONENT = '[eE][+-]?[0-9]+';

/** In this order; of several that match, the longest is taken, and the first of equally long ones. */
const RULES: readonly (readonly [TokenKind, RegExp])[] = [
  ['symbol', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
  ['float', new RegExp(`[0-9]+\\.[0-9]+(?:${EXPONENT})?|[0-9]+${EXPONENT}|\\.[0-9]+(?:${EXPONENT})?`, 'y')],
  ['uint', /0x[0-9a-fA-F]+[uU]|[0-9]+[uU]/y],
  ['int', /0x[0-9a-fA-F]+|[0-9]+/y],
  ['string', new RegExp(STRING, 'y')],
  ['bytes', new RegExp(`[bB](?:${STRING})`, 'y')],
  ['identifier', /[a-zA-Z_][a-zA-Z0-9_]*/y],
  ['escapedIdentifier', /`[a-zA-Z0-9_.\-/ ]+`/y],
];

const HIDDEN = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/**
 * The tokens of an expression, the last one being its `end`.
 *
 * Source: cel-go v0.26.0, parser/gen/CEL.g4.
 */
export function tokensOf(source: string): Token[] | CelIssue {
  const tokens: Token[] = [];
  let at = 0;
  let counted = 0;
  for (let index = 0; ;) {
    HIDDEN.lastIndex = index;
    index += HIDDEN.exec(source)?.[0].length ?? 0;
    at += pointsBetween(source, counted, index);
    counted = index;
    if (index === source.length) return [...tokens, { kind: 'end', text: '', at }];
    const found = longest(source, index);
    if (found === undefined) return { at, message: 'Syntax error: token recognition error' };
    tokens.push({ ...found, at });
    index += found.text.length;
  }
}

function longest(source: string, index: number): Omit<Token, 'at'> | undefined {
  let best: Omit<Token, 'at'> | undefined;
  for (const [kind, rule] of RULES) {
    rule.lastIndex = index;
    const text = rule.exec(source)?.[0];
    if (text === undefined || (best !== undefined && text.length <= best.text.length)) continue;
    best = { kind: kind === 'identifier' && WORDS.has(text) ? 'word' : kind, text };
  }
  return best;
}

function pointsBetween(source: string, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index += 1) {
    const code = source.charCodeAt(index);
    if (code < 0xdc00 || code > 0xdfff) count += 1;
  }
  return count;
}
