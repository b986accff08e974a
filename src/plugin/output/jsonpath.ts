import { isJsonObject, type JsonValue } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { CommandFailed } from '../command-failed.js';

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'deep' }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'union'; readonly steps: readonly Step[] }
  | { readonly kind: 'filter'; readonly left: Operand; readonly operator: string; readonly right: Operand };

type Operand = { readonly path: readonly Step[] } | { readonly value: JsonValue };

type Part =
  | { readonly text: string }
  | { readonly path: readonly Step[] }
  | { readonly range: readonly Step[]; readonly parts: readonly Part[] };

/**
 * A template of kubectl's: text, and paths in braces.
 * Source of the syntax: k8s.io/client-go v0.36.2, util/jsonpath.
 * @throws {CommandFailed} it is none
 */
export function jsonPathTemplate(template: string): (value: JsonValue) => string {
  const tokens = tokensOf(template);
  const parts = partsOf(tokens, false);
  return (value) => written(parts, value);
}

/** A single path, with or without braces, as custom columns have it. @throws {CommandFailed} it is none */
export function jsonPath(text: string): (value: JsonValue) => readonly JsonValue[] {
  const inner = text.replace(/^\{(.*)\}$/, '$1');
  const steps = new PathReader(/^[.[$@]/.test(inner) ? inner : `.${inner}`, text).whole();
  return (value) => valuesAt(steps, value);
}

type Token = { readonly text: string } | { readonly action: string };

function tokensOf(template: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < template.length;) {
    const open = template.indexOf('{', at);
    if (open < 0 || open > at) tokens.push({ text: template.slice(at, open < 0 ? undefined : open) });
    if (open < 0) break;
    const close = closing(template, open + 1);
    tokens.push({ action: template.slice(open + 1, close).trim() });
    at = close + 1;
  }
  return tokens;
}

/** The brace that ends an action; those in quotes are text. */
function closing(template: string, from: number): number {
  let quote = '';
  for (let at = from; at < template.length; at++) {
    const letter = template[at]!;
    if (letter === '\\') at++;
    else if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '}') return at;
  }
  throw new CommandFailed(`jsonpath: unclosed action in ${JSON.stringify(template)}`);
}

