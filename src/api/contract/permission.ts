import { authorize } from '../../app/authorize.js';
import type { RequestEdge } from '../../app/request-edge.js';
import type { Question } from '../../contract/question.js';
import { Needs, type ClusterPlace } from '../needs.js';

/** Declares the right that a question needs, where its endpoint is. */
export function NeedsOf(
  { permission, dryRunPermission, clusters = 'one' }: Question,
  place: ClusterPlace,
): MethodDecorator {
  const where = clusters === 'one' ? place : clusters;
  return dryRunPermission === undefined ? Needs(permission, where) : Needs(dryRunPermission, where, permission);
}

/**
 * Asks for the rest of the right when the request has been read, and says whether it is a dry run.
 * @throws {ServiceError} `forbidden`
 */
export function authorizeRequest(
  { permission, dryRunPermission }: Question,
  request: object,
  context: RequestEdge,
): void {
  const { dryRun, cluster } = request as { readonly dryRun?: unknown; readonly cluster?: unknown };
  if (dryRunPermission !== undefined && dryRun !== true) authorize(context, permission, String(cluster));
}
