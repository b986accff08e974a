import type { OperationInfo } from './operation.js';
import type { PermissionRequirement } from '../access/require-permission.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** What writes need. Webhook calls are no writes of their callers, and what they answer is computed again. */
const OF_WRITES: readonly string[] = ['change', 'audit', 'admin'];

/**
 * Whether an operation stores something, and leaves it to the service to recognize a retry by its `Idempotency-Key`. An operation that
 * declares the header recognizes retries itself.
 */
export function takesIdempotencyKey(
  method: string,
  { headers = [] }: Pick<OperationInfo, 'headers'>,
  need: PermissionRequirement | undefined,
): boolean {
  if (need === undefined || !('place' in need)) return false;
  const isWrite = OF_WRITES.includes(need.unlessDryRun ?? need.permission) && method.toUpperCase() !== 'GET';
  return isWrite && !headers.some(({ name }) => name.toLowerCase() === IDEMPOTENCY_KEY.toLowerCase());
}
