import type { Labels } from './objects/meta.js';
import { Requirement } from './requirement.js';

/**
 * What labels are tested with. All requirements must be met, so none means everything; `requirements` is undefined for the
 * selector that selects nothing.
 *
 * `toString` is kubectl's syntax, keys in byte order; both everything and nothing are the empty string.
 */
export interface Selector {
  readonly requirements: readonly Requirement[] | undefined;
  matches(labels: Labels): boolean;
  toString(): string;
}

/** The selector that matches no labels (`labels.Nothing`). */
export const NOTHING: Selector = { requirements: undefined, matches: () => false, toString: () => '' };

/** A selector of requirements, ordered by key; requirements of one key keep their order. */
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

/** A selector that wants exactly these labels, unchecked (`labels.SelectorFromSet`). */
export function selectorFromSet(labels: Labels): Selector {
  return selectorOf(Object.entries(labels).map(([key, value]) => new Requirement(key, '=', [value])));
}
