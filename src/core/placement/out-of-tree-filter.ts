import { notKnown } from './not-known.js';
import type { FilterPlugin } from './plugin.js';
import type { Reason } from './reason.js';

/**
 * A filter whose rules are not known: its result for every node is unknown.
 *
 * @param former whether it was formerly in-tree
 */
export function outOfTreeFilter(name: string, former: boolean): FilterPlugin {
  const message = former
    ? `${name} is no longer an in-tree plugin: its results are not known`
    : `${name} is an out-of-tree plugin: its results are not known`;
  const reason: Reason = { plugin: name, code: 'OutOfTreePlugin', status: 'Unknown', message, facts: {}, fields: [] };
  return { name, preFilter: () => notKnown(reason) };
}
