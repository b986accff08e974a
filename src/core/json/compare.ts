/** The order of two values of one kind, for `sort`: texts by their code units, integers by size. */
export function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
