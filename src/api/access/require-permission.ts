import { RouteConfig } from '@nestjs/platform-fastify';
import type { Permission } from '../../auth/permission.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No authentication is required for this route. */
    open?: boolean;
  }
}

/**
 * Where the request names the cluster.
 *
 * - `cluster`: the path variable or the argument of this name. `cluster if given`: without it, any caller is allowed.
 * - `name`, `input.cluster`: a GraphQL argument.
 * - `parent`: the GraphQL object that the field belongs to, a `Cluster`.
 * - `each`: several clusters; the use case checks each one and leaves out those that the caller cannot see.
 * - `all`: every cluster, including future ones.
 */
export type ClusterPlace = 'cluster' | 'cluster if given' | 'name' | 'input.cluster' | 'parent' | 'each' | 'all';

/** The permission that an operation requires. `inherited`: a field of an object that the caller could already read. */
export type PermissionRequirement =
  | {
      readonly permission: Permission;
      readonly place: ClusterPlace;
      /** Required unless the request is a dry run; checked once the request has been read. */
      readonly unlessDryRun?: Permission;
    }
  | { readonly permission: 'any caller' | 'nobody' | 'inherited' };

const requirements = new WeakMap<object, PermissionRequirement>();

function declare(requirement: PermissionRequirement): MethodDecorator {
  return (_prototype, _key, descriptor) => {
    requirements.set(descriptor.value as object, requirement);
  };
}

/** Declares the permission for a cluster that this controller or resolver method requires. */
export function RequirePermission(
  permission: Permission,
  place: ClusterPlace = 'cluster',
  unlessDryRun?: Permission,
): MethodDecorator {
  return declare({ permission, place, ...(unlessDryRun !== undefined && { unlessDryRun }) });
}

/** Allows any authenticated caller; the operation is about no cluster. */
export function RequireCaller(): MethodDecorator {
  return declare({ permission: 'any caller' });
}

/** A field of an object that the caller could already read. */
export function InheritPermission(): MethodDecorator {
  return declare({ permission: 'inherited' });
}

/** A route without authentication. */
export function Public(): MethodDecorator {
  const declareOpen = declare({ permission: 'nobody' });
  const configure = RouteConfig({ open: true });
  return (prototype, key, descriptor) => {
    declareOpen(prototype, key, descriptor);
    configure(prototype as object, key, descriptor);
  };
}

export function permissionRequirementOf(handler: object): PermissionRequirement | undefined {
  return requirements.get(handler);
}
