import type { Permission } from '../auth/permission.js';
import { ClusterNotFound } from '../storage/storage-error.js';
import { ServiceError } from './errors/service-error.js';
import type { RequestContext } from './request-context.js';

/**
 * Checks the caller's permission for a cluster. Runs before anything checks whether the cluster exists.
 *
 * @throws {ClusterNotFound} the caller has no permission for the cluster: the message is the same as if it did not
 *   exist
 * @throws {ServiceError} `forbidden`, naming the missing permission
 */
export function authorize(
  { caller, access, withheld }: Pick<RequestContext, 'caller' | 'access' | 'withheld'>,
  permission: Permission,
  cluster: string,
): void {
  withheld.noteCluster(access.seesTaintValues(cluster));
  if (access.may(permission, cluster)) return;
  if (!access.sees(cluster)) throw new ClusterNotFound(cluster);
  throw new ServiceError(
    'forbidden',
    `This operation requires the "${permission}" permission for cluster ${JSON.stringify(cluster)}, which ${caller.name} does not have.`,
  );
}

/**
 * Rejects a filter by taint values that are hidden from the caller: the result would reveal them.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeValues(
  { access }: Pick<RequestContext, 'access'>,
  cluster: string,
  parameter: string,
  taints: readonly { readonly value?: string }[],
): void {
  if (access.seesTaintValues(cluster) || taints.every(({ value = '' }) => value === '')) return;
  throw new ServiceError(
    'forbidden',
    `You may not see the taint values of cluster ${JSON.stringify(cluster)}, so ${parameter} may contain only keys and effects.`,
  );
}
