import { method, overload, type CelFunction, type Overload } from '../declarations.js';
import { CelUnsupported } from '../errors.js';
import { add, compare, contains, equal, isComparable } from '../operations.js';
import { CostExceeded } from '../run.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  parameter,
  runtimeName,
  STRING,
  TIMESTAMP,
  UINT,
  type CelType,
} from '../types.js';
import { CelError, Duration, isError, isList, noSuchOverload, typeNameOf, Uint, type Value } from '../values.js';

const A = parameter('A');
const T = parameter('T');
const COMPARABLE: readonly (readonly [string, CelType])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];
const SUMMABLE: readonly (readonly [string, CelType, Value])[] = [
  ['int', INT, 0n],
  ['uint', UINT, new Uint(0n)],
  ['double', DOUBLE, 0],
  ['duration', DURATION, new Duration(0n)],
];

const items = (list: Value): readonly Value[] => (isList(list) ? list : []);

function isSorted(list: Value): Value {
  let previous: Value | undefined;
  for (const item of items(list)) {
    if (!isComparable(item)) return noSuchOverload();
    if (previous !== undefined && compare(previous, item) === 1) return false;
    previous = item;
  }
  return true;
}

function sum(list: Value, zero: Value): Value {
  let total = zero;
  for (const item of items(list)) {
    const next = add(total, item) ?? noSuchOverload();
    if (isError(next)) return noSuchOverload();
    total = next;
  }
  return total;
}

/** The item that all others are on the other side of. */
function extreme(name: string, list: Value, worse: -1 | 1): Value {
  let best: Value | undefined;
  for (const item of items(list)) {
    if (!isComparable(item)) return noSuchOverload();
    if (best === undefined || compare(best, item) === worse) best = item;
  }
  return best ?? new CelError(`${name} called on empty list`);
}

const indexIn = (list: Value, item: Value): Value => BigInt(items(list).findIndex((one) => equal(one, item) === true));
const lastIndexIn = (list: Value, item: Value): Value =>
  BigInt(items(list).findLastIndex((one) => equal(one, item) === true));

const comparing = (
  id: (name: string) => string,
  result: (type: CelType) => CelType,
  run: (list: Value) => Value,
): Overload[] => COMPARABLE.map(([name, type]) => method(id(name), [listOf(type)], result(type), run));

/** k8s.io/apiserver v0.36.2, pkg/cel/library/lists.go. */
export const KUBERNETES_LISTS: readonly CelFunction[] = [
  {
    name: 'isSorted',
    overloads: comparing(
      (name) => `list_${name}_is_sorted_bool`,
      () => BOOL,
      isSorted,
    ),
  },
  {
    name: 'sum',
    overloads: SUMMABLE.map(([name, type, zero]) =>
      method(`list_${name}_sum_${name}`, [listOf(type)], type, (list) => sum(list, zero)),
    ),
  },
  {
    name: 'max',
    overloads: comparing(
      (name) => `list_${name}_max_${name}`,
      (type) => type,
      (list) => extreme('max', list, -1),
    ),
  },
  {
    name: 'min',
    overloads: comparing(
      (name) => `list_${name}_min_${name}`,
      (type) => type,
      (list) => extreme('min', list, 1),
    ),
  },
  { name: 'indexOf', overloads: [method('list_a_index_of_int', [listOf(A), A], INT, indexIn)] },
  { name: 'lastIndexOf', overloads: [method('list_a_last_index_of_int', [listOf(A), A], INT, lastIndexIn)] },
];

/** A longer one costs more than any expression may. */
const GREATEST_RANGE = 1_000_000n;

function range(count: Value): Value {
  if ((count as bigint) > GREATEST_RANGE) throw new CostExceeded();
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index));
}

function slice(list: Value, start: Value, end: Value): Value {
  const all = items(list);
  const [from, to] = [start as bigint, end as bigint];
  const refused = (why: string): CelError => new CelError(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) return refused('negative indexes not supported');
  if (from > to) return refused('start index must be less than or equal to end index');
  if (BigInt(all.length) < to) return refused(`list is length ${all.length}`);
  return all.slice(Number(from), Number(to));
}

