import type { Value } from './values.js';

/**
 * A parsed expression. `at` is where it is reported: the offset, in code points, of an operator, a dot or an opening bracket, or of the
 * first character of anything else.
 */
export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

interface Located {
  readonly at: number;
}

export interface Literal extends Located {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Ident extends Located {
  readonly kind: 'ident';
  readonly name: string;
}

export interface Select extends Located {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly isTest: boolean;
}

export interface Call extends Located {
  readonly kind: 'call';
  /** Operators are functions with names such as `_==_`. */
  readonly name: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

export interface ListLiteral extends Located {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Expr; readonly isOptional: boolean }[];
}

export interface MapLiteral extends Located {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

/** `Name{field: value}`. */
export interface StructLiteral extends Located {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface StructField extends Located {
  readonly name: string;
  readonly value: Expr;
  readonly isOptional: boolean;
}

/** What every macro over a list or map becomes: `step` makes a new value of `accumulator` for each element. */
export interface Comprehension extends Located {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** The value, where `variable` is the key or index. */
  readonly secondVariable?: string;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The operators by their names as functions. */
export const OPERATORS = {
  add: '_+_',
  and: '_&&_',
  conditional: '_?_:_',
  divide: '_/_',
  equals: '_==_',
  greater: '_>_',
  greaterEquals: '_>=_',
  in: '@in',
  index: '_[_]',
  less: '_<_',
  lessEquals: '_<=_',
  modulo: '_%_',
  multiply: '_*_',
  negate: '-_',
  not: '!_',
  notEquals: '_!=_',
  notStrictlyFalse: '@not_strictly_false',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  or: '_||_',
  subtract: '_-_',
} as const;

/** The expressions directly below one, in the order in which they are written or evaluated. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements.map(({ value }) => value);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

/** A copy whose nodes are distinct, so that they can have types of their own. */
export function copyOf(expr: Expr): Expr {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return { ...expr };
    case 'struct':
      return { ...expr, fields: expr.fields.map((field) => ({ ...field, value: copyOf(field.value) })) };
    case 'select':
      return { ...expr, operand: copyOf(expr.operand) };
    case 'call':
      return {
        ...expr,
        ...(expr.target && { target: copyOf(expr.target) }),
        args: expr.args.map(copyOf),
      };
    case 'list':
      return { ...expr, elements: expr.elements.map((element) => ({ ...element, value: copyOf(element.value) })) };
    case 'map':
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({ ...entry, key: copyOf(entry.key), value: copyOf(entry.value) })),
      };
    case 'comprehension':
      return {
        ...expr,
        range: copyOf(expr.range),
        init: copyOf(expr.init),
        condition: copyOf(expr.condition),
        step: copyOf(expr.step),
        result: copyOf(expr.result),
      };
  }
}
