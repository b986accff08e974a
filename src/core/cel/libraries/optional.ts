import { OPERATORS } from '../ast.js';
import { method, overload, type CelFunction } from '../declarations.js';
import { isList, Optional, CelError, CelMap, Duration, Uint, type Value } from '../values.js';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, parameter, STRING } from '../types.js';

const K = parameter('K');
const V = parameter('V');
const OPTIONAL = optionalOf(V);
const LIST = listOf(V);
const MAP = mapOf(K, V);

/** Whether a value is the empty one of its type. */
function isZero(value: Value): boolean {
  if (value === null || value === '' || value === false || value === 0n || value === 0) return true;
  if (isList(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  return value instanceof Duration && value.nanoseconds === 0n;
}

const at = (list: Value, index: number): Value => {
  const item = isList(list) ? list.at(index) : undefined;
  return item === undefined ? Optional.NONE : Optional.of(item);
};

function unwrap(list: Value): Value {
  const values: Value[] = [];
  for (const item of isList(list) ? list : []) {
    if (!(item instanceof Optional)) return new CelError('value is not optional');
    if (item.value !== undefined) values.push(item.value);
  }
  return values;
}

/** cel-go v0.26.0, cel/library.go, `optionalLib`. */
export const OPTIONALS: readonly CelFunction[] = [
  { name: 'optional.of', overloads: [overload('optional_of', [V], OPTIONAL, (value) => Optional.of(value))] },
  {
    name: 'optional.ofNonZeroValue',
    overloads: [
      overload('optional_ofNonZeroValue', [V], OPTIONAL, (value) =>
        isZero(value) ? Optional.NONE : Optional.of(value),
      ),
    ],
  },
  { name: 'optional.none', overloads: [overload('optional_none', [], OPTIONAL, () => Optional.NONE)] },
  {
    name: 'value',
    overloads: [
      method(
        'optional_value',
        [OPTIONAL],
        V,
        (value) => (value as Optional).value ?? new CelError('optional.none() dereference'),
      ),
    ],
  },
  {
    name: 'hasValue',
    overloads: [method('optional_hasValue', [OPTIONAL], BOOL, (value) => (value as Optional).value !== undefined)],
  },
  { name: 'or', overloads: [method('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL)] },
  { name: 'orValue', overloads: [method('optional_orValue_value', [OPTIONAL, V], V)] },
  { name: OPERATORS.optionalSelect, overloads: [overload('select_optional_field', [DYN, STRING], OPTIONAL)] },
  {
    name: OPERATORS.optionalIndex,
    overloads: [
      overload('list_optindex_optional_int', [LIST, INT], OPTIONAL),
      overload('optional_list_optindex_optional_int', [optionalOf(LIST), INT], OPTIONAL),
      overload('map_optindex_optional_value', [MAP, K], OPTIONAL),
      overload('optional_map_optindex_optional_value', [optionalOf(MAP), K], OPTIONAL),
    ],
  },
  {
    name: OPERATORS.index,
    overloads: [
      overload('optional_list_index_int', [optionalOf(LIST), INT], OPTIONAL),
      overload('optional_map_index_value', [optionalOf(MAP), K], OPTIONAL),
    ],
  },
  { name: 'last', overloads: [method('list_last', [LIST], OPTIONAL, (list) => at(list, -1))] },
  { name: 'first', overloads: [method('list_first', [LIST], OPTIONAL, (list) => at(list, 0))] },
  { name: 'optional.unwrap', overloads: [overload('optional_unwrap', [listOf(OPTIONAL)], LIST, unwrap)] },
  { name: 'unwrapOpt', overloads: [method('optional_unwrapOpt', [listOf(OPTIONAL)], LIST, unwrap)] },
];
