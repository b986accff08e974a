/** `"a", "b"`; what is quoted is not escaped. */
export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');

export const plural = (one: string, many: string, { length }: { readonly length: number }): string =>
  length === 1 ? one : many;

/** `container "a"`, `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names)} ${quoted(names)}`;

/** Who sets something: the pod, some containers, or both. */
export const settersText = (isPod: boolean, containers: readonly string[], ...more: readonly string[]): string =>
  [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : []), ...more].join(' and ');

/** Each text once, in the order of Go's `sort.Strings`: that of the UTF-8 bytes, which is that of the code points. */
export const sortedSet = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort(compareTexts);

export function compareTexts(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (const [index, character] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}
