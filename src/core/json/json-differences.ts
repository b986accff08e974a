import { escapePointer } from './escape-pointer.js';
import { isJsonObject } from './json-value.js';

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
  const found: JsonDifference[] = [];
  if (!isSame(before, after)) collect(before, after, pointer, found);
  return found;
}

/** Adds the differences of two values that are not the same; pointers into parts that are the same are never written. */
function collect(before: unknown, after: unknown, pointer: string, found: JsonDifference[]): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    collectOfLists(before, after, pointer, found);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    const compare = (name: string): void => {
      const former = own(before, name);
      const value = own(after, name);
      if (!isSame(former, value)) collect(former, value, `${pointer}/${escapePointer(name)}`, found);
    };
    for (const name of Object.keys(before)) compare(name);
    for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) compare(name);
  } else {
    found.push({ pointer, before, after });
  }
}

function collectOfLists(
  before: readonly unknown[],
  after: readonly unknown[],
  pointer: string,
  found: JsonDifference[],
): void {
  const common = Math.min(before.length, after.length);
  const isSameLength = before.length === after.length;
  const samePrefix = !isSameLength && before.slice(0, common).every((item, at) => isEqual(item, after[at]));
  if (!isSameLength && !samePrefix) {
    found.push({ pointer, before, after });
    return;
  }
  // The common beginning is not compared again: in nested lists that would double the work at each level.
  const start = isSameLength ? 0 : common;
  for (let index = start; index < Math.max(before.length, after.length); index++) {
    const [former, value] = [before[index], after[index]];
    if (!isSame(former, value)) collect(former, value, `${pointer}/${index}`, found);
  }
}

const isEqual = (a: unknown, b: unknown): boolean => jsonDifferences(a, b).length === 0;

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  ((typeof a === 'bigint' || typeof b === 'bigint') && typeof a !== 'object' && typeof b !== 'object' && a == b);

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