function partsOf(tokens: Token[], isInRange: boolean): readonly Part[] {
  const parts: Part[] = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if ('text' in token) parts.push(token);
    else if (token.action === 'end') {
      if (!isInRange) throw new CommandFailed('jsonpath: end without range');
      return parts;
    } else if (/^range\s/.test(token.action)) {
      const range = new PathReader(token.action.slice(5).trim(), token.action).whole();
      parts.push({ range, parts: partsOf(tokens, true) });
    } else if (/^["']/.test(token.action)) parts.push({ text: textIn(token.action) });
    else parts.push({ path: new PathReader(token.action, token.action).whole() });
  }
  if (isInRange) throw new CommandFailed('jsonpath: range without end');
  return parts;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const textIn = (quoted: string): string =>
  quoted.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);

class PathReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly whereFrom: string,
  ) {}

  whole(): readonly Step[] {
    const steps = this.path();
    if (this.at < this.text.length) throw this.wrong();
    return steps;
  }

  private path(): readonly Step[] {
    if (/[$@]/.test(this.text[this.at] ?? '')) this.at++;
    const steps: Step[] = [];
    for (;;) {
      if (this.takes('..')) {
        steps.push({ kind: 'deep' });
        if (this.text[this.at] !== '[') steps.push(this.named());
      } else if (this.takes('.')) {
        if (this.at < this.text.length && this.text[this.at] !== '[') steps.push(this.named());
      } else if (this.takes('[')) steps.push(this.bracket());
      else return steps;
    }
  }

  private named(): Step {
    if (this.takes('*')) return { kind: 'all' };
    const [name = ''] = /^(?:\\.|[^.[\]()=<>!\s,])+/.exec(this.text.slice(this.at)) ?? [];
    if (name === '') throw this.wrong();
    this.at += name.length;
    return { kind: 'name', name: name.replace(/\\(.)/g, '$1') };
  }

  private bracket(): Step {
    if (this.takes('?(')) return this.filter();
    const steps: Step[] = [];
    do steps.push(this.selector());
    while (this.takes(','));
    if (!this.takes(']')) throw this.wrong();
    return steps.length === 1 ? steps[0]! : { kind: 'union', steps };
  }

  private selector(): Step {
    this.skipSpace();
    if (this.takes('*')) return { kind: 'all' };
    const [quoted] = /^(?:'(?:\\.|[^'])*'|"(?:\\.|[^"])*")/.exec(this.text.slice(this.at)) ?? [];
    if (quoted !== undefined) {
      this.at += quoted.length;
      return { kind: 'name', name: textIn(quoted) };
    }
    const [range = '', from = '', colon, to = '', , step = ''] =
      /^(-?\d*)(:)?(-?\d*)(:(-?\d*))?/.exec(this.text.slice(this.at)) ?? [];
    if (range === '') throw this.wrong();
    this.at += range.length;
    if (colon === undefined) return { kind: 'index', index: Number(from) };
    const number = (text: string): number | undefined => (text === '' ? undefined : Number(text));
    return { kind: 'slice', from: number(from), to: number(to), step: number(step) ?? 1 };
  }

  private filter(): Step {
    const left = this.operand();
    this.skipSpace();
    const [operator = 'exists'] = /^(==|!=|<=|>=|<|>)/.exec(this.text.slice(this.at)) ?? [];
    if (operator !== 'exists') this.at += operator.length;
    const right = operator === 'exists' ? { value: null } : this.operand();
    this.skipSpace();
    if (!this.takes(')]')) throw this.wrong();
    return { kind: 'filter', left, operator, right };
  }

  private operand(): Operand {
    this.skipSpace();
    if (/[@$]/.test(this.text[this.at] ?? '')) return { path: this.path() };
    const [literal] = /^(?:'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|[-\w.]+)/.exec(this.text.slice(this.at)) ?? [];
    if (literal === undefined) throw this.wrong();
    this.at += literal.length;
    if (/^["']/.test(literal)) return { value: textIn(literal) };
    if (literal === 'true' || literal === 'false') return { value: literal === 'true' };
    if (Number.isNaN(Number(literal))) throw this.wrong();
    return { value: Number(literal) };
  }

  private takes(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private skipSpace(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  private wrong(): CommandFailed {
    return new CommandFailed(`jsonpath: cannot read ${JSON.stringify(this.whereFrom)}`);
  }
}

const written = (parts: readonly Part[], value: JsonValue): string =>
  parts
    .map((part) => {
      if ('text' in part) return part.text;
      if ('path' in part) return valuesAt(part.path, value).map(textOf).join(' ');
      return valuesAt(part.range, value)
        .map((one) => written(part.parts, one))
        .join('');
    })
    .join('');

/** Text as it is, anything else as JSON. */
export const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson(value));

const valuesAt = (steps: readonly Step[], value: JsonValue): readonly JsonValue[] =>
  steps.reduce<readonly JsonValue[]>((values, step) => values.flatMap((one) => taken(step, one)), [value]);

function taken(step: Step, value: JsonValue): readonly JsonValue[] {
  switch (step.kind) {
    case 'name':
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]!] : [];
    case 'all':
      return childrenOf(value);
    case 'deep':
      return [value, ...childrenOf(value).flatMap((child) => taken(step, child))];
    case 'index':
      return Array.isArray(value) ? value.slice(step.index, step.index === -1 ? undefined : step.index + 1) : [];
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to).filter((_, at) => at % step.step === 0) : [];
    case 'union':
      return step.steps.flatMap((one) => taken(one, value));
    case 'filter':
      return childrenOf(value).filter((child) => passes(step, child));
  }
}

function passes({ left, operator, right }: Step & { readonly kind: 'filter' }, value: JsonValue): boolean {
  const of = (operand: Operand): readonly JsonValue[] =>
    'path' in operand ? valuesAt(operand.path, value) : [operand.value];
  const [a] = of(left);
  if (operator === 'exists') return a !== undefined;
  const [b] = of(right);
  if (a === undefined || b === undefined || a === null || b === null) return operator === '!=' && a !== b;
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}

const isObject = (value: JsonValue): value is { readonly [name: string]: JsonValue } => isJsonObject(value);

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
