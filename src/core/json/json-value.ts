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
