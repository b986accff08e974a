export { Client, type UploadOptions, type UploadPath } from './client.js';
export type {
  Answer,
  CallOptions,
  ErrorCode,
  ItemOf,
  ListPath,
  Operation,
  PageOf,
  PathOf,
  Schemas,
} from './contract.js';
export type { ClusterEvent, FollowOptions } from './follow.js';
export * from './generated/errors.js';
export type { components, paths } from './generated/schema.js';
export type { Retry, RetryOptions } from './retry.js';
export {
  ConnectionError,
  type Problem,
  type ProblemDetail,
  ServiceError,
  UnexpectedAnswerError,
} from './service-error.js';
export type { ClientOptions } from './transport.js';
export type { UploadProgress, UploadSource } from './upload.js';
