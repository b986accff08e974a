import { RequestMethod } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../app/errors/service-error.js';
import { checkPermission } from './check-permission.js';
import { permissionRequirementOf, type PermissionRequirement } from './require-permission.js';

export type ControllerClass = abstract new (...args: never[]) => object;

/**
 * Checks the caller's permission for the cluster in the path before the request body is read. Requests that name
 * clusters in the body are checked later; body-parser.ts limits how much of such a body is read. Must run after the
 * authentication hook.
 */
export function installRouteAccess(fastify: FastifyInstance, controllers: readonly ControllerClass[]): void {
  const requirements = requirementsOfRoutes(controllers);
  fastify.addHook('onRequest', (request, _reply, done) => {
    try {
      check(request, requirements);
      done();
    } catch (error) {
      done(error as ServiceError);
    }
  });
}

function check(request: FastifyRequest, requirements: ReadonlyMap<string, PermissionRequirement>): void {
  const { requestContext, method, routeOptions, is404 } = request;
  if (is404 || routeOptions.config.open === true) return;
  const requirement = requirements.get(`${method} ${routeOptions.url ?? ''}`);
  if (requirement !== undefined)
    checkPermission(requirement, { requestContext, given: request.params as Readonly<Record<string, unknown>> });
}

/** The permission that each REST route requires, by method and path as Fastify knows it. */
function requirementsOfRoutes(controllers: readonly ControllerClass[]): ReadonlyMap<string, PermissionRequirement> {
  const requirements = new Map<string, PermissionRequirement>();
  for (const [route, handler] of handlersOfRoutes(controllers)) {
    const requirement = permissionRequirementOf(handler);
    if (requirement !== undefined) requirements.set(route, requirement);
  }
  return requirements;
}

/** The controller method behind each route, by HTTP method and path as Fastify knows it. */
export function handlersOfRoutes(controllers: readonly ControllerClass[]): ReadonlyMap<string, object> {
  const handlers = new Map<string, object>();
  for (const controller of controllers) {
    const prototype = controller.prototype as Record<string, object>;
    const base = String(Reflect.getMetadata('path', controller));
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      const handler = value as unknown;
      if (typeof handler !== 'function') continue;
      const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      const parts = `${base}/${String(Reflect.getMetadata('path', handler))}`.split('/').filter((part) => part !== '');
      handlers.set(`${RequestMethod[method]} /${parts.join('/')}`, handler);
    }
  }
  return handlers;
}
