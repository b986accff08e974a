import { Conditional, Rooted, type Attribute, type Qualifier, type Step } from './attribute.js';
import {
  OPERATORS,
  type Call,
  type Comprehension,
  type Expr,
  type ListLiteral,
  type MapLiteral,
  type Select,
  type StructLiteral,
} from './ast.js';
import type { Checked } from './checker.js';
import { costOfCall, LIST_COST, MAP_COST, STRUCT_COST } from './cost.js';
import type { CelFunction } from './declarations.js';
import { invocation } from './invoke.js';
import { equal, isNumber } from './operations.js';
import { compilePattern } from './regexp/pattern.js';
import { FoldScope, GrowingList, RootScope, Run, type Scope } from './run.js';
import {
  CelError,
  CelMap,
  Duration,
  isError,
  isList,
  LazyMap,
  noSuchOverload,
  Optional,
  StructValue,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from './values.js';
import { CelUnsupported } from './errors.js';
import { runtimeName, type CelType } from './types.js';

/** An expression that can be evaluated. */
interface Planned {
  readonly run: Step;
  /** The value, where it is the same in every evaluation; then it costs nothing. */
  readonly constant?: { readonly value: Value };
  /** Where more can be selected of it. */
  readonly attribute?: Attribute;
}

/** A constant part of an expression that cannot be evaluated, with cel-go's words. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);
/** Where the regular expression stands among the arguments. */
const REGEX_FUNCTIONS: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/**
 * Makes an expression ready to be evaluated: constant lists, maps and conversions are evaluated now, and constant regular expressions
 * are compiled.
 *
 * Source: cel-go v0.26.0, interpreter/planner.go and interpreter/decorators.go, with optimizing and cost tracking on.
 *
 * @throws {PlanError}
 */
export const planned = (expr: Expr, checked: Checked, types: ReadonlyMap<string, CelType>): Step =>
  new Planner(checked, types).plan(expr).run;

class Planner {
  constructor(
    private readonly checked: Checked,
    private readonly types: ReadonlyMap<string, CelType>,
  ) {}

  plan(expr: Expr): Planned {
    switch (expr.kind) {
      case 'literal':
        return constant(expr.value);
      case 'ident':
        return this.name(expr, expr.name);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'comprehension':
        return { run: this.comprehension(expr) };
      case 'struct':
        return { run: this.struct(expr) };
    }
  }

  private name(expr: Expr, written: string): Planned {
    const name = this.checked.names.get(expr) ?? { variable: written };
    if ('type' in name) return constant(new TypeValue(runtimeName(this.types.get(name.type)!)));
    return fromAttribute(new Rooted((scope) => scope.find(name.variable)));
  }

  private select(expr: Select): Planned {
    if (this.checked.names.has(expr)) return this.name(expr, '');
    const attribute = attributeOf(this.plan(expr.operand));
    attribute.add({ isOptional: false, isTest: expr.isTest, key: () => expr.field });
    return expr.isTest ? { run: presenceOf(attribute) } : fromAttribute(attribute);
  }

  private call(expr: Call): Planned {
    const resolved = this.checked.calls.get(expr);
    const hasTarget = expr.target !== undefined && resolved?.isQualified !== true;
    const args = [...(hasTarget ? [expr.target] : []), ...expr.args].map((arg) => this.plan(arg));
    switch (expr.name) {
      case OPERATORS.and:
        return { run: logical(args, false) };
      case OPERATORS.or:
        return { run: logical(args, true) };
      case OPERATORS.conditional:
        return conditional(args[0]!, args[1]!, args[2]!);
      case OPERATORS.equals:
        return { run: charged(args, OPERATORS.equals, 'equals', ([a, b]) => equal(a!, b!)) };
      case OPERATORS.notEquals:
        return { run: charged(args, OPERATORS.notEquals, 'not_equals', ([a, b]) => equal(a!, b!) !== true) };
      case OPERATORS.index:
        return indexed(args[0]!, args[1]!, false);
      case OPERATORS.optionalIndex:
      case OPERATORS.optionalSelect:
        return indexed(args[0]!, args[1]!, true);
      default:
        return this.invoked(resolved!.fn, resolved!.overloads, args);
    }
  }

  private invoked(fn: CelFunction, overloads: readonly string[], args: readonly Planned[]): Planned {
    const overload = overloads.length === 1 ? overloads[0]! : '';
    if (fn.name === 'or' || fn.name === 'orValue') return { run: alternative(fn.name, args[0]!, args[1]!) };
    const invoke = invocation(fn, overload);
    const [first, second] = args;
    if (overload === 'in_list' && second?.constant !== undefined) {
      const membership = inConstant(first!, second.constant.value);
      if (membership !== undefined) return membership;
    }
    if (CONVERSIONS.has(fn.name) && args.length === 1 && first?.constant !== undefined) {
      const value = invoke([first.constant.value]);
      if (isError(value)) throw new PlanError(value.message);
      return constant(value);
    }
    if (REGEX_FUNCTIONS.has(fn.name) && typeof second?.constant?.value === 'string') {
      const pattern = compilePattern(second.constant.value);
      if ('error' in pattern) throw new PlanError(pattern.error);
    }
    // Operators are called with all of their arguments evaluated, other functions up to the first error.
    return { run: charged(args, fn.name, overload, invoke, stopsAtError(fn, overload, args.length)) };
  }

  private list(expr: ListLiteral): Planned {
    const elements = expr.elements.map(({ value, isOptional }) => ({ element: this.plan(value), isOptional }));
    const run: Step = (scope) => {
      const values: Value[] = [];
      for (const { element, isOptional } of elements) {
        const value = element.run(scope);
        if (isError(value)) return value;
        if (!isOptional) values.push(value);
        else if (!(value instanceof Optional)) throw new CelUnsupported('an optional element that is none');
        else if (value.value !== undefined) values.push(value.value);
      }
      return values;
    };
    return elements.every(({ element }) => element.constant) ? folded(run) : { run: plus(run, LIST_COST) };
  }

  private struct(expr: StructLiteral): Step {
    const fields = expr.fields.map(({ name, value, isOptional }) => ({ name, value: this.plan(value), isOptional }));
    const typeName = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
    const run: Step = (scope) => {
      const made = new Map<string, Value>();
      for (const { name, value: planned, isOptional } of fields) {
        const value = planned.run(scope);
        if (isError(value)) return value;
        if (!isOptional) made.set(name, value);
        else if (!(value instanceof Optional)) throw new CelUnsupported('an optional field that is none');
        else if (value.value !== undefined) made.set(name, value.value);
      }
      return new StructValue(typeName, made);
    };
    return plus(run, STRUCT_COST);
  }

  private map(expr: MapLiteral): Planned {
    const entries = expr.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      isOptional: entry.isOptional,
    }));
    const run: Step = (scope) => {
      const made: [Value, Value][] = [];
      for (const { key: plannedKey, value: plannedValue, isOptional } of entries) {
        const key = plannedKey.run(scope);
        if (isError(key)) return key;
        const value = plannedValue.run(scope);
        if (isError(value)) return value;
        if (typeof key === 'object') throw new CelUnsupported(`a map with a key of type ${typeNameOf(key)}`);
        if (!isOptional) made.push([key, value]);
        else if (!(value instanceof Optional)) throw new CelUnsupported('an optional entry that is none');
        else if (value.value !== undefined) made.push([key, value.value]);
      }
      return new CelMap(made);
    };
    const isConstant = entries.every(({ key, value }) => key.constant && value.constant);
    return isConstant ? folded(run) : { run: plus(run, MAP_COST) };
  }

  private comprehension(expr: Comprehension): Step {
    const init = this.plan(expr.init);
    const range = this.plan(expr.range);
    const condition = this.plan(expr.condition);
    const step = this.plan(expr.step);
    const result = this.plan(expr.result);
    return (outer) => {
      const over = range.run(outer);
      if (isError(over)) return over;
      const entries = entriesOf(over, outer.run, expr.secondVariable !== undefined);
      if (entries instanceof CelError) return entries;
      const scope = new FoldScope(outer, expr, () => growing(init.run(outer)));
      for (const [first, second] of entries) {
        scope.first = first;
        scope.second = second;
        const goesOn = condition.run(scope);
        if (goesOn === false) break;
        scope.accumulate(step.run(scope));
      }
      scope.isDone = true;
      const value = result.run(scope);
      return value instanceof GrowingList ? Array.from(value) : value;
    };
  }
}

