import { escapePointer } from './escape-pointer.js';

/** A place where two JSON values differ; `before` or `after` is undefined if the place is absent there. */
export interface JsonDifference {
  /** A JSON pointer (RFC 6901) into `after`, or into `before` for a removed value. */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The smallest places where `after` differs from `before`. Objects are compared member by member. Lists are compared
 * element by element if one is the beginning of the other or both have the same length, and as a whole otherwise.
 * Undefined members count as absent; 1 and 1n are equal.
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
  // The common beginning is not compared again: in nested lists that would double the work at each level.
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
