import { authorize } from '../../app/authorize.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { Access } from '../../auth/access.js';
import type { ClusterPlace, PermissionRequirement } from './require-permission.js';

/** Where the names of clusters are looked for. */
export interface Asked {
  readonly requestContext: RequestContext;
  /** Variables of the path, or arguments of the field. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly parent?: unknown;
}

/** @throws {ServiceError} `forbidden` and `cluster-not-found`, where the caller lacks what an operation needs */
export function checkPermission(need: PermissionRequirement | undefined, asked: Asked): void {
  const { requestContext } = asked;
  if (requestContext.access === Access.everything) return;
  if (need === undefined) throw new ServiceError('forbidden', 'Nobody may do this: it does not say what it needs.');
  if (!('place' in need) || need.place === 'each') return;
  const { permission, place } = need;
  if (place === 'all') {
    if (requestContext.access.mayEverywhere(permission)) return;
    throw new ServiceError(
      'forbidden',
      `This needs the right "${permission}" to all clusters, which ${requestContext.caller.name} does not have.`,
    );
  }
  const cluster = clusterAt(place, asked);
  if (cluster !== undefined) authorize(requestContext, permission, cluster);
}

/** @returns undefined only where none has to be given */
function clusterAt(place: Exclude<ClusterPlace, 'each' | 'all'>, { given, parent }: Asked): string | undefined {
  const value = valueAt(place, given, parent);
  if (typeof value === 'string') return value;
  if (place === 'cluster if given' && (value === undefined || value === null)) return undefined;
  throw new ServiceError('forbidden', 'Nobody may do this: it does not say to which cluster.');
}

function valueAt(place: Exclude<ClusterPlace, 'each' | 'all'>, given: Asked['given'], parent: unknown): unknown {
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
