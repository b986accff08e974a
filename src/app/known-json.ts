import { stringifyJson } from '../core/json/lossless-json.js';

/** As text, or as its bytes. */
export type Json = string | Buffer;

const known = new WeakMap<object, () => Json>();

/** Says what the JSON of a value is that many answers share; the value must not change. @param json called each time */
export function withKnownJson<Value extends object>(value: Value, json: () => Json): Value {
  known.set(value, json);
  return value;
}

/** A part of many answers, whose JSON is written once. */
export function writtenOnce<Part extends object>(part: Part): Part {
  let json: string | undefined;
  return withKnownJson(part, () => (json ??= stringifyJson(part)));
}

/** Stands on the value: a WeakMap would keep alive what one answer alone has, until all young objects are collected twice. */
const OWN = Symbol('json');

/** The same for a value of one answer, which must be extensible. Neither `Object.keys` nor a spread sees it. */
export const withOwnJson = <Value extends object>(value: Value, json: () => Json): Value =>
  Object.defineProperty(value, OWN, { value: json });

/** The JSON of such a value; undefined for any other. */
export const knownJson = (value: object): Json | undefined =>
  (known.get(value) ?? (value as { readonly [OWN]?: () => Json })[OWN])?.();
