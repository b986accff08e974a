import { childrenOf, type Call, type Expr } from './ast.js';
import type { Checked, Declarations } from './checker.js';
import { CelUnsupported, type CelIssue } from './errors.js';
import { invocation } from './invoke.js';
import { format, FormatError, misfit, type Clause } from './libraries/string-format.js';
import { compilePattern } from './regexp/pattern.js';
import { formatType, isSimple, runtimeName, sameType, unwrapOptional, type CelType } from './types.js';
import { isError } from './values.js';

/**
 * What is refused although its types are right: lists and maps with elements of several types, and constant durations, timestamps,
 * regular expressions and formats that are none.
 *
 * Source: cel-go v0.26.0, cel/validator.go and ext/formatting.go, in the order of k8s.io/apiserver v0.36.2, pkg/cel/environment/base.go.
 */
export function validate(expr: Expr, checked: Checked, { functions }: Declarations): CelIssue[] {
  const all = [...descendants(expr)];
  const calls = all.filter((one) => one.kind === 'call');
  const issues = mixedLiterals(expr, checked);
  for (const name of ['duration', 'timestamp', 'matches']) {
    for (const call of calls) {
      const arg = call.args[0];
      if (call.name !== name || arg?.kind !== 'literal') continue;
      const isFine =
        name === 'matches' ? isPattern(arg.value) : !isError(invocation(functions.get(name)!, '')([arg.value]));
      if (!isFine) issues.push({ at: arg.at, message: `invalid ${name} argument` });
    }
  }
  for (const call of calls) issues.push(...formatIssues(call, checked));
  return issues;
}

function* descendants(expr: Expr): Generator<Expr> {
  yield expr;
  for (const child of childrenOf(expr)) yield* descendants(child);
}

const isPattern = (pattern: unknown): boolean => typeof pattern !== 'string' || !('error' in compilePattern(pattern));

/** Those inside calls of `format` may be mixed. */
function* outsideFormats(expr: Expr): Generator<Expr> {
  yield expr;
  if (expr.kind === 'call' && expr.name === 'format') return;
  for (const child of childrenOf(expr)) yield* outsideFormats(child);
}

function mixedLiterals(expr: Expr, checked: Checked): CelIssue[] {
  const issues: CelIssue[] = [];
  const typeOf = (one: Expr, isOptional: boolean): CelType => {
    const type = checked.types.get(one)!;
    return isOptional ? (unwrapOptional(type) ?? type) : type;
  };
  const differs = (one: Expr, type: CelType, first: CelType | undefined): boolean => {
    if (first === undefined || sameType(first, type)) return false;
    issues.push({ at: one.at, message: `expected type '${formatType(first)}' but found '${formatType(type)}'` });
    return true;
  };
  const places = [...outsideFormats(expr)];
  for (const list of places) {
    if (list.kind !== 'list') continue;
    const [head] = list.elements;
    if (head === undefined) continue;
    const first = typeOf(head.value, head.isOptional);
    list.elements.some(({ value, isOptional }) => differs(value, typeOf(value, isOptional), first));
  }
  for (const map of places) {
    if (map.kind !== 'map') continue;
    const [head] = map.entries;
    if (head === undefined) continue;
    for (const { key, value, isOptional } of map.entries) {
      differs(key, typeOf(key, false), typeOf(head.key, false));
      differs(value, typeOf(value, isOptional), typeOf(head.value, head.isOptional));
    }
  }
  return issues;
}

function formatIssues(call: Call, { types, calls }: Checked): CelIssue[] {
  const [list] = call.args;
  const isFormat = call.name === 'format' && calls.get(call)?.overloads.includes('string_format') === true;
  if (!isFormat || list?.kind !== 'list' || call.args.length !== 1) return [];
  const { target } = call;
  if (target?.kind !== 'literal' || typeof target.value !== 'string') return [];
  const args = list.elements.map(({ value }) => value);
  try {
    const { used } = format(target.value, args.length, (clause, index) => {
      verify(clause, args[index]!, types);
      return '';
    });
    if (args.length <= used) return [];
    const message = `too many arguments supplied to string.format (expected ${used}, got ${args.length})`;
    return [{ at: call.at, message }];
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return [{ at: error.argument === undefined ? call.at : args[error.argument]!.at, message: error.message }];
  }
}

const TAKEN: Readonly<Record<Clause['verb'], readonly string[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

function verify({ verb }: Clause, arg: Expr, types: Checked['types']): void {
  const type = types.get(arg)!;
  const kind = type.kind === 'simple' ? type.name : type.kind;
  if (!isSimple(type, 'dyn') && !TAKEN[verb].includes(kind)) throw misfit(verb, runtimeName(type));
  if (verb !== 's') return;
  if (arg.kind !== 'list' && arg.kind !== 'map') return;
  for (const inner of childrenOf(arg)) {
    try {
      verify({ verb, precision: undefined }, inner, types);
    } catch (error) {
      // Upstream reports it at the element.
      if (error instanceof FormatError) throw new CelUnsupported('a format with such an element');
      throw error;
    }
  }
}
