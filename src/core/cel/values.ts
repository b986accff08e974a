import type { JsonValue } from '../json/json-value.js';
import { CelUnsupported } from './errors.js';

/**
 * A value at run time: an int is a `bigint`, a double a `number`, a list an array.
 *
 * An error is a value too, for `false && error` is false.
 */
export type Value =
  boolean | bigint | number | string | null | Uint8Array | readonly Value[] | CelMap | CelObject | CelError;

/** A value that is neither JSON nor bytes. */
export abstract class CelObject {
  /** As `type(value)` is called: `uint`, `optional_type`, `kubernetes.Quantity`. */
  abstract readonly typeName: string;
}

/** An error that an expression results in, with cel-go's words. */
export class CelError {
  constructor(readonly message: string) {}
}

export const isError = (value: Value): value is CelError => value instanceof CelError;

export const noSuchOverload = (): CelError => new CelError('no such overload');

export class Uint extends CelObject {
  readonly typeName = 'uint';

  constructor(readonly value: bigint) {
    super();
  }
}

/** A span in nanoseconds. */
export class Duration extends CelObject {
  readonly typeName = 'google.protobuf.Duration';

  constructor(readonly nanoseconds: bigint) {
    super();
  }
}

/** A point in time; `offset` is the minutes east of UTC that it was written with, which its parts are read in. */
export class Timestamp extends CelObject {
  readonly typeName = 'google.protobuf.Timestamp';

  constructor(
    /** Since 1970. */
    readonly nanoseconds: bigint,
    readonly offset = 0,
  ) {
    super();
  }
}

/** A type as a value, such as what `type(1)` gives. */
export class TypeValue extends CelObject {
  readonly typeName = 'type';

  constructor(readonly name: string) {
    super();
  }
}

export class Optional extends CelObject {
  readonly typeName = 'optional_type';

  static readonly NONE = new Optional(undefined);

  private constructor(readonly value: Value | undefined) {
    super();
  }

  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** What an expression makes with `Name{field: value}`. */
export class StructValue extends CelObject {
  constructor(
    readonly typeName: string,
    readonly fields: ReadonlyMap<string, Value>,
  ) {
    super();
  }
}

/** A value that exists and that nobody knows here, such as a uid that is still to be drawn. */
export class UnknownValue extends CelObject {
  constructor(
    private readonly what: string,
    readonly typeName = 'unknown',
  ) {
    super();
  }

  /** @throws {CelUnsupported} */
  refuse(): never {
    throw new CelUnsupported(this.what);
  }
}

/** A map; numbers of different types are the same key if they are equal. */
export class CelMap {
  private readonly entries = new Map<string, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    for (const entry of entries) this.entries.set(keyOf(entry[0]) ?? '', entry);
  }

  get size(): number {
    return this.entries.size;
  }

  /** The value, or undefined if there is none; nothing but booleans, numbers and texts is a key. */
  find(key: Value): Value | undefined {
    const text = keyOf(key);
    const value = text === undefined ? undefined : this.entries.get(text)?.[1];
    return value instanceof UnknownValue ? value.refuse() : value;
  }

  keys(): Value[] {
    return [...this.entries.values()].map(([key]) => key);
  }

  all(): (readonly [Value, Value])[] {
    return [...this.entries.values()];
  }

  /** A map with one entry more. */
  with(key: Value, value: Value): CelMap {
    return new CelMap([...this.entries.values(), [key, value]]);
  }
}

/** A map that gives a value for a key that it lacks. Tests of presence and optional selections still tell what it lacks. */
export class MapWithFallback extends CelMap {
  constructor(
    entries: Iterable<readonly [Value, Value]>,
    readonly fallback: Value,
  ) {
    super(entries);
  }
}

/** A map of which every key that is selected has a value, for tests of presence and optional selections, too; `in` tells what it lacks. */
export class TotalMap extends CelMap {
  constructor(
    entries: Iterable<readonly [Value, Value]>,
    readonly fallback: Value,
  ) {
    super(entries);
  }
}

/** A map of which a value is computed when it is asked for, once. */
export class LazyMap extends CelObject {
  private readonly known = new Map<string, Value>();

  constructor(
    readonly typeName: string,
    private readonly compute: ReadonlyMap<string, () => Value>,
  ) {
    super();
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const value = this.compute.get(key)?.();
    if (value !== undefined) this.known.set(key, value);
    return value;
  }
}

/** A text that is the same for keys that are equal; undefined for what cannot be a key. */
function keyOf(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  return undefined;
}

/** The name of a value's type at run time. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      if (value === null) return 'null_type';
      if (value instanceof Uint8Array) return 'bytes';
      if (isList(value)) return 'list';
      if (value instanceof CelMap) return 'map';
      return value instanceof CelError ? 'error' : value.typeName;
  }
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/**
 * JSON as the API server's converter gives it to expressions: whole numbers are ints, and the keys of an object are in byte order.
 *
 * @param unknownTexts members with one of these are not known
 */
export function fromJson(json: JsonValue, unknownTexts?: ReadonlySet<string>): Value {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => fromJson(item, unknownTexts));
  const names = Object.keys(json).sort(compareText);
  const memberOf = (member: JsonValue): Value =>
    typeof member === 'string' && unknownTexts?.has(member) === true
      ? new UnknownValue(member)
      : fromJson(member, unknownTexts);
  return new CelMap(names.map((name) => [name, memberOf(json[name]!)] as const));
}

/** By the bytes of their UTF-8, as Go compares texts. */
export function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  for (let index = 0; index < a.length && index < b.length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    // A surrogate stands for a code point above all that are one unit.
    const leftIsHigh = left >= 0xd800 && left <= 0xdfff;
    const rightIsHigh = right >= 0xd800 && right <= 0xdfff;
    if (leftIsHigh !== rightIsHigh) return leftIsHigh ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}
