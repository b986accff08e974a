import { authorize } from '../../app/authorize.js';
import type { RequestContext } from '../../app/request-context.js';
import type { Question } from '../../contract/question.js';
import { RequireCaller, RequirePermission, type ClusterPlace } from '../require-permission.js';

/** Declares the right that a question needs, where its endpoint is. */
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
 * Asks for the rest of the right when the request has been read, and says whether it is a dry run.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeRequest(
  { permission, dryRunPermission }: Question,
  request: object,
  context: RequestContext,
): void {
  const { dryRun, cluster } = request as { readonly dryRun?: unknown; readonly cluster?: unknown };
  if (permission === 'any caller') return;
  if (dryRunPermission !== undefined && dryRun !== true) authorize(context, permission, String(cluster));
}
