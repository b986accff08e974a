import type { OperationInfo } from './operation.js';
import type { PermissionRequirement } from '../access/require-permission.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * The permissions that writes require. Webhook calls are not writes of their callers, and their responses are
 * recomputed.
 */
const OF_WRITES: readonly string[] = ['change', 'approve', 'audit', 'admin'];

/**
 * True if the operation stores something and the service recognizes its retries by `Idempotency-Key`. Operations that
 * declare the header handle retries themselves.
 */
export function takesIdempotencyKey(
  method: string,
  { headers = [] }: Pick<OperationInfo, 'headers'>,
  requirement: PermissionRequirement | undefined,
): boolean {
  if (requirement === undefined || !('place' in requirement)) return false;
  const isWrite =
    OF_WRITES.includes(requirement.unlessDryRun ?? requirement.permission) && method.toUpperCase() !== 'GET';
  return isWrite && !headers.some(({ name }) => name.toLowerCase() === IDEMPOTENCY_KEY.toLowerCase());
}
