/** A copy of an object without some of its members. */
export const without = <Value extends object, Key extends keyof Value & string>(
  value: Value,
  ...keys: readonly Key[]
): Omit<Value, Key> => withoutNames(value, new Set(keys));

/** The same for optional members whose names depend on something. */
export const withoutNames = <Value extends object>(value: Value, names: ReadonlySet<string>): Value =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name))) as Value;
