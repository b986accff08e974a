/** Whether two values are the same JSON: key order does not count, absent and undefined are the same, 1 and 1n are the same. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    return (
      (typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number') && a == b
    );
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  }
  const left = present(a);
  const right = present(b);
  return (
    left.size === right.size && [...left].every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
  );
}

const present = (value: object): Map<string, unknown> =>
  new Map(Object.entries(value).filter(([, member]) => member !== undefined));
