import { copyOf, OPERATORS, type Call, type Comprehension, type Expr } from './ast.js';
import type { Value } from './values.js';

/** A macro that is used in a way that it is not meant to be. */
export class MacroError extends Error {
  override readonly name = 'MacroError';

  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const ACCUMULATOR = '@result';
const OLD_ACCUMULATOR = '__result__';
const UNUSED = '#unused';

type Expand = (call: Call, make: Maker) => Expr;

/**
 * What a call stands for if it is one of a macro, or undefined.
 *
 * Source: cel-go v0.26.0, parser/macro.go, cel/library.go (`optMap`), ext/comprehensions.go, ext/lists.go (`sortBy`), ext/bindings.go.
 *
 * @param hasBindings whether `cel.bind` is one
 * @throws {MacroError}
 */
export function expandMacro(call: Call, hasBindings: boolean): Expr | undefined {
  if (hasBindings && isBinding(call)) return binding(call);
  const style = call.target === undefined ? 'global' : 'member';
  const macro = MACROS.get(`${style} ${call.name} ${call.args.length}`);
  return macro?.(call, new Maker(call.at));
}

const isBinding = ({ name, target, args }: Call): boolean =>
  name === 'bind' && args.length === 3 && target?.kind === 'ident' && target.name === 'cel';

/** `cel.bind(name, value, result)`. */
function binding({ at, args }: Call): Expr {
  const [name, value, result] = args;
  if (name?.kind === 'ident') return new Maker(at).bind(name.name, value!, result!);
  throw new MacroError(name!.at, 'cel.bind() variable names must be simple identifiers');
}

/** Makes the expressions that a macro becomes, all of them in its place. */
class Maker {
  constructor(private readonly at: number) {}

  literal(value: Value): Expr {
    return { kind: 'literal', at: this.at, value };
  }

  ident(name: string): Expr {
    return { kind: 'ident', at: this.at, name };
  }

  get result(): Expr {
    return this.ident(ACCUMULATOR);
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', at: this.at, name, args };
  }

  member(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return { kind: 'call', at: this.at, name, target, args };
  }

  list(...values: readonly Expr[]): Expr {
    return { kind: 'list', at: this.at, elements: values.map((value) => ({ value, isOptional: false })) };
  }

  map(): Expr {
    return { kind: 'map', at: this.at, entries: [] };
  }

  fold(parts: Omit<Comprehension, 'kind' | 'at' | 'accumulator' | 'result'> & { readonly result?: Expr }): Expr {
    return { kind: 'comprehension', at: this.at, accumulator: ACCUMULATOR, result: this.result, ...parts };
  }

