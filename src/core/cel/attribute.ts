import { printed } from './operations.js';
import type { Scope } from './run.js';
import {
  CelError,
  CelMap,
  isError,
  isList,
  LazyMap,
  MapWithFallback,
  noSuchOverload,
  Optional,
  TotalMap,
  Uint,
  UnknownValue,
  type Value,
} from './values.js';

export type Step = (scope: Scope) => Value;

/** A field, key or index that is selected. */
export interface Qualifier {
  readonly isOptional: boolean;
  /** `has(...)`: the result is whether it is there. */
  readonly isTest: boolean;
  readonly key: Step;
}

/** A variable, or the result of an expression, with what is selected of it. */
export type Attribute = Rooted | Conditional;

/**
 * Selects one thing after another, and charges 1 for each.
 *
 * Source: cel-go v0.26.0, interpreter/attributes.go.
 */
export class Rooted {
  private readonly qualifiers: Qualifier[] = [];
  /** What the whole costs besides its parts. */
  readonly cost = 1;

  constructor(private readonly root: Step) {}

  add(qualifier: Qualifier): void {
    this.qualifiers.push(qualifier);
  }

  resolve(scope: Scope): Value {
    const root = this.root(scope);
    if (root instanceof UnknownValue) return root.refuse();
    if (isError(root) || this.qualifiers.length === 0) return root;
    let isOptional = root instanceof Optional;
    let value: Value = root;
    if (root instanceof Optional) {
      if (root.value === undefined) return root;
      value = root.value;
    }
    for (const qualifier of this.qualifiers) {
      isOptional ||= qualifier.isOptional;
      const found = select(scope, value, qualifier, isOptional);
      if (found === undefined) return Optional.NONE;
      if (isError(found)) return found;
      value = found;
    }
    return isOptional ? Optional.of(value) : value;
  }
}

/** One of two, each with the same selected of it. */
export class Conditional {
  readonly cost = 0;

  constructor(
    private readonly condition: Step,
    private readonly yes: Attribute,
    private readonly no: Attribute,
  ) {}

  add(qualifier: Qualifier): void {
    this.yes.add(qualifier);
    this.no.add(qualifier);
  }

  resolve(scope: Scope): Value {
    const condition = this.condition(scope);
    if (condition === true) return this.yes.resolve(scope);
    if (condition === false) return this.no.resolve(scope);
    return isError(condition) ? condition : noSuchOverload();
  }
}

/** @returns undefined where nothing is there, and that is no error */
function select(scope: Scope, value: Value, { isTest, key: keyOf }: Qualifier, isOptional: boolean): Value | undefined {
  const key = keyOf(scope);
  if (isError(key)) {
    scope.run.charge(1);
    return key;
  }
  const found = isKey(key) ? find(value, key) : new CelError(`invalid qualifier type: ${goTypeName(key)}`);
  if (found !== undefined && isError(found)) {
    // An optional selection that errs is not observed.
    if (!isOptional) scope.run.charge(1);
    return found;
  }
  if (isTest && !isOptional) {
    scope.run.charge(1);
    return found !== undefined;
  }
  if (found !== undefined || !isOptional) scope.run.charge(1);
  if (found !== undefined || isOptional) return found;
  if (value instanceof MapWithFallback) return value.fallback;
  return isList(value)
    ? new CelError(`index out of bounds: ${printed(key)}`)
    : new CelError(`no such key: ${printed(key)}`);
}

const isKey = (key: Value): boolean =>
  typeof key === 'string' ||
  typeof key === 'boolean' ||
  typeof key === 'bigint' ||
  typeof key === 'number' ||
  key instanceof Uint;

function goTypeName(key: Value): string {
  if (key === null) return 'types.Null';
  return key instanceof CelMap ? 'map[string]interface {}' : '[]interface {}';
}

/** What a key selects: undefined if nothing, or an error for a key that cannot select anything. */
function find(value: Value, key: Value): Value | undefined {
  if (value instanceof TotalMap) return value.find(key) ?? value.fallback;
  if (value instanceof CelMap || value instanceof LazyMap) return value.find(key);
  if (!isList(value)) return undefined;
  const index = indexOf(key);
  if (isError(index)) return index;
  return index >= 0n && index < BigInt(value.length) ? value[Number(index)] : undefined;
}

function indexOf(key: Value): bigint | CelError {
  if (typeof key === 'bigint') return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') {
    return Number.isInteger(key) ? BigInt(key) : new CelError(`unsupported index value ${printed(key)} in list`);
  }
  return new CelError(`unsupported index type '${typeof key === 'string' ? 'string' : 'bool'}' in list`);
}