const constant = (value: Value): Planned => ({ run: () => value, constant: { value } });

const nothing = (): Scope => new RootScope(new Run(() => noSuchOverload(), Infinity, false));

const folded = (run: Step): Planned => constant(run(nothing()));

/** A list that is empty will be added to. */
const growing = (value: Value): Value => (isList(value) && value.length === 0 ? new GrowingList() : value);

const plus =
  (run: Step, cost: number): Step =>
  (scope) => {
    const value = run(scope);
    scope.run.charge(cost);
    return value;
  };

const fromAttribute = (attribute: Attribute): Planned => ({
  attribute,
  run: (scope) => {
    const value = attribute.resolve(scope);
    scope.run.charge(attribute.cost);
    return value;
  },
});

const presenceOf =
  (attribute: Attribute): Step =>
  (scope) => {
    const value = attribute.resolve(scope);
    // Testing costs nothing besides what is selected.
    scope.run.charge(attribute.cost - 1);
    return value instanceof Optional ? value.value !== undefined : value;
  };

const attributeOf = ({ attribute, run }: Planned): Attribute => attribute ?? new Rooted(run);

function indexed(operand: Planned, index: Planned, isOptional: boolean): Planned {
  const attribute = attributeOf(operand);
  const key: Step =
    index.constant === undefined ? (index.attribute?.resolve.bind(index.attribute) ?? index.run) : index.run;
  const qualifier: Qualifier = { isOptional, isTest: false, key };
  attribute.add(qualifier);
  return fromAttribute(attribute);
}

