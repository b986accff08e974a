import type { Labels } from './objects/meta.js';
import { Requirement } from './requirement.js';

/**
 * A label selector. All requirements must be met, so without requirements it matches everything; `requirements` is undefined
 * for the selector that matches nothing.
 *
 * `toString` returns kubectl's syntax with keys in byte order; the selectors of everything and of nothing are both the empty
 * string.
 */
export interface Selector {
  readonly requirements: readonly Requirement[] | undefined;
  matches(labels: Labels): boolean;
  toString(): string;
}

/** The selector that matches no labels (`labels.Nothing`). */
export const NOTHING: Selector = { requirements: undefined, matches: () => false, toString: () => '' };

/** A selector of requirements, sorted by key; requirements with the same key keep their order. */
export function selectorOf(requirements: readonly Requirement[]): Selector {
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    requirements: sorted,
    matches: (labels) => sorted.every((requirement) => requirement.matches(labels)),
    toString: () => sorted.join(','),
  };
}

/** The selector that matches all labels (`labels.Everything`). */
export const EVERYTHING: Selector = selectorOf([]);

/** A selector that requires exactly these labels, without validation (`labels.SelectorFromSet`). */
export function selectorFromSet(labels: Labels): Selector {
  return selectorOf(Object.entries(labels).map(([key, value]) => new Requirement(key, '=', [value])));
}
