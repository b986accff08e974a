/** The identity of an object within a cluster. */
export interface ObjectKey {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** Packs a key into one string, for maps. NUL is a safe separator, because storage accepts no other NUL. */
export function packKey(kind: string, namespace: string, name: string): string {
  return `${kind}\0${namespace}\0${name}`;
}

export function unpackKey(packed: string): ObjectKey {
  const [kind, namespace, name] = packed.split('\0') as [string, string, string];
  return { kind, namespace, name };
}

/** Keys as three parallel arrays, for SQL's `unnest`. */
export function keyColumns(packed: Iterable<string>): [kinds: string[], namespaces: string[], names: string[]] {
  const columns: [string[], string[], string[]] = [[], [], []];
  for (const key of packed) {
    const { kind, namespace, name } = unpackKey(key);
    columns[0].push(kind);
    columns[1].push(namespace);
    columns[2].push(name);
  }
  return columns;
}
