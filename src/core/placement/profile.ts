import type { FilterPlugin } from './plugin.js';
import { IN_TREE_PLUGINS } from './plugins/in-tree-plugins.js';

/** The filters of the default profile, in calling order. */
export const DEFAULT_FILTERS: readonly FilterPlugin[] = IN_TREE_PLUGINS.flatMap(({ filter, disabledByDefault }) =>
  filter === undefined || disabledByDefault === true ? [] : [filter.plugin],
);

/** A rule was asked for that no plugin has the name of. */
export class UnknownRuleError extends Error {
  readonly code = 'unknown-rule';

  constructor(
    readonly rule: string,
    filters: readonly FilterPlugin[],
  ) {
    super(`unknown rule ${JSON.stringify(rule)}: known are ${filters.map(({ name }) => name).join(', ')}`);
    this.name = 'UnknownRuleError';
  }
}

/**
 * The filters that are asked for, in calling order; all of the profile's where nothing is asked for. One of Kubernetes' own that the
 * profile does not have is known, and not asked.
 *
 * @throws UnknownRuleError
 */
export function filtersNamed(
  rules: readonly string[] | undefined,
  ofProfile: readonly FilterPlugin[] = DEFAULT_FILTERS,
): readonly FilterPlugin[] {
  if (rules === undefined) return ofProfile;
  for (const rule of rules) {
    const isKnown = [DEFAULT_FILTERS, ofProfile].some((filters) => filters.some(({ name }) => name === rule));
    if (!isKnown) throw new UnknownRuleError(rule, ofProfile);
  }
  return ofProfile.filter(({ name }) => rules.includes(name));
}
