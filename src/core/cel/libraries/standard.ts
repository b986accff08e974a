import { OPERATORS } from '../ast.js';
import { method, overload, type CelFunction, type Overload } from '../declarations.js';
import {
  add,
  compare,
  contains,
  divide,
  isComparable,
  modulo,
  multiply,
  negate,
  sizeOf,
  subtract,
} from '../operations.js';
import { compilePattern } from '../regexp/pattern.js';
import { GrowingList } from '../run.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  parameter,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
  type CelType,
} from '../types.js';
import {
  CelError,
  Duration,
  isError,
  isList,
  LazyMap,
  noSuchOverload,
  typeNameOf,
  TypeValue,
  type Value,
} from '../values.js';
import { CONVERSIONS } from './conversions.js';
import { TIME_FUNCTIONS } from './times.js';

const A = parameter('A');
const B = parameter('B');
const LIST = listOf(A);
const MAP = mapOf(A, B);

/** The signatures of an operator on two operands, each as `id: left right result`. */
const binary = (...signatures: readonly (readonly [string, CelType, CelType, CelType])[]): Overload[] =>
  signatures.map(([id, left, right, result]) => overload(id, [left, right], result));

const add_: CelFunction = {
  name: OPERATORS.add,
  overloads: binary(
    ['add_bytes', BYTES, BYTES, BYTES],
    ['add_double', DOUBLE, DOUBLE, DOUBLE],
    ['add_duration_duration', DURATION, DURATION, DURATION],
    ['add_duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP],
    ['add_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP],
    ['add_int64', INT, INT, INT],
    ['add_list', LIST, LIST, LIST],
    ['add_string', STRING, STRING, STRING],
    ['add_uint64', UINT, UINT, UINT],
  ),
  run: (a, b) => {
    if (!(a instanceof GrowingList) || !isList(b)) return add(a, b);
    for (const item of b) a.push(item);
    return a;
  },
};

const subtract_: CelFunction = {
  name: OPERATORS.subtract,
  overloads: binary(
    ['subtract_double', DOUBLE, DOUBLE, DOUBLE],
    ['subtract_duration_duration', DURATION, DURATION, DURATION],
    ['subtract_int64', INT, INT, INT],
    ['subtract_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP],
    ['subtract_timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION],
    ['subtract_uint64', UINT, UINT, UINT],
  ),
  run: (a, b) => subtract(a, b),
};

const NUMERIC: readonly (readonly [string, CelType])[] = [
  ['double', DOUBLE],
  ['int64', INT],
  ['uint64', UINT],
];
const numeric = (name: string, types = NUMERIC): Overload[] =>
  types.map(([suffix, type]) => overload(`${name}_${suffix}`, [type, type], type));

/** `<` and the like, in the order in which they are declared. */
function ordered(name: string, id: string, holds: (order: -1 | 0 | 1) => boolean): CelFunction {
  const same: readonly (readonly [string, CelType])[] = [
    ['string', STRING],
    ['bytes', BYTES],
    ['timestamp', TIMESTAMP],
    ['duration', DURATION],
  ];
  const across: readonly (readonly [string, CelType, CelType])[] = [
    ['bool', BOOL, BOOL],
    ['int64', INT, INT],
    ['int64_double', INT, DOUBLE],
    ['int64_uint64', INT, UINT],
    ['uint64', UINT, UINT],
    ['uint64_double', UINT, DOUBLE],
    ['uint64_int64', UINT, INT],
    ['double', DOUBLE, DOUBLE],
    ['double_int64', DOUBLE, INT],
    ['double_uint64', DOUBLE, UINT],
  ];
  return {
    name,
    overloads: [
      ...across.map(([suffix, a, b]) => overload(`${id}_${suffix}`, [a, b], BOOL)),
      ...same.map(([suffix, type]) => overload(`${id}_${suffix}`, [type, type], BOOL)),
    ],
    run: (a, b) => {
      if (!isComparable(a)) return undefined;
      const order = compare(a, b);
      return typeof order === 'number' ? holds(order) : order;
    },
  };
}

const size: CelFunction = {
  name: 'size',
  overloads: (
    [
      ['bytes', BYTES],
      ['list', LIST],
      ['map', MAP],
      ['string', STRING],
    ] as const
  ).flatMap(([name, type]) => [overload(`size_${name}`, [type], INT), method(`${name}_size`, [type], INT)]),
  run: (value) => {
    const count = sizeOf(value);
    return count === undefined ? undefined : BigInt(count);
  },
};

const text = (name: string, id: string, holds: (text: string, part: string) => boolean): CelFunction => ({
  name,
  overloads: [
    method(id, [STRING, STRING], BOOL, (value, part) => {
      if (typeof value === 'string' && typeof part === 'string') return holds(value, part);
      return isError(value) ? value : noSuchOverload();
    }),
  ],
  isUnguarded: true,
});

const matches: CelFunction = {
  name: 'matches',
  overloads: [overload('matches', [STRING, STRING], BOOL), method('matches_string', [STRING, STRING], BOOL)],
  run: (value, pattern) => {
    if (typeof value !== 'string') return undefined;
    if (typeof pattern !== 'string') return noSuchOverload();
    const compiled = compilePattern(pattern);
    return 'error' in compiled ? new CelError(compiled.error) : compiled.isFoundIn(value);
  },
};

const isDivisible = (value: Value): boolean => typeof value === 'bigint' || typeNameOf(value) === 'uint';

/** cel-go v0.26.0, common/stdlib/standard.go. */
export const STANDARD: readonly CelFunction[] = [
  { name: OPERATORS.conditional, overloads: [overload('conditional', [BOOL, A, A], A)] },
  { name: OPERATORS.and, overloads: [overload('logical_and', [BOOL, BOOL], BOOL)] },
  { name: OPERATORS.or, overloads: [overload('logical_or', [BOOL, BOOL], BOOL)] },
  {
    name: OPERATORS.not,
    overloads: [overload('logical_not', [BOOL], BOOL)],
    run: (value) => (typeof value === 'boolean' ? !value : noSuchOverload()),
  },
  {
    name: OPERATORS.notStrictlyFalse,
    overloads: [overload('not_strictly_false', [BOOL], BOOL)],
    run: (value) => (typeof value === 'boolean' ? value : true),
  },
  { name: OPERATORS.equals, overloads: [overload('equals', [A, A], BOOL)] },
  { name: OPERATORS.notEquals, overloads: [overload('not_equals', [A, A], BOOL)] },
  add_,
  { name: OPERATORS.divide, overloads: numeric('divide'), run: (a, b) => divide(a, b) },
  {
    name: OPERATORS.modulo,
    overloads: numeric('modulo', NUMERIC.slice(1)),
    run: (a, b) => (isDivisible(a) ? modulo(a, b) : undefined),
  },
  { name: OPERATORS.multiply, overloads: numeric('multiply'), run: (a, b) => multiply(a, b) },
  {
    name: OPERATORS.negate,
    overloads: [overload('negate_double', [DOUBLE], DOUBLE), overload('negate_int64', [INT], INT)],
    run: (value) => {
      if (typeof value === 'boolean') return noSuchOverload();
      const isNegatable = typeof value === 'bigint' || typeof value === 'number' || value instanceof Duration;
      return isNegatable ? negate(value) : undefined;
    },
  },
  subtract_,
  ordered(OPERATORS.less, 'less', (order) => order === -1),
  ordered(OPERATORS.lessEquals, 'less_equals', (order) => order !== 1),
  ordered(OPERATORS.greater, 'greater', (order) => order === 1),
  ordered(OPERATORS.greaterEquals, 'greater_equals', (order) => order !== -1),
  { name: OPERATORS.index, overloads: [overload('index_list', [LIST, INT], A), overload('index_map', [MAP, A], B)] },
  {
    name: OPERATORS.in,
    overloads: [overload('in_list', [A, LIST], BOOL), overload('in_map', [A, MAP], BOOL)],
    run: (value, container) =>
      container instanceof LazyMap
        ? container.find(value) !== undefined
        : (contains(container, value) ?? noSuchOverload()),
  },
  size,
  {
    name: 'type',
    overloads: [overload('type', [A], typeOf(A))],
    run: (value) => new TypeValue(typeNameOf(value)),
  },
  { name: 'dyn', overloads: [overload('to_dyn', [A], DYN)], run: (value) => value },
  ...CONVERSIONS,
  text('contains', 'contains_string', (value, part) => value.includes(part)),
  text('endsWith', 'ends_with_string', (value, part) => value.endsWith(part)),
  text('startsWith', 'starts_with_string', (value, part) => value.startsWith(part)),
  matches,
  ...TIME_FUNCTIONS,
];

/** The names of types that the language has. */
export const STANDARD_TYPES: readonly (readonly [string, CelType])[] = [
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['google.protobuf.Duration', DURATION],
  ['int', INT],
  ['list', LIST],
  ['map', MAP],
  ['null_type', { kind: 'simple', name: 'null' }],
  ['string', STRING],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['type', { kind: 'type' }],
  ['uint', UINT],
];
