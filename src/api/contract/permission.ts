import { authorize } from '../../app/authorize.js';
import type { RequestContext } from '../../app/request-context.js';
import type { Question } from '../../contract/question.js';
import { RequireCaller, RequirePermission, type ClusterPlace } from '../access/require-permission.js';

/** Declares on an endpoint the permission that its question requires. */
export function RequirePermissionOf(
  { permission, dryRunPermission, clusters = 'one' }: Question,
  place: ClusterPlace,
): MethodDecorator {
  if (permission === 'any caller') return RequireCaller();
  const where = clusters === 'one' ? place : clusters;
  return dryRunPermission === undefined
    ? RequirePermission(permission, where)
    : RequirePermission(dryRunPermission, where, permission);
}

/**
 * Checks the permission for a change after the request has been read, since only then is it known whether it is a dry
 * run.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeRequest(
  { permission, dryRunPermission }: Question,
  request: object,
  context: RequestContext,
): void {
  if (permission === 'any caller') return;
  const { dryRun, cluster } = request as { readonly dryRun?: unknown; readonly cluster?: unknown };
  if (dryRunPermission !== undefined && dryRun !== true) authorize(context, permission, String(cluster));
}
