import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';

/**
 * Lets a caller pass who may name somebody else as the one for whom a change is made, or names nobody.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeOnBehalfOf(
  { cluster, onBehalfOf }: { readonly cluster: string; readonly onBehalfOf?: string },
  { access, caller }: Pick<RequestContext, 'access' | 'caller'>,
): void {
  if (onBehalfOf === undefined || access.mayActFor(cluster)) return;
  throw new ServiceError(
    'forbidden',
    `${caller.name} may not name somebody else as the one for whom a change of cluster ${cluster} is made.`,
  );
}
