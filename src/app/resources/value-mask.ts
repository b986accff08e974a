import type { RequestContext } from '../request-context.js';
import { MASK } from '../withheld-values.js';

/** The text that replaces taint and toleration values; undefined if the caller may see them. */
export function valueMaskFor(cluster: string, { access }: Pick<RequestContext, 'access'>): string | undefined {
  return access.seesTaintValues(cluster) ? undefined : MASK;
}
