import type { FilterPlugin } from './plugin.js';
import { IN_TREE_PLUGINS } from './plugins/in-tree-plugins.js';

/** The filters of the default profile, in calling order. */
export const DEFAULT_FILTERS: readonly FilterPlugin[] = IN_TREE_PLUGINS.flatMap(({ filter, disabledByDefault }) =>
  filter === undefined || disabledByDefault === true ? [] : [filter.plugin],
);

/** No plugin has the requested filter name. */
export class UnknownFilterError extends Error {
  readonly code = 'unknown-filter';

  constructor(
    readonly filter: string,
    filters: readonly FilterPlugin[],
  ) {
    const known = filters.map(({ name }) => name).join(', ');
    super(`unknown filter ${JSON.stringify(filter)}: the known filters are ${known}`);
    this.name = 'UnknownFilterError';
  }
}

/**
 * The requested filters in calling order; all filters of the profile by default. An in-tree filter that the profile
 * lacks is a valid name, but is not returned.
 *
 * @throws UnknownFilterError
 */
export function filtersNamed(
  names: readonly string[] | undefined,
  ofProfile: readonly FilterPlugin[] = DEFAULT_FILTERS,
): readonly FilterPlugin[] {
  if (names === undefined) return ofProfile;
  for (const requested of names) {
    const isKnown = [DEFAULT_FILTERS, ofProfile].some((filters) => filters.some(({ name }) => name === requested));
    if (!isKnown) throw new UnknownFilterError(requested, ofProfile);
  }
  return ofProfile.filter(({ name }) => names.includes(name));
}
