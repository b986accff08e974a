import { escapePointer } from './escape-pointer.js';

/** One place where two JSON values differ; `before` or `after` is undefined where there is nothing. */
export interface JsonDifference {
  /** JSON pointer (RFC 6901) into `after`, or into `before` for what was removed. */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Where `after` differs from `before`, at the smallest places: members of objects one by one; lists element by element
 * when one is the beginning of the other or both are of one length, as a whole otherwise. Undefined members do not
 * exist; 1 and 1n are the same.
 */
export function jsonDifferences(before: unknown, after: unknown, pointer = ''): JsonDifference[] {
  if (isSame(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, pointer);
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      jsonDifferences(own(before, name), own(after, name), `${pointer}/${escapePointer(name)}`),
    );
  }
  return [{ pointer, before, after }];
}

function listDifferences(before: readonly unknown[], after: readonly unknown[], pointer: string): JsonDifference[] {
  const common = Math.min(before.length, after.length);
  const isSameLength = before.length === after.length;
  const samePrefix = !isSameLength && before.slice(0, common).every((item, at) => isEqual(item, after[at]));
  if (!isSameLength && !samePrefix) return [{ pointer, before, after }];
  // What is known to be equal is not gone through again: in nested lists that would double the work at every level.
  const start = isSameLength ? 0 : common;
  return Array.from({ length: Math.max(before.length, after.length) - start }, (_, at) => start + at).flatMap((index) =>
    jsonDifferences(before[index], after[index], `${pointer}/${index}`),
  );
}

const isEqual = (a: unknown, b: unknown): boolean => jsonDifferences(a, b).length === 0;

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  ((typeof a === 'bigint' || typeof b === 'bigint') && typeof a !== 'object' && typeof b !== 'object' && a == b);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
