/**
 * Every code that an error of this service can carry. A code is a promise to callers: it may be added, never renamed.
 *
 * What HTTP status and title go with it is said once, in `src/api/error-table.ts`.
 */
export type ErrorCode =
  // The request cannot be read.
  | 'malformed-json'
  | 'malformed-yaml'
  | 'body-required'
  | 'body-too-large'
  | 'body-incomplete'
  | 'unsupported-media-type'
  | 'unsupported-text-encoding'
  | 'malformed-gzip'
  | 'not-an-object'
  | 'snapshot-limit-exceeded'
  | 'audit-events-limit-exceeded'
  | 'malformed-url'
  | 'malformed-http'
  | 'request-timeout'
  // Who asks is unknown, or may not.
  | 'unauthenticated'
  | 'forbidden'
  | 'rate-limited'
  | 'too-many-streams'
  | 'slow-reader'
  // The request can be read, and is wrong.
  | 'invalid-request'
  | 'invalid-object'
  | 'admission-refused'
  | 'invalid-scenario'
  | 'invalid-continue-token'
  | 'route-not-found'
  | 'method-not-allowed'
  // GraphQL only.
  | 'graphql-syntax'
  | 'graphql-validation'
  | 'graphql-limit-exceeded'
  // What is asked for is not there, or not in the state that the request supposes.
  | 'cluster-not-found'
  | 'revision-not-found'
  | 'object-not-found'
  | 'no-snapshot'
  | 'snapshot-too-old'
  | 'snapshot-older-than-head'
  | 'snapshot-aborted'
  | 'snapshot-base-gone'
  | 'change-not-found'
  | 'trail-not-found'
  | 'record-not-found'
  | 'resume-gone'
  | 'precondition-failed'
  | 'idempotency-key-reused'
  | 'taint-change-refused'
  | 'revert-conflict'
  | 'already-reverted'
  // The service is at fault, or not able just now.
  | 'database-unavailable'
  | 'identity-provider-unavailable'
  | 'too-many-snapshots'
  | 'too-many-changes'
  | 'yaml-reader-busy'
  | 'webhook-timeout'
  | 'shutting-down'
  | 'budget-exceeded'
  | 'answer-too-large'
  | 'cancelled'
  | 'internal';
