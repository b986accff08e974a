/** An object without some of its members: itself if it has none of them. */
export const without = <Value extends object, Key extends keyof Value & string>(
  value: Value,
  ...keys: readonly Key[]
): Omit<Value, Key> => withoutNames(value, new Set(keys));

/** The same for optional members whose names depend on something. */
export function withoutNames<Value extends object>(value: Value, names: ReadonlySet<string>): Value {
  for (const name of names) {
    if (!Object.hasOwn(value, name)) continue;
    return Object.fromEntries(Object.entries(value).filter(([one]) => !names.has(one))) as Value;
  }
  return value;
}
