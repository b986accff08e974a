import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { type Asked, checkPermission } from './check-permission.js';
import { permissionRequirementOf } from './require-permission.js';

/**
 * Rejects callers without the permission that an operation declares. Authentication ran before (see auth-hook.ts). REST
 * routes are also checked before their body is read (see route-access.ts).
 */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    checkPermission(permissionRequirementOf(context.getHandler()), askedIn(context));
    return true;
  }
}

function askedIn(context: ExecutionContext): Asked {
  if (context.getType<string>() === 'http') {
    const { requestContext, params } = context.switchToHttp().getRequest<FastifyRequest>();
    return { requestContext, given: params as Asked['given'] };
  }
  const [parent, given, { requestContext }] =
    context.getArgs<[unknown, Asked['given'], { readonly requestContext: RequestContext }]>();
  return { requestContext, given, parent };
}
