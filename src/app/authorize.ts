import type { Permission } from '../auth/permission.js';
import { ClusterNotFound } from '../storage/storage-error.js';
import { ServiceError } from './errors/service-error.js';
import type { RequestContext } from './request-context.js';

/**
 * Lets the caller pass who may do this to a cluster. It is asked before anybody looks whether there is such a cluster.
 *
 * @throws {ClusterNotFound} the caller has no right to it at all: the same words as if it did not exist
 * @throws {ServiceError} `forbidden`, naming the right that is missing
 */
export function authorize(
  { caller, access, withheld }: Pick<RequestContext, 'caller' | 'access' | 'withheld'>,
  permission: Permission,
  cluster: string,
): void {
  withheld.askedFor(access.seesTaintValues(cluster));
  if (access.may(permission, cluster)) return;
  if (!access.sees(cluster)) throw new ClusterNotFound(cluster);
  throw new ServiceError(
    'forbidden',
    `This needs the right "${permission}" to cluster ${JSON.stringify(cluster)}, which ${caller.name} does not have.`,
  );
}

/**
 * Refuses a filter that asks for values of taints where they are withheld: its answer would tell them.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeValues(
  { access }: Pick<RequestContext, 'access'>,
  cluster: string,
  parameter: string,
  asked: readonly { readonly value?: string }[],
): void {
  if (access.seesTaintValues(cluster) || asked.every(({ value = '' }) => value === '')) return;
  throw new ServiceError(
    'forbidden',
    `The values of taints of cluster ${JSON.stringify(cluster)} are withheld from you, so ${parameter} may name keys and effects alone.`,
  );
}
