import { mapDriverError } from '../../storage/map-driver-error.js';
import { StorageError, type StorageErrorCode } from '../../storage/storage-error.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from './service-error.js';

/** The error code for each storage error. */
const CODE_OF_STORAGE: Readonly<Record<StorageErrorCode, ErrorCode>> = {
  StorageUnavailable: 'database-unavailable',
  StorageTimeout: 'database-unavailable',
  NulCharacter: 'invalid-request',
  ClusterNotFound: 'cluster-not-found',
  NoRevision: 'no-snapshot',
  RevisionNotFound: 'revision-not-found',
  SnapshotOlderThanHead: 'snapshot-older-than-head',
  SnapshotAborted: 'snapshot-aborted',
  SnapshotBaseGone: 'snapshot-base-gone',
  TooManySnapshots: 'too-many-snapshots',
  DeltaOutOfOrder: 'delta-out-of-order',
  SnapshotNeeded: 'snapshot-needed',
};

/** Number of seconds to wait before retrying. */
const RETRY_AFTER: Readonly<Partial<Record<ErrorCode, number>>> = {
  'database-unavailable': 2,
  'too-many-snapshots': 5,
};

/**
 * Converts any thrown value to an error that a caller may see. Storage errors keep their messages; an unexpected value
 * becomes `internal`, with the value as the cause, which is only logged.
 */
export function serviceErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const known = mapDriverError(thrown);
  if (known instanceof StorageError) {
    const code = CODE_OF_STORAGE[known.code];
    return new ServiceError(code, sentence(known.message), {
      cause: thrown,
      ...(RETRY_AFTER[code] === undefined ? {} : { retryAfterSeconds: RETRY_AFTER[code] }),
    });
  }
  return new ServiceError('internal', 'An unexpected error occurred in the service; its log has the details.', {
    cause: thrown,
  });
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}
