import type { ErrorCode } from '../../contract/error-code.js';

/** One thing that is wrong with a request. */
export interface ErrorDetail {
  /** The place in the request body (or among the GraphQL arguments, or in a query parameter that holds JSON) as a JSON pointer; absent for what has no place there. */
  readonly pointer?: string;
  /** The same place as people write it: `spec.tolerations[0].key`, or the name of a query parameter. */
  readonly field?: string;
  /** What kind of fault: one of Kubernetes' own causes (`FieldValueInvalid`) or a word of ours (`unknown-field`). */
  readonly code: string;
  readonly message: string;
  /** In a snapshot: the object that is meant, by its position in the stream (from 0) and by its name. */
  readonly item?: number;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** In a snapshot: where reading stopped. Line and column count from 1; the offset counts unpacked bytes from 0. */
  readonly line?: number;
  readonly column?: number;
  readonly offset?: number;
}

export interface ServiceErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** For the log; never shown to the caller. */
  readonly cause?: unknown;
  /** After how many seconds it makes sense to try again. */
  readonly retryAfterSeconds?: number;
}

/**
 * An error that the caller is meant to see: the message and the details go out as they are, the cause only to the log.
 * Use cases throw it; the transports look its code up in the error table and render it.
 */
export class ServiceError extends Error {
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ServiceErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
