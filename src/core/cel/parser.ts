import { OPERATORS, type Call, type Expr, type ListLiteral, type MapEntry, type StructField } from './ast.js';
import { CelCompileError, CelUnsupported, type CelIssue } from './errors.js';
import { expandMacro, MacroError } from './macros.js';
import { tokensOf, type Token } from './tokens.js';
import { unescapeBytes, unescapeString } from './unescape.js';
import { Uint, type Value } from './values.js';

const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** cel-go's parser stops at 250 levels, which it counts in rules of its grammar. */
const MAX_DEPTH = 200;
const MAX_CODE_POINTS = 100_000;

const RELATIONS: ReadonlyMap<string, string> = new Map([
  ['<', OPERATORS.less],
  ['<=', OPERATORS.lessEquals],
  ['>=', OPERATORS.greaterEquals],
  ['>', OPERATORS.greater],
  ['==', OPERATORS.equals],
  ['!=', OPERATORS.notEquals],
  ['in', OPERATORS.in],
]);
const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['*', OPERATORS.multiply],
  ['/', OPERATORS.divide],
  ['%', OPERATORS.modulo],
]);
const SUMS: ReadonlyMap<string, string> = new Map([
  ['+', OPERATORS.add],
  ['-', OPERATORS.subtract],
]);
/** The operators with two operands that bind equally, from those that bind least. */
const LEVELS = [RELATIONS, SUMS, PRODUCTS];

/**
 * Reads an expression and expands its macros.
 *
 * Source: cel-go v0.26.0, parser/gen/CEL.g4 and parser/parser.go, with optional syntax.
 *
 * @param hasBindings whether the expression can have `cel.bind`
 * @throws {CelCompileError} without a text, for the words of cel-go's generated parser are not known here
 * @throws {CelUnsupported} for an expression that is too long or nested too deep
 */
export function parseExpression(source: string, hasBindings = false): Expr {
  const points = Array.from(source).length;
  if (points > MAX_CODE_POINTS) throw new CelUnsupported('an expression of more than 100000 characters');
  const tokens = tokensOf(source);
  if (!Array.isArray(tokens)) throw new CelCompileError([tokens], undefined);
  return new Parser(tokens, hasBindings).whole();
}

