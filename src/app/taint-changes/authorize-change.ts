import { authorize } from '../authorize.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';

/**
 * Lets the caller pass who may make this change; a dry run needs no right to change.
 * @throws {ServiceError} `forbidden`, also where the caller may not name somebody else as the one for whom it is made
 * @throws {ClusterNotFound}
 */
export function authorizeChange(
  request: { readonly cluster: string; readonly dryRun?: boolean; readonly onBehalfOf?: string },
  context: RequestContext,
): void {
  const { cluster, dryRun = false, onBehalfOf } = request;
  checkClusterName(cluster);
  if (!dryRun) authorize(context, 'change', cluster);
  if (onBehalfOf === undefined || context.access.mayActFor(cluster)) return;
  throw new ServiceError(
    'forbidden',
    `${context.caller.name} may not name somebody else as the one for whom a change of cluster ${cluster} is made.`,
  );
}
