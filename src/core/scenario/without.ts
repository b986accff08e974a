/** A copy of an object without some of its members. */
export function without<Value extends object, Key extends keyof Value & string>(
  value: Value,
  ...keys: readonly Key[]
): Omit<Value, Key> {
  const rest = Object.entries(value).filter(([key]) => !(keys as readonly string[]).includes(key));
  return Object.fromEntries(rest) as Omit<Value, Key>;
}
