import { isLongerThan } from './json-length.js';
import type { JsonObject, JsonValue } from './json-value.js';
import { parseJson, stringifyJson } from './lossless-json.js';
import { hasJson } from './step-write-json.js';

/** Characters of a part, about: what is longer is made part by part. */
const PART = 32 * 1024;

/** What a reader makes of the JSON of a value, as `parseJson(stringifyJson(value))`, with pauses in between. */
export function* stepPlainJson(value: unknown): Generator<undefined, JsonValue> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value || !isLongerThan(value, PART)) {
    return parseJson(stringifyJson(value));
  }
  if (Array.isArray(value)) {
    const list: JsonValue[] = [];
    for (const item of value) {
      list.push(hasJson(item) ? yield* stepPlainJson(item) : null);
      yield;
    }
    return list;
  }
  const object = Object.create(null) as JsonObject;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (!hasJson(member)) continue;
    object[name] = yield* stepPlainJson(member);
    yield;
  }
  return object;
}
