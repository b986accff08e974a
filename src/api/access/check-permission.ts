import { authorize } from '../../app/authorize.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { Access } from '../../auth/access.js';
import type { ClusterPlace, PermissionRequirement } from './require-permission.js';

/** Where the cluster's name is found. */
export interface PermissionTarget {
  readonly requestContext: RequestContext;
  /** Path variables, or the field's arguments. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly parent?: unknown;
}

/** @throws {ServiceError} `forbidden` and `cluster-not-found`, if the caller lacks the required permission */
export function checkPermission(requirement: PermissionRequirement | undefined, target: PermissionTarget): void {
  const { requestContext } = target;
  if (requestContext.access === Access.everything) return;
  if (requirement === undefined)
    throw new ServiceError(
      'forbidden',
      'This operation declares no permission, so nobody may call it. Report this as a defect of the service.',
    );
  if (!('place' in requirement) || requirement.place === 'each') return;
  const { permission, place } = requirement;
  if (place === 'all') {
    if (requestContext.access.mayEverywhere(permission)) return;
    throw new ServiceError(
      'forbidden',
      `This operation requires the "${permission}" permission for all clusters, which ${requestContext.caller.name} does not have.`,
    );
  }
  const cluster = clusterAt(place, target);
  if (cluster !== undefined) authorize(requestContext, permission, cluster);
}

/** @returns undefined only where the cluster is optional */
function clusterAt(
  place: Exclude<ClusterPlace, 'each' | 'all'>,
  { given, parent }: PermissionTarget,
): string | undefined {
  const value = valueAt(place, given, parent);
  if (typeof value === 'string') return value;
  if (place === 'cluster if given' && (value === undefined || value === null)) return undefined;
  throw new ServiceError(
    'forbidden',
    'This operation does not name the cluster that it is about, so it cannot be authorized.',
  );
}

function valueAt(
  place: Exclude<ClusterPlace, 'each' | 'all'>,
  given: PermissionTarget['given'],
  parent: unknown,
): unknown {
  switch (place) {
    case 'cluster':
    case 'cluster if given':
      return given['cluster'];
    case 'name':
      return given['name'];
    case 'input.cluster':
      return (given['input'] as { readonly cluster?: unknown } | undefined)?.cluster;
    case 'parent':
      return (parent as { readonly name?: unknown } | undefined)?.name;
  }
}
