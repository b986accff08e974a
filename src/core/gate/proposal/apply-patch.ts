import type { JsonObject, JsonValue } from '../../json/json-value.js';
import type { PatchOperation } from '../../json/patch-between.js';

/** A value after a JSON Patch of `patchBetween`: its places exist, but for the last step of an `add`. Nothing that is given changes. */
export const applyPatch = (value: JsonObject, patch: readonly PatchOperation[]): JsonObject =>
  patch.reduce<JsonValue>((done, operation) => applied(done, stepsOf(operation.path), operation), value) as JsonObject;

const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function applied(value: JsonValue, [step = '', ...rest]: readonly string[], operation: PatchOperation): JsonValue {
  if (Array.isArray(value)) {
    const index = step === '-' ? value.length : Number(step);
    if (rest.length > 0) return value.map((item, at) => (at === index ? applied(item, rest, operation) : item));
    const added = operation.op === 'remove' ? [] : [operation.value as JsonValue];
    return [...value.slice(0, index), ...added, ...value.slice(operation.op === 'add' ? index : index + 1)];
  }
  const before = typeof value === 'object' && value !== null ? value : {};
  const entries = Object.entries(before).filter(([name]) => name !== step);
  if (rest.length > 0) {
    const member = Object.hasOwn(before, step) ? before[step]! : {};
    return inPlace(before, step, applied(member, rest, operation));
  }
  return operation.op === 'remove' ? Object.fromEntries(entries) : inPlace(before, step, operation.value as JsonValue);
}

/** With another value under a name, in its place. */
const inPlace = (object: JsonObject, name: string, value: JsonValue): JsonObject =>
  Object.hasOwn(object, name)
    ? Object.fromEntries(Object.entries(object).map(([key, member]) => [key, key === name ? value : member]))
    : Object.fromEntries([...Object.entries(object), [name, value]]);
