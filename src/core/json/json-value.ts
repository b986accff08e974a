/**
 * A JSON document, read without loss.
 *
 * Integers beyond 2^53 - 1 are `bigint`, so that an int64 such as `tolerationSeconds` keeps its value; every other
 * number is a `number`. Objects can have any own key, including `__proto__` and `constructor`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object; read its keys with `Object.hasOwn` or `Object.entries`, never with `in`. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether it is an object: neither an array nor null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject;
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
