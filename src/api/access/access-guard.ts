import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../../app/request-context.js';
import { type Asked, checkPermission } from './check-permission.js';
import { permissionRequirementOf } from './require-permission.js';

/**
 * Lets nobody pass to an operation who lacks the right that it declares. Who asks was found out before, see door.ts; routes
 * of REST are looked at before their body is read, see route-access.ts, and here once more.
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