const conditional = (condition: Planned, yes: Planned, no: Planned): Planned =>
  fromAttribute(new Conditional(condition.run, attributeOf(yes), attributeOf(no)));

/** `&&` and `||`: what decides wins over an error. */
const logical =
  (terms: readonly Planned[], deciding: boolean): Step =>
  (scope) => {
    let error: CelError | undefined;
    for (const term of terms) {
      const value = term.run(scope);
      if (value === deciding) return deciding;
      if (typeof value !== 'boolean') error ??= isError(value) ? value : noSuchOverload();
    }
    return error ?? !deciding;
  };

/** `a.or(b)`, `a.orValue(b)`. */
const alternative =
  (name: string, first: Planned, second: Planned): Step =>
  (scope) => {
    const value = first.run(scope);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return second.run(scope);
    return name === 'or' ? value : value.value;
  };

/** Whether an argument that errs keeps those after it from being evaluated: with three of them, or where the signature is yet to be found. */
function stopsAtError(fn: CelFunction, overload: string, count: number): boolean {
  if (count > 2 || fn.name === 'format') return true;
  return overload === '' && fn.run === undefined && fn.overloads.filter(({ run }) => run !== undefined).length > 1;
}

/** Evaluates the arguments, calls the function unless one of them is an error, and charges the call. */
function charged(
  args: readonly Planned[],
  name: string,
  overload: string,
  invoke: (args: readonly Value[]) => Value,
  stops = false,
): Step {
  const cost = costOfCall(name, overload);
  const takesErrors = name === OPERATORS.notStrictlyFalse;
  return (scope) => {
    const values: Value[] = [];
    let error: CelError | undefined;
    for (const arg of args) {
      const value = arg.run(scope);
      if (isError(value)) {
        error ??= value;
        if (stops) return error;
      }
      values.push(value);
    }
    const result = error === undefined || takesErrors ? invoke(values) : error;
    scope.run.charge(cost(values, result));
    return result;
  };
}

/** `x in [1, 2]` costs nothing but `x`; undefined for a list of other things than texts, numbers and booleans. */
function inConstant(element: Planned, list: Value): Planned | undefined {
  if (!isList(list)) return undefined;
  if (list.length === 0) return constant(false);
  if (!list.every((item) => typeof item === 'string' || typeof item === 'boolean' || isNumber(item))) return undefined;
  const known = new CelMap(list.map((item) => [item, true]));
  return {
    run: (scope) => {
      const value = element.run(scope);
      return isError(value) ? value : known.find(value) !== undefined;
    },
  };
}

/** What a comprehension goes through: elements or keys, or two values each. */
function entriesOf(range: Value, run: Run, isPaired: boolean): readonly (readonly [Value, Value])[] | CelError {
  if (isList(range)) {
    return isPaired ? range.map((item, index) => [BigInt(index), item]) : range.map((item) => [item, null]);
  }
  if (range instanceof CelMap) {
    const entries = range.all();
    if (entries.length > 1) run.sawOrder = true;
    return run.isReversed ? entries.reverse() : entries;
  }
  if (range instanceof LazyMap) throw new CelUnsupported(`a comprehension over ${range.typeName}`);
  const type = goTypeOf(range);
  return isPaired
    ? new CelError(`unsupported comprehension range type: ${type}`)
    : new CelError(`got '${type}', expected iterable type`);
}

function goTypeOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'types.String';
    case 'bigint':
      return 'types.Int';
    case 'number':
      return 'types.Double';
    case 'boolean':
      return 'types.Bool';
  }
  if (value === null) return 'types.Null';
  if (value instanceof Uint8Array) return 'types.Bytes';
  if (value instanceof Uint) return 'types.Uint';
  if (value instanceof Duration) return 'types.Duration';
  if (value instanceof Timestamp) return 'types.Timestamp';
  if (value instanceof Optional) return '*types.Optional';
  throw new CelUnsupported(`a comprehension over ${typeNameOf(value)}`);
}