function flatten(list: Value, depth: Value): Value {
  if (!isList(list)) return new CelError(`no such overload: ${typeNameOf(list)}.flatten()`);
  if ((depth as bigint) < 0n) return new CelError('level must be non-negative');
  return flat(list, depth as bigint);
}

const flat = (list: readonly Value[], depth: bigint): Value[] =>
  list.flatMap((item) => (isList(item) && depth > 0n ? flat(item, depth - 1n) : [item]));

const distinct = (list: readonly Value[]): Value[] => {
  const unique: Value[] = [];
  for (const item of list) {
    if (contains(unique, item) !== true) unique.push(item);
  }
  return unique;
};

/** Go keeps the order of equal elements in lists that are no longer than this. */
const STABLE = 12;

function sortBy(list: Value, keys: Value): Value {
  const values = items(list);
  const by = items(keys);
  if (values.length !== by.length) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${values.length} and ${by.length} elements respectively`,
    );
  }
  const [first] = by;
  if (first === undefined) return list;
  if (!isComparable(first)) return new CelError('list elements must be comparable');
  if (by.length > 1 && by.some((key) => typeNameOf(key) !== typeNameOf(first))) {
    return new CelError('list elements must have the same type');
  }
  if (keys !== list && by.length > STABLE && distinct(by).length < by.length) {
    throw new CelUnsupported('the order of elements with equal keys');
  }
  const order = by.map((key, index) => ({ key, index }));
  order.sort((a, b) => {
    const compared = compare(a.key, b.key);
    return typeof compared === 'number' ? compared : 0;
  });
  return order.map(({ index }) => values[index]!);
}

/** cel-go v0.26.0, ext/lists.go, version 3. */
export const LISTS: readonly CelFunction[] = [
  { name: 'slice', overloads: [method('list_slice', [listOf(T), INT, INT], listOf(T), slice)] },
  {
    name: 'flatten',
    overloads: [
      method('list_flatten', [listOf(listOf(T))], listOf(T), (list) => flatten(list, 1n)),
      method('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten),
    ],
    isUnguarded: true,
  },
  {
    name: 'sort',
    overloads: COMPARABLE.map(([, type]) => method(`list_${runtimeName(type)}_sort`, [listOf(type)], listOf(type))),
    run: (list) => (isList(list) ? sortBy(list, list) : undefined),
  },
  {
    name: '@sortByAssociatedKeys',
    overloads: COMPARABLE.map(([, type]) =>
      method(`list_${runtimeName(type)}_sortByAssociatedKeys`, [listOf(T), listOf(type)], listOf(T)),
    ),
    run: (list, keys) => (isList(list) ? sortBy(list, keys) : undefined),
  },
  { name: 'lists.range', overloads: [overload('lists_range', [INT], listOf(INT), range)] },
  {
    name: 'reverse',
    overloads: [method('list_reverse', [listOf(T)], listOf(T), (list) => [...items(list)].reverse())],
  },
  { name: 'distinct', overloads: [method('list_distinct', [listOf(T)], listOf(T), (list) => distinct(items(list)))] },
];

const setsContain = (list: Value, part: Value): boolean => items(part).every((item) => contains(list, item) === true);

/** cel-go v0.26.0, ext/sets.go. */
export const SETS: readonly CelFunction[] = [
  {
    name: 'sets.contains',
    overloads: [overload('list_sets_contains_list', [listOf(T), listOf(T)], BOOL, setsContain)],
  },
  {
    name: 'sets.equivalent',
    overloads: [
      overload(
        'list_sets_equivalent_list',
        [listOf(T), listOf(T)],
        BOOL,
        (a, b) => setsContain(a, b) && setsContain(b, a),
      ),
    ],
  },
  {
    name: 'sets.intersects',
    overloads: [
      overload('list_sets_intersects_list', [listOf(T), listOf(T)], BOOL, (a, b) =>
        items(a).some((item) => contains(b, item) === true),
      ),
    ],
  },
];