  /** `result` with a name for a value. */
  bind(name: string, value: Expr, result: Expr): Expr {
    return {
      kind: 'comprehension',
      at: this.at,
      range: this.list(),
      variable: UNUSED,
      accumulator: name,
      init: value,
      condition: this.literal(false),
      step: this.ident(name),
      result,
    };
  }
}

/** The variables of a comprehension: one, or for a macro of the second kind two. */
function variablesOf(
  { args }: Call,
  count: 1 | 2,
  notAName = 'argument must be a simple name',
): { readonly variable: string; readonly secondVariable?: string } {
  const names = args.slice(0, count).map((arg) => {
    if (arg.kind !== 'ident') throw new MacroError(arg.at, notAName);
    return arg.name;
  });
  const [variable = '', secondVariable] = names;
  if (variable === secondVariable) throw new MacroError(args[1]!.at, `duplicate variable name: ${variable}`);
  for (const [index, name] of names.entries()) {
    if (name === ACCUMULATOR || name === OLD_ACCUMULATOR) {
      throw new MacroError(args[index]!.at, 'iteration variable overwrites accumulator variable');
    }
  }
  return secondVariable === undefined ? { variable } : { variable, secondVariable };
}

const all =
  (count: 1 | 2): Expand =>
  (call, make) =>
    make.fold({
      ...variablesOf(call, count),
      range: call.target!,
      init: make.literal(true),
      condition: make.call(OPERATORS.notStrictlyFalse, make.result),
      step: make.call(OPERATORS.and, make.result, call.args[count]!),
    });

const exists =
  (count: 1 | 2): Expand =>
  (call, make) =>
    make.fold({
      ...variablesOf(call, count),
      range: call.target!,
      init: make.literal(false),
      condition: make.call(OPERATORS.notStrictlyFalse, make.call(OPERATORS.not, make.result)),
      step: make.call(OPERATORS.or, make.result, call.args[count]!),
    });

const existsOne =
  (count: 1 | 2): Expand =>
  (call, make) =>
    make.fold({
      ...variablesOf(call, count),
      range: call.target!,
      init: make.literal(0n),
      condition: make.literal(true),
      step: make.call(
        OPERATORS.conditional,
        call.args[count]!,
        make.call(OPERATORS.add, make.result, make.literal(1n)),
        make.result,
      ),
      result: make.call(OPERATORS.equals, make.result, make.literal(1n)),
    });

/** A list of what `transform` makes of each element, of those for which `filter` holds. */
function collect(call: Call, make: Maker, count: 1 | 2, notAName?: string): Expr {
  const [transform, filter] = [...call.args.slice(count)].reverse();
  const step = make.call(OPERATORS.add, make.result, make.list(transform!));
  return make.fold({
    ...variablesOf(call, count, notAName),
    range: call.target!,
    init: make.list(),
    condition: make.literal(true),
    step: filter === undefined ? step : make.call(OPERATORS.conditional, filter, step, make.result),
  });
}

const NOT_AN_IDENTIFIER = 'argument is not an identifier';
const map: Expand = (call, make) => collect(call, make, 1, NOT_AN_IDENTIFIER);
const transformList: Expand = (call, make) => collect(call, make, 2);

const filter: Expand = (call, make) => {
  const [element, condition] = call.args;
  const variables = variablesOf(call, 1, NOT_AN_IDENTIFIER);
  const step = make.call(OPERATORS.add, make.result, make.list(element!));
  return make.fold({
    ...variables,
    range: call.target!,
    init: make.list(),
    condition: make.literal(true),
    step: make.call(OPERATORS.conditional, condition!, step, make.result),
  });
};

/** A map of what `entry` inserts for each element. */
const collectMap =
  (entry: (make: Maker, key: string, transform: Expr) => Expr): Expand =>
  (call, make) => {
    const variables = variablesOf(call, 2);
    const [transform, condition] = [...call.args.slice(2)].reverse();
    const step = entry(make, variables.variable, transform!);
    return make.fold({
      ...variables,
      range: call.target!,
      init: make.map(),
      condition: make.literal(true),
      step: condition === undefined ? step : make.call(OPERATORS.conditional, condition, step, make.result),
    });
  };

export const MAP_INSERT = 'cel.@mapInsert';
const transformMap = collectMap((make, key, transform) =>
  make.call(MAP_INSERT, make.result, make.ident(key), transform),
);
const transformMapEntry = collectMap((make, _key, transform) => make.call(MAP_INSERT, make.result, transform));

const has: Expand = ({ args: [arg] }, make) => {
  if (arg?.kind !== 'select') throw new MacroError(arg?.at ?? 0, 'invalid argument to has() macro');
  return { ...arg, at: make.literal(null).at, isTest: true };
};

const optional =
  (name: string, wrapped: (make: Maker, value: Expr) => Expr): Expand =>
  ({ target, args: [variable, transform] }, make) => {
    if (variable?.kind !== 'ident') {
      throw new MacroError(variable?.at ?? 0, `${name}() variable name must be a simple identifier`);
    }
    const value = make.member('value', copyOf(target!));
    return make.call(
      OPERATORS.conditional,
      make.member('hasValue', target!),
      wrapped(make, make.bind(variable.name, value, transform!)),
      make.call('optional.none'),
    );
  };

const SORT_INPUT = '@__sortBy_input__';
const SORTABLE: ReadonlySet<Expr['kind']> = new Set(['list', 'select', 'ident', 'comprehension', 'call']);

const sortBy: Expand = (call, make) => {
  const target = call.target!;
  if (!SORTABLE.has(target.kind)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new MacroError(target.at, message);
  }
  const keys = map({ ...call, target: make.ident(SORT_INPUT) }, make);
  return make.bind(SORT_INPUT, target, make.member('@sortByAssociatedKeys', make.ident(SORT_INPUT), keys));
};

const MACROS: ReadonlyMap<string, Expand> = new Map([
  ['global has 1', has],
  ['member all 2', all(1)],
  ['member all 3', all(2)],
  ['member exists 2', exists(1)],
  ['member exists 3', exists(2)],
  ['member exists_one 2', existsOne(1)],
  ['member exists_one 3', existsOne(2)],
  ['member existsOne 2', existsOne(1)],
  ['member existsOne 3', existsOne(2)],
  ['member filter 2', filter],
  ['member map 2', map],
  ['member map 3', map],
  ['member optFlatMap 2', optional('optFlatMap', (_make, value) => value)],
  ['member optMap 2', optional('optMap', (make, value) => make.call('optional.of', value))],
  ['member sortBy 2', sortBy],
  ['member transformList 3', transformList],
  ['member transformList 4', transformList],
  ['member transformMap 3', transformMap],
  ['member transformMap 4', transformMap],
  ['member transformMapEntry 3', transformMapEntry],
  ['member transformMapEntry 4', transformMapEntry],
]);
