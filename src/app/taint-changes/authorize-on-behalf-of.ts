import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';

/**
 * Checks that the caller may name another person in `onBehalfOf`, if the request does.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeOnBehalfOf(
  { cluster, onBehalfOf }: { readonly cluster: string; readonly onBehalfOf?: string },
  { access, caller }: Pick<RequestContext, 'access' | 'caller'>,
): void {
  if (onBehalfOf === undefined || access.mayActFor(cluster)) return;
  throw new ServiceError(
    'forbidden',
    `${caller.name} may not set onBehalfOf for changes of cluster ${cluster}; omit it.`,
  );
}
