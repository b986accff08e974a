type Members = Readonly<Record<string, unknown>>;

/**
 * A value with the objects and lists of another one wherever they are equal, to the order of members, so that equal parts of the two are
 * the same object. Neither is changed.
 */
export function shareEqualParts<T>(value: T, other: T): T {
  return shared(value, other) as T;
}

function shared(value: unknown, other: unknown): unknown {
  if (value === other || !isObject(value) || !isObject(other)) return value;
  if (Array.isArray(value) !== Array.isArray(other)) return value;
  if (Array.isArray(value)) return sharedList(value, other as unknown as readonly unknown[]);
  const names = Object.keys(value);
  const otherNames = Object.keys(other);
  let equal = names.length === otherNames.length && names.every((name, index) => name === otherNames[index]);
  let copy: Record<string, unknown> | undefined;
  for (const name of names) {
    const ofOther = Object.hasOwn(other, name) ? other[name] : undefined;
    const part = shared(value[name], ofOther);
    if (part !== value[name]) (copy ??= { ...value })[name] = part;
    if (part !== ofOther) equal = false;
  }
  return equal ? other : (copy ?? value);
}

function sharedList(list: readonly unknown[], other: readonly unknown[]): unknown {
  const parts = list.map((item, index) => shared(item, other[index]));
  return list.length === other.length && parts.every((part, index) => part === other[index]) ? other : parts;
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
