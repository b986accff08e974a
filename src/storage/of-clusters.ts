/**
 * The condition that a column is the id of one of these clusters. That of a single one is named itself, so that a Postgres with a partition
 * or node for each cluster asks its one alone, also for what is joined by the id.
 */
export function ofClusters(column: string, ids: readonly number[], values: unknown[]): string {
  const unique = [...new Set(ids)];
  return unique.length === 1
    ? `${column} = $${values.push(unique[0])}::bigint`
    : `${column} = any($${values.push(unique)}::bigint[])`;
}

/**
 * One statement that selects the same of several clusters, each by its id.
 * @param select a statement about one of them; `value` makes a parameter of `values`
 */
export function unionOf<Item>(
  items: readonly Item[],
  select: (item: Item, value: (value: unknown, type: string) => string, values: unknown[]) => string,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const value = (given: unknown, type: string): string => `$${values.push(given)}::${type}`;
  const text = items.map((item) => `(${select(item, value, values)})`).join(' union all ');
  return { text, values };
}
