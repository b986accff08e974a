import { notKnown } from './not-known.js';
import type { FilterPlugin } from './plugin.js';
import type { Reason } from './reason.js';

/**
 * A filter whose rule is not known here: of every node it answers unknown, by its name.
 *
 * @param former whether Kubernetes had it once
 */
export function foreignFilter(name: string, former: boolean): FilterPlugin {
  const message = former
    ? `${name} is no longer one of Kubernetes' plugins: what it would say is not known`
    : `${name} is not one of Kubernetes' plugins: what it would say is not known`;
  const reason: Reason = { plugin: name, code: 'ForeignPlugin', status: 'Unknown', message, facts: {}, fields: [] };
  return { name, preFilter: () => notKnown(reason) };
}
