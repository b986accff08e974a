import { jsonDifferences, type JsonDifference } from './json-differences.js';

/** An operation of a JSON Patch (RFC 6902), with the reason for it beside, which appliers of patches ignore. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown; readonly why: string }
  | { readonly op: 'remove'; readonly path: string; readonly why: string };

/**
 * The JSON Patch that makes `after` of `before`, at the smallest places that differ.
 *
 * @param why the reason for what changed at a place
 */
export function patchBetween(before: unknown, after: unknown, why: (pointer: string) => string): PatchOperation[] {
  const differences = jsonDifferences(before, after);
  const isRemoved = (difference: JsonDifference): boolean => difference.after === undefined;
  return [
    ...differences
      .filter((difference) => !isRemoved(difference))
      .map(({ pointer, before: former, after: value }) => ({
        op: former === undefined ? ('add' as const) : ('replace' as const),
        path: pointer,
        value,
        why: why(pointer),
      })),
    // Of a list the last element goes first, so that the indices of the others stay what they are.
    ...differences
      .filter(isRemoved)
      .reverse()
      .map(({ pointer }) => ({ op: 'remove' as const, path: pointer, why: why(pointer) })),
  ];
}
