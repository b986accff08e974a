import type { Permission } from '../auth/permission.js';
import { ClusterNotFound } from '../storage/storage-error.js';
import { ServiceError } from './errors/service-error.js';
import type { RequestEdge } from './request-edge.js';

/**
 * Lets the caller pass who may do this to a cluster. It is asked before anybody looks whether there is such a cluster.
 *
 * @throws {ClusterNotFound} the caller has no right to it at all: the same words as if it did not exist
 * @throws {ServiceError} `forbidden`, naming the right that is missing
 */
export function authorize(
  { caller, access }: Pick<RequestEdge, 'caller' | 'access'>,
  permission: Permission,
  cluster: string,
): void {
  if (access.may(permission, cluster)) return;
  if (!access.sees(cluster)) throw new ClusterNotFound(cluster);
  throw new ServiceError(
    'forbidden',
    `This needs the right "${permission}" to cluster ${JSON.stringify(cluster)}, which ${caller.name} does not have.`,
  );
}
