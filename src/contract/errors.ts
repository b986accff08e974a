import type { ErrorCode } from './error-code.js';

/** What every read of a cluster's state can answer. */
export const READ_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'revision-not-found',
  'no-snapshot',
  'snapshot-too-old',
  'invalid-scenario',
];

/** What every list of a cluster's state can answer. */
export const LIST_ERRORS: readonly ErrorCode[] = [...READ_ERRORS, 'invalid-continue-token'];

/** What every change of a cluster's settings can answer. */
export const SETTING_ERRORS: readonly ErrorCode[] = [
  'cluster-not-found',
  'no-snapshot',
  'precondition-failed',
  'too-many-changes',
];
