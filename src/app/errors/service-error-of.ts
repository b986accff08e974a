import { mapDriverError } from '../../storage/map-driver-error.js';
import { StorageError, type StorageErrorCode } from '../../storage/storage-error.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from './service-error.js';

/** What each refusal of storage is called outside. */
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
};

/** After how many seconds it makes sense to try again. */
const RETRY_AFTER: Readonly<Partial<Record<ErrorCode, number>>> = {
  'database-unavailable': 2,
  'too-many-snapshots': 5,
};

/**
 * Any thrown value as an error that a caller may see. Storage's errors keep their words; what nobody expected becomes
 * `internal`, with the thrown value as its cause, for the log alone.
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
  return new ServiceError('internal', 'Something went wrong in the service; its log has the details.', {
    cause: thrown,
  });
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}
