import { CelUnsupported } from '../../../cel/errors.js';
import { CelError, CelMap, isList, StructValue, typeNameOf, UnknownValue, type Value } from '../../../cel/values.js';
import type { JsonObject, JsonValue } from '../../../json/json-value.js';
import { OBJECT } from '../patch-types.js';

/** Values that stem from JSON, in which lists and maps can be nested in any way; those that an expression makes cannot. */
export type NativeValues = ReadonlySet<Value>;

/** All lists and maps in the values of variables such as `object`. */
export function nativeValues(roots: readonly Value[]): NativeValues {
  const found = new Set<Value>();
  const add = (value: Value): void => {
    if (isList(value)) value.forEach(add);
    else if (value instanceof CelMap) value.all().forEach(([, item]) => add(item));
    else return;
    found.add(value);
  };
  roots.forEach(add);
  return found;
}

/**
 * An apply configuration as JSON.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/cel/mutation/dynamic/objects.go, `ConvertToNative` and `CheckTypeNamesMatchFieldPathNames`.
 *
 * @returns an error in the API server's words for parts that are named after other fields than theirs
 * @throws {CelUnsupported} for values of which it is not known what becomes of them
 */
export function applyConfigurationOf(value: StructValue, native: NativeValues): JsonObject | CelError {
  const wrong = mismatches(value, OBJECT);
  if (wrong.length > 0) return new CelError(`type mismatch: ${wrong.join('\n')}`);
  return memberValues(value, native);
}

/** Parts of an object are named by the path of their field; what they are in, lists and maps, does not count. */
export function mismatches(value: Value, path: string): readonly string[] {
  if (isList(value)) return value.flatMap((item) => mismatches(item, path));
  if (value instanceof CelMap) return value.all().flatMap(([, item]) => mismatches(item, path));
  if (!(value instanceof StructValue)) return [];
  const { typeName, fields } = value;
  const expected = `expected "${path}", which matches field name path from root Object type`;
  const own = typeName === path ? [] : [`unexpected type name "${typeName}", ${expected}`];
  return [...own, ...[...fields].flatMap(([name, field]) => mismatches(field, `${path}.${name}`))];
}

const memberValues = ({ fields }: StructValue, native: NativeValues): JsonObject =>
  Object.fromEntries([...fields].map(([name, field]) => [name, nativeOf(field, native, 0)]));

/** @param depth how many lists and maps that the expression made it is in; only the first level of these is converted */
function nativeOf(value: Value, native: NativeValues, depth: number): JsonValue {
  if (value instanceof UnknownValue) return value.refuse();
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return jsonInteger(value);
  if (typeof value === 'number') return value;
  if (value instanceof StructValue) return memberValues(value, native);
  const isNative = native.has(value);
  if (!isNative && depth > 0) throw new CelUnsupported(`a ${typeNameOf(value)} in another that an expression makes`);
  const next = isNative ? 0 : depth + 1;
  if (isList(value)) return value.map((item) => nativeOf(item, native, next));
  if (value instanceof CelMap) {
    return Object.fromEntries(value.all().map(([key, item]) => [textKey(key), nativeOf(item, native, next)]));
  }
  if (value === null && isNative) return null;
  throw new CelUnsupported(`a value of type ${typeNameOf(value)} in a mutation`);
}

const jsonInteger = (value: bigint): JsonValue => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

function textKey(key: Value): string {
  if (typeof key === 'string') return key;
  throw new CelUnsupported(`a key of type ${typeNameOf(key)} in a mutation`);
}

/**
 * The value of an operation of a JSON Patch: CEL values as protobuf writes them, so that numbers are those of JSON.
 *
 * Source: cel-go v0.26.0, common/types, `ConvertToNative` to structpb.Value, and k8s.io/apiserver v0.36.2,
 * pkg/cel/mutation/dynamic/objects.go.
 *
 * @throws {CelUnsupported}
 */
export function patchValueOf(value: Value, native: NativeValues): JsonValue {
  if (value instanceof UnknownValue) return value.refuse();
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return value;
  if (value instanceof StructValue) return memberValues(value, native);
  if (isList(value)) return value.map((item) => patchValueOf(item, native));
  if (value instanceof CelMap) {
    return Object.fromEntries(value.all().map(([key, item]) => [textKey(key), patchValueOf(item, native)]));
  }
  throw new CelUnsupported(`a value of type ${typeNameOf(value)} in a mutation`);
}
