import { jsonDifferences, type JsonDifference } from './json-differences.js';

/** An operation of a JSON Patch (RFC 6902), with a reason in `why`, which patch libraries ignore. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown; readonly why: string }
  | { readonly op: 'remove'; readonly path: string; readonly why: string };

/**
 * The JSON Patch that turns `before` into `after`, with an operation for each of the smallest places that differ.
 *
 * @param why returns the reason for the change at a JSON pointer
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
    // Removes the last elements of a list first, so that the indexes of the others stay valid.
    ...differences
      .filter(isRemoved)
      .reverse()
      .map(({ pointer }) => ({ op: 'remove' as const, path: pointer, why: why(pointer) })),
  ];
}
