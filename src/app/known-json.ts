/** As text, or as its bytes. */
export type Json = string | Buffer;

const known = new WeakMap<object, () => Json>();

/** Says what the JSON of a value is that many answers share; the value must not change. @param json called each time */
export function withKnownJson<Value extends object>(value: Value, json: () => Json): Value {
  known.set(value, json);
  return value;
}

/** The JSON of such a value; undefined for any other. */
export const knownJson = (value: object): Json | undefined => known.get(value)?.();