class Parser {
  private position = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly hasBindings: boolean,
  ) {}

  whole(): Expr {
    const expr = this.expression();
    if (this.current.kind !== 'end') this.refuse(this.current);
    return expr;
  }

  private expression(): Expr {
    return this.deeper(() => {
      const condition = this.disjunction();
      const at = this.current.at;
      if (!this.takes('?')) return condition;
      const yes = this.disjunction();
      this.expect(':');
      return { kind: 'call', at, name: OPERATORS.conditional, args: [condition, yes, this.expression()] };
    });
  }

  private disjunction(): Expr {
    return this.logical('||', OPERATORS.or, () => this.logical('&&', OPERATORS.and, () => this.binary(0)));
  }

  /** One call for all operands: how they are nested shows in nothing. */
  private logical(symbol: string, name: string, operand: () => Expr): Expr {
    const args = [operand()];
    const at = this.current.at;
    while (this.takes(symbol)) args.push(operand());
    return args.length === 1 ? args[0]! : { kind: 'call', at, name, args };
  }

  private binary(level: number): Expr {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (let count = 0; ; count += 1) {
      const { text, at, kind } = this.current;
      const name = kind === 'symbol' || kind === 'word' ? operators.get(text) : undefined;
      if (name === undefined) return left;
      if (count > MAX_DEPTH) throw tooDeep();
      this.position += 1;
      left = { kind: 'call', at, name, args: [left, this.binary(level + 1)] };
    }
  }

  private unary(): Expr {
    const first = this.current;
    if (!this.is('!') && (!this.is('-') || this.isSignOfLiteral())) return this.member();
    let count = 0;
    while (this.is(first.text)) {
      this.position += 1;
      count += 1;
    }
    const operand = this.member();
    if (count % 2 === 0) return operand;
    return { kind: 'call', at: first.at, name: first.text === '!' ? OPERATORS.not : OPERATORS.negate, args: [operand] };
  }

  private isSignOfLiteral(): boolean {
    const next = this.tokens[this.position + 1];
    return next?.kind === 'int' || next?.kind === 'float';
  }

  private member(): Expr {
    let expr = this.primary();
    for (let count = 0; ; count += 1) {
      if (count > MAX_DEPTH) throw tooDeep();
      const { at } = this.current;
      if (this.takes('.')) expr = this.selected(expr, at);
      else if (this.takes('[')) {
        const name = this.takes('?') ? OPERATORS.optionalIndex : OPERATORS.index;
        const index = this.expression();
        this.expect(']');
        expr = { kind: 'call', at, name, args: [expr, index] };
      } else return expr;
    }
  }

  private selected(operand: Expr, at: number): Expr {
    const isOptional = this.takes('?');
    const token = this.current;
    // Names in backquotes are an extension that Kubernetes leaves off.
    if (token.kind !== 'identifier') this.refuse(token);
    this.position += 1;
    const field = token.text;
    if (isOptional) {
      const name: Expr = { kind: 'literal', at: token.at, value: field };
      return { kind: 'call', at, name: OPERATORS.optionalSelect, args: [operand, name] };
    }
    const open = this.current;
    if (this.takes('(')) {
      return this.called({ kind: 'call', at: open.at, name: field, target: operand, args: this.args() });
    }
    return { kind: 'select', at, operand, field, isTest: false };
  }

  private args(): Expr[] {
    const args: Expr[] = [];
    if (this.takes(')')) return args;
    do args.push(this.expression());
    while (this.takes(','));
    this.expect(')');
    return args;
  }

  private called(call: Call): Expr {
    try {
      return expandMacro(call, this.hasBindings) ?? call;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      throw new CelCompileError([{ at: error.at, message: error.message }], undefined);
    }
  }

  private primary(): Expr {
    const token = this.current;
    const { at } = token;
    if (this.takes('(')) {
      const expr = this.expression();
      this.expect(')');
      return expr;
    }
    if (this.takes('[')) return this.list(at);
    if (this.takes('{')) return { kind: 'map', at, entries: this.mapEntries() };
    if (token.kind === 'identifier' || this.is('.')) return this.named();
    return { kind: 'literal', at, value: this.literal() };
  }

  private named(): Expr {
    const { at: start } = this.current;
    const dot = this.takes('.') ? '.' : '';
    const token = this.current;
    if (token.kind !== 'identifier') this.refuse(token);
    this.position += 1;
    if (this.isStruct()) return this.struct(dot + token.text, start);
    if (RESERVED.has(token.text)) this.refuse(token, `reserved identifier: ${token.text}`);
    const open = this.current;
    if (this.takes('(')) {
      return this.called({ kind: 'call', at: open.at, name: dot + token.text, args: this.args() });
    }
    return { kind: 'ident', at: token.at, name: dot + token.text };
  }

  /** Whether names with dots between them and a brace follow. */
  private isStruct(): boolean {
    let ahead = this.position;
    while (this.tokens[ahead]?.text === '.' && this.tokens[ahead + 1]?.kind === 'identifier') ahead += 2;
    const brace = this.tokens[ahead];
    return brace?.kind === 'symbol' && brace.text === '{';
  }

  private struct(first: string, at: number): Expr {
    let name = first;
    while (this.takes('.')) {
      name += `.${this.current.text}`;
      this.position += 1;
    }
    const { at: open } = this.current;
    this.expect('{');
    const fields: StructField[] = [];
    while (!this.takes('}')) {
      const isOptional = this.takes('?');
      const field = this.current;
      if (field.kind !== 'identifier') this.refuse(field);
      this.position += 1;
      const { at: colon } = this.current;
      this.expect(':');
      fields.push({ name: field.text, at: colon, value: this.expression(), isOptional });
      if (!this.takes(',') && !this.is('}')) this.refuse(this.current);
    }
    return { kind: 'struct', at: Math.max(at, open), name, fields };
  }

  private list(at: number): Expr {
    const elements: ListLiteral['elements'][number][] = [];
    while (!this.is(']') && !this.is(',')) {
      const isOptional = this.takes('?');
      elements.push({ value: this.expression(), isOptional });
      if (!this.is(',') || this.tokens[this.position + 1]?.text === ']') break;
      this.position += 1;
      if (this.is(',')) this.refuse(this.current);
    }
    this.takes(',');
    this.expect(']');
    return { kind: 'list', at, elements };
  }

  private mapEntries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (!this.is('}') && !this.is(',')) {
      const isOptional = this.takes('?');
      const key = this.expression();
      this.expect(':');
      entries.push({ key, value: this.expression(), isOptional });
      if (!this.is(',') || this.tokens[this.position + 1]?.text === '}') break;
      this.position += 1;
      if (this.is(',')) this.refuse(this.current);
    }
    this.takes(',');
    this.expect('}');
    return entries;
  }

  private literal(): Value {
    const sign = this.takes('-') ? '-' : '';
    const token = this.current;
    this.position += 1;
    const value = literalOf(token, sign);
    if (value === undefined) this.refuse(token);
    return value;
  }

  private deeper<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw tooDeep();
    const parsed = parse();
    this.depth -= 1;
    return parsed;
  }

  private get current(): Token {
    return this.tokens[this.position] ?? this.tokens.at(-1)!;
  }

  private is(symbol: string): boolean {
    return this.current.kind === 'symbol' && this.current.text === symbol;
  }

  private takes(symbol: string): boolean {
    if (!this.is(symbol)) return false;
    this.position += 1;
    return true;
  }

  private expect(symbol: string): void {
    if (!this.takes(symbol)) this.refuse(this.current);
  }

  private refuse(token: Token, message = 'Syntax error'): never {
    const issue: CelIssue = { at: token.at, message };
    throw new CelCompileError([issue], undefined);
  }
}

const tooDeep = (): CelUnsupported => new CelUnsupported('an expression nested so deep');

const INT64 = 2n ** 63n;
const UINT64 = 2n ** 64n;

/** The value of a token, or undefined if it is no literal, or one out of range. */
function literalOf({ kind, text }: Token, sign: string): Value | undefined {
  if (kind === 'int') {
    const value = sign === '' ? BigInt(text) : -BigInt(text);
    return value >= INT64 || value < -INT64 ? undefined : value;
  }
  if (kind === 'float') {
    const value = Number(sign + text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (sign !== '') return undefined;
  switch (kind) {
    case 'uint': {
      const value = BigInt(text.slice(0, -1));
      return value >= UINT64 ? undefined : new Uint(value);
    }
    case 'string':
      return unescapeString(text);
    case 'bytes':
      return unescapeBytes(text.slice(1));
    case 'word':
      return text === 'true' ? true : text === 'false' ? false : text === 'null' ? null : undefined;
    default:
      return undefined;
  }
}
