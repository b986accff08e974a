import { parseQuantity, Quantity, QuantityError } from '../../kubernetes/quantity.js';
import { method, overload, type CelFunction, type Overload } from '../declarations.js';
import { LibraryValue } from '../operations.js';
import { BOOL, DOUBLE, INT, objectType, STRING, type CelType } from '../types.js';
import { CelError, isError, noSuchOverload, type Value } from '../values.js';

export const QUANTITY = objectType('kubernetes.Quantity');

class QuantityValue extends LibraryValue {
  readonly typeName = 'kubernetes.Quantity';

  constructor(
    readonly quantity: Quantity,
    /** A sum or difference; upstream holds it as a pointer, which nothing is equal to. */
    readonly isComputed = false,
  ) {
    super();
  }

  equals(other: Value): boolean | CelError {
    if (isError(other)) return other;
    if (!(other instanceof QuantityValue) || other.isComputed) return noSuchOverload();
    return this.quantity.cmp(other.quantity) === 0;
  }
}

export const quantityValue = (quantity: Quantity): Value => new QuantityValue(quantity);

const of = (value: Value): Quantity => (value as QuantityValue).quantity;

function parse(text: Value): Value {
  try {
    return new QuantityValue(parseQuantity(text as string));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const compared = (id: string, result: CelType, run: (order: -1 | 0 | 1) => Value): Overload =>
  method(id, [QUANTITY, QUANTITY], result, (a, b) => run(of(a).cmp(of(b))));

const computed = (name: string, run: (a: Quantity, b: Quantity) => Quantity): CelFunction => ({
  name,
  overloads: [
    method(`quantity_${name}`, [QUANTITY, QUANTITY], QUANTITY, (a, b) => new QuantityValue(run(of(a), of(b)), true)),
    method(
      `quantity_${name}_int`,
      [QUANTITY, INT],
      QUANTITY,
      (a, b) => new QuantityValue(run(of(a), Quantity.of(b as bigint, 'DecimalExponent')), true),
    ),
  ],
});

/** k8s.io/apiserver v0.36.2, pkg/cel/library/quantity.go. */
export const QUANTITIES: readonly CelFunction[] = [
  { name: 'quantity', overloads: [overload('string_to_quantity', [STRING], QUANTITY, parse)] },
  {
    name: 'isQuantity',
    overloads: [overload('is_quantity_string', [STRING], BOOL, (text) => !(parse(text) instanceof CelError))],
  },
  { name: 'sign', overloads: [overload('quantity_sign', [QUANTITY], INT, (value) => BigInt(of(value).sign()))] },
  { name: 'isGreaterThan', overloads: [compared('quantity_is_greater_than', BOOL, (order) => order === 1)] },
  { name: 'isLessThan', overloads: [compared('quantity_is_less_than', BOOL, (order) => order === -1)] },
  { name: 'compareTo', overloads: [compared('quantity_compare_to', INT, BigInt)] },
  {
    name: 'asApproximateFloat',
    overloads: [method('quantity_get_float', [QUANTITY], DOUBLE, (value) => of(value).approximate())],
  },
  {
    name: 'asInteger',
    overloads: [
      method(
        'quantity_get_int',
        [QUANTITY],
        INT,
        (value) => of(value).asInt64() ?? new CelError('cannot convert value to integer'),
      ),
    ],
  },
  {
    name: 'isInteger',
    overloads: [method('quantity_is_integer', [QUANTITY], BOOL, (value) => of(value).asInt64() !== undefined)],
  },
  computed('add', (a, b) => a.add(b)),
  computed('sub', (a, b) => a.sub(b)),
];
