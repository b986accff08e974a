import type { ErrorCode } from './error-code.js';

/** Errors of every read of a cluster's state. */
export const READ_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'revision-not-found',
  'no-snapshot',
  'snapshot-too-old',
  'invalid-scenario',
];

/** Errors of every list of a cluster's state. */
export const LIST_ERRORS: readonly ErrorCode[] = [...READ_ERRORS, 'invalid-continue-token'];

/** Errors of every change of a cluster's settings. */
export const SETTING_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'no-snapshot',
  'precondition-failed',
  'too-many-changes',
];

/** Of questions that may ask the API server of the cluster. */
export const CONFIRM_ERRORS = [
  'connection-not-found',
  'connections-not-configured',
  'dry-runs-not-allowed',
] as const satisfies readonly ErrorCode[];
