import { notKnown } from './not-known.js';
import type { FilterPlugin } from './plugin.js';
import type { Reason } from './reason.js';

/**
 * A filter whose rule is not known here: of every node it answers unknown, by its name.
 *
 * @param former whether Kubernetes had it once
 */
export function outOfTreeFilter(name: string, former: boolean): FilterPlugin {
  const message = former
    ? `${name} is no longer an in-tree plugin: its answers are not known`
    : `${name} is an out-of-tree plugin: its answers are not known`;
  const reason: Reason = { plugin: name, code: 'OutOfTreePlugin', status: 'Unknown', message, facts: {}, fields: [] };
  return { name, preFilter: () => notKnown(reason) };
}
