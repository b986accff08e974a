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

/** The JSON of such a value; undefined for any other. */
export const knownJson = (value: object): Json | undefined => known.get(value)?.();
