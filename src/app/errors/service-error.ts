import type { ErrorCode } from '../../contract/error-code.js';

/** A single error in a request. */
export interface ErrorDetail {
  /**
   * JSON pointer into the request body, the GraphQL arguments, or a query parameter that contains JSON; absent for
   * anything else.
   */
  readonly pointer?: string;
  /** The same place in Kubernetes notation, such as `spec.tolerations[0].key`, or the name of a query parameter. */
  readonly field?: string;
  /**
   * Type of error: a cause that Kubernetes reports (`FieldValueInvalid`), or a code of this service (`unknown-field`).
   */
  readonly code: string;
  readonly message: string;
  /** For a snapshot: the object, by its zero-based position in the stream and by its name. */
  readonly item?: number;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /**
   * For a snapshot: where parsing stopped. Line and column count from 1; the offset counts uncompressed bytes from 0.
   */
  readonly line?: number;
  readonly column?: number;
  readonly offset?: number;
}

export interface ServiceErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Only for the log, never part of the response. */
  readonly cause?: unknown;
  /** Number of seconds to wait before retrying. */
  readonly retryAfterSeconds?: number;
}

/**
 * An error for the caller: the message and the details are sent unchanged, the cause is only logged. Use cases throw
 * it; the transports look up its code in the error table and render it.
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
