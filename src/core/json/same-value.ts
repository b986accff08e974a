/** Whether two JSON-like values (bigints included) are equal; the order of keys does not matter. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  let size = 0;
  for (const key in left) {
    size += 1;
    const value = right[key];
    if (value === undefined || !Object.hasOwn(right, key) || !sameValue(left[key], value)) return false;
  }
  return Object.keys(right).length === size;
}
