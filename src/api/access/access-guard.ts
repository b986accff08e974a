import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { type PermissionTarget, checkPermission } from './check-permission.js';
import { permissionRequirementOf } from './require-permission.js';

/**
 * Rejects callers without the permission that an operation declares. Authentication ran before (see auth-hook.ts). REST
 * routes are also checked before their body is read (see route-access.ts).
 */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    checkPermission(permissionRequirementOf(context.getHandler()), targetOf(context));
    return true;
  }
}

function targetOf(context: ExecutionContext): PermissionTarget {
  if (context.getType<string>() === 'http') {
    const { requestContext, params } = context.switchToHttp().getRequest<FastifyRequest>();
    return { requestContext, given: params as PermissionTarget['given'] };
  }
  const [parent, given, { requestContext }] =
    context.getArgs<[unknown, PermissionTarget['given'], { readonly requestContext: RequestContext }]>();
  return { requestContext, given, parent };
}
