import { aggregateText } from './error-aggregate.js';
import { invalid } from './field-error.js';
import { FieldPath } from './field-path.js';
import { BINARY_OPERATORS, newRequirement, type Requirement, type SelectionOperator } from './requirement.js';
import { selectorOf, type Selector } from './selector.js';
import { isQualifiedName } from './validation/names.js';

/** A label selector that kubectl and the API server would refuse, with upstream's message. */
export class SelectorSyntaxError extends Error {
  override readonly name = 'SelectorSyntaxError';
}

/**
 * Parses a label selector in kubectl's syntax: `app=web,tier notin (db,cache),!spot,cores>4`. Empty text selects everything. A
 * value may be empty (`app=`, `tier in ()`); the words `in` and `notin` may be keys and values, too.
 *
 * @throws {SelectorSyntaxError}
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/labels/selector.go, `Parse`.
 */
export function parseSelector(text: string): Selector {
  return selectorOf(new Parser(tokensOf(text)).parse());
}

type TokenKind = 'word' | 'end' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '>' | '<';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
/**
 * White space, then an operator or a word. A NUL character ends either of them; if it comes first, it ends the text, as
 * upstream.
 */
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n\0]+))\0?/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, symbol, word = ''] = match;
    tokens.push(symbol === undefined ? { kind: 'word', text: word } : { kind: symbol as TokenKind, text: symbol });
  }
  return tokens;
}

const OPERATOR_OF: ReadonlyMap<string, SelectionOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

class Parser {
  private position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.next.kind === 'end') return requirements;
    if (!startsRequirement(this.next)) throw found(this.next, ", expected: !, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.requirement());
      const after = this.take();
      if (after.kind === 'end') return requirements;
      if (after.kind !== ',') throw found(after, ", expected: ',' or 'end of string'");
      if (!startsRequirement(this.next)) throw found(this.next, ", expected: identifier after ','");
    }
  }

  private get next(): Token {
    return this.tokens[this.position] ?? END;
  }

  private take(): Token {
    const token = this.next;
    this.position += 1;
    return token;
  }

  private requirement(): Requirement {
    const negated = this.next.kind === '!';
    if (negated) this.take();
    const key = this.take();
    if (key.kind !== 'word') throw unparsable(`found '${key.text}', expected: identifier`);
    const faults = isQualifiedName(key.text);
    if (faults.length > 0) {
      // Upstream has no path for a key here, and prints the nil path.
      throw unparsable(`<nil>: ${invalid(FieldPath.of('key'), key.text, faults.join('; ')).message}`);
    }
    if (negated) return required(key.text, '!', []);
    if (this.next.kind === 'end' || this.next.kind === ',') return required(key.text, 'exists', []);

    const sign = this.take();
    const operator = OPERATOR_OF.get(sign.text);
    if (operator === undefined) throw unparsable(`found '${sign.text}', expected: ${BINARY_OPERATORS.join(', ')}`);
    const values = operator === 'in' || operator === 'notin' ? this.values() : [this.exactValue()];
    return required(key.text, operator, values);
  }

  /**
   * The values of a set, without duplicates, in byte order. There is an empty value between two commas, and between a comma
   * and a parenthesis. But upstream also consumes the second of two commas, so a parenthesis right after them (`a,,)`) is
   * refused.
   */
  private values(): string[] {
    const open = this.take();
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const first = this.next;
    if (first.kind === ')') {
      this.take();
      return [''];
    }
    if (first.kind !== 'word' && first.kind !== ',') {
      throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (;;) {
      const token = this.take();
      if (token.kind === 'word') {
        values.add(token.text);
        if (this.next.kind !== ',' && this.next.kind !== ')') {
          throw unparsable(`found '${this.next.text}', expected: ',' or ')'`);
        }
      } else if (token.kind === ',') {
        if (values.size === 0 || this.next.kind === ')') values.add('');
        if (this.next.kind === ',') {
          this.take();
          values.add('');
          continue;
        }
      } else {
        throw unparsable(`found '${token.text}', expected: ',', or identifier`);
      }
      if (this.next.kind === ')') {
        this.take();
        return [...values].sort();
      }
    }
  }

  private exactValue(): string {
    if (this.next.kind === 'end' || this.next.kind === ',') return '';
    const value = this.take();
    if (value.kind !== 'word') throw unparsable(`found '${value.text}', expected: identifier`);
    return value.text;
  }
}

const startsRequirement = (token: Token): boolean => token.kind === 'word' || token.kind === '!';

function required(key: string, operator: SelectionOperator, values: readonly string[]): Requirement {
  const result = newRequirement(key, operator, values);
  if ('errors' in result) throw unparsable(aggregateText(result.errors));
  return result.requirement;
}

const found = (token: Token, rest: string): SelectorSyntaxError =>
  new SelectorSyntaxError(`found '${token.text}'${rest}`);

const unparsable = (reason: string): SelectorSyntaxError =>
  new SelectorSyntaxError(`unable to parse requirement: ${reason}`);
