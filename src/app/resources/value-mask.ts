import type { RequestContext } from '../request-context.js';
import { MASK } from '../withheld-values.js';

/** What stands in the place of a value of a taint or toleration that is withheld from the caller; undefined for one that is not. */
export function valueMaskFor(cluster: string, { access }: Pick<RequestContext, 'access'>): string | undefined {
  return access.seesTaintValues(cluster) ? undefined : MASK;
}
