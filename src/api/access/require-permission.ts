import { RouteConfig } from '@nestjs/platform-fastify';
import type { Permission } from '../../auth/permission.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Nobody is asked for a name here. */
    open?: boolean;
  }
}

/**
 * Where an operation's cluster is named.
 *
 * - `cluster`: the variable of the path, or the argument of this name. `cluster if given`: without one, any caller will do.
 * - `name`, `input.cluster`: an argument of GraphQL.
 * - `parent`: the GraphQL object that the field belongs to, a `Cluster`.
 * - `each`: many clusters; the use case leaves out those that the caller does not see, and asks for the right to each.
 * - `all`: every cluster there is or may be.
 */
export type ClusterPlace = 'cluster' | 'cluster if given' | 'name' | 'input.cluster' | 'parent' | 'each' | 'all';

/** What a caller needs for an operation. `inherited`: a field of something that the caller was given already. */
export type PermissionRequirement =
  | {
      readonly permission: Permission;
      readonly place: ClusterPlace;
      /** What is needed unless it is a dry run; checked when the request has been read. */
      readonly unlessDryRun?: Permission;
    }
  | { readonly permission: 'any caller' | 'nobody' | 'inherited' };

const needs = new WeakMap<object, PermissionRequirement>();

function declare(need: PermissionRequirement): MethodDecorator {
  return (_prototype, _key, descriptor) => {
    needs.set(descriptor.value as object, need);
  };
}

/** The right to a cluster that this handler of a controller or resolver needs. */
export function RequirePermission(
  permission: Permission,
  place: ClusterPlace = 'cluster',
  unlessDryRun?: Permission,
): MethodDecorator {
  return declare({ permission, place, ...(unlessDryRun !== undefined && { unlessDryRun }) });
}

/** Any caller who said who it is; the operation is about no cluster. */
export function RequireCaller(): MethodDecorator {
  return declare({ permission: 'any caller' });
}

/** A field whose object the caller was allowed to have. */
export function InheritPermission(): MethodDecorator {
  return declare({ permission: 'inherited' });
}

/** A route for everybody. */
export function Public(): MethodDecorator {
  const declareOpen = declare({ permission: 'nobody' });
  const configure = RouteConfig({ open: true });
  return (prototype, key, descriptor) => {
    declareOpen(prototype, key, descriptor);
    configure(prototype as object, key, descriptor);
  };
}

export function permissionRequirementOf(handler: object): PermissionRequirement | undefined {
  return needs.get(handler);
}
