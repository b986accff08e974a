import { CelUnsupported } from '../../../cel/errors.js';
import { CelError } from '../../../cel/values.js';
import { sameValue } from '../../../json/same-value.js';
import type { JsonObject, JsonValue } from '../../../json/json-value.js';

/** An operation of a JSON Patch (RFC 6902); a `value` or `from` that is not given is undefined. */
export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
}

/**
 * An object with a JSON Patch applied; the object itself where a `test` fails.
 *
 * Source: gopkg.in/evanphx/json-patch.v4, patch.go, and k8s.io/apiserver v0.36.2,
 * pkg/admission/plugin/policy/mutating/patch/json_patch.go.
 *
 * @param unknown paths of fields that the object has and that are not known
 * @returns an error in the API server's words for an operation that does not apply
 * @throws {CelUnsupported} for what depends on unknown fields, and for unusual paths
 */
export function applyJsonPatch(
  object: JsonObject,
  operations: readonly JsonPatchOperation[],
  unknown: readonly (readonly string[])[],
): JsonObject | CelError {
  const patched = copyOf(object);
  for (const operation of operations) {
    for (const path of [operation.path, operation.from]) if (path !== undefined) requireKnown(path, unknown);
    const result = apply(patched, operation);
    if (result === 'test failed') return object;
    if (result !== undefined) return new CelError(`JSON Patch: ${result}`);
  }
  return patched;
}

function copyOf<T extends JsonValue>(value: T): T;
function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => copyOf(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}

type Result = string | undefined;

function apply(object: JsonObject, { op, path, from, value }: JsonPatchOperation): Result {
  switch (op) {
    case 'add':
      return add(object, path, given(value, op), `add operation does not apply: doc is missing path: "${path}"`);
    case 'remove': {
      const found = find(object, path);
      if (found === undefined) return `remove operation does not apply: doc is missing path: "${path}": missing value`;
      const { parent, key } = found;
      if (!Array.isArray(parent) && !Object.hasOwn(parent, key)) {
        return `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`;
      }
      take(parent, key);
      return undefined;
    }
    case 'replace': {
      const found = find(object, path);
      if (found === undefined) return `replace operation does not apply: doc is missing path: ${path}: missing value`;
      const { parent, key } = found;
      read(parent, key);
      if (Array.isArray(parent)) parent[indexIn(parent, key)] = given(value, op);
      else parent[key] = given(value, op);
      return undefined;
    }
    case 'move':
    case 'copy': {
      const source = find(object, given(from, op));
      if (source === undefined)
        return `${op} operation does not apply: doc is missing from path: ${from}: missing value`;
      const moved = read(source.parent, source.key);
      if (op === 'move') take(source.parent, source.key);
      const missing = `${op} operation does not apply: doc is missing destination path: ${path}`;
      return add(object, path, copyOf(moved), missing);
    }
    case 'test': {
      const found = find(object, path);
      if (found === undefined) return `test operation does not apply: is missing path: ${path}: missing value`;
      const { parent, key } = found;
      const isThere = Array.isArray(parent) || Object.hasOwn(parent, key);
      return isThere && sameValue(read(parent, key), given(value, op)) ? undefined : 'test failed';
    }
    default:
      return `Unexpected kind: ${op}`;
  }
}

function add(object: JsonObject, path: string, value: JsonValue, missing: string): Result {
  const found = find(object, path);
  if (found === undefined) return `${missing}: missing value`;
  const { parent, key } = found;
  if (!Array.isArray(parent)) parent[key] = value;
  else if (key === '-') parent.push(value);
  else {
    const index = wholeNumber(key);
    if (index > parent.length) {
      return `error in add for path: '${path}': Unable to access invalid index: ${index}: invalid index referenced`;
    }
    parent.splice(index, 0, value);
  }
  return undefined;
}

interface Place {
  readonly parent: JsonObject | JsonValue[];
  readonly key: string;
}

/** Undefined where what a path leads through is missing. */
function find(object: JsonObject, path: string): Place | undefined {
  const [first, ...names] = path.split('/').map(unescaped);
  const key = names.pop();
  if (first !== '' || key === undefined) throw unusual(path);
  let parent: JsonObject | JsonValue[] = object;
  for (const name of names) {
    const next: JsonValue | undefined = Array.isArray(parent) ? parent[wholeNumber(name)] : parent[name];
    if (next === undefined || next === null) return undefined;
    if (typeof next !== 'object') throw unusual(path);
    parent = next;
  }
  return { parent, key };
}

function read(parent: JsonObject | JsonValue[], key: string): JsonValue {
  const value = Array.isArray(parent) ? parent[indexIn(parent, key)] : parent[key];
  if (value === undefined) throw unusual(key);
  return value;
}

function take(parent: JsonObject | JsonValue[], key: string): void {
  if (Array.isArray(parent)) parent.splice(indexIn(parent, key), 1);
  else Reflect.deleteProperty(parent, key);
}

function indexIn(parent: readonly JsonValue[], key: string): number {
  const index = wholeNumber(key);
  if (index >= parent.length) throw unusual(key);
  return index;
}

function wholeNumber(key: string): number {
  if (!/^(0|[1-9][0-9]{0,8})$/.test(key)) throw unusual(key);
  return Number(key);
}

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');

/** A path above, at or below a field that is not known. */
function requireKnown(path: string, unknown: readonly (readonly string[])[]): void {
  const names = path.split('/').slice(1).map(unescaped);
  for (const field of unknown) {
    const length = Math.min(field.length, names.length);
    if (field.slice(0, length).every((name, index) => name === names[index])) {
      if (names.length >= field.length || names.length < 2) throw new CelUnsupported(field.join('.'));
    }
  }
}

function given<T>(value: T | undefined, op: string): T {
  if (value === undefined) throw new CelUnsupported(`a JSON Patch whose operation ${op} is not complete`);
  return value;
}

const unusual = (path: string): CelUnsupported => new CelUnsupported(`a JSON Patch of ${JSON.stringify(path)}`);
