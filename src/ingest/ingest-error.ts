import type { InvalidItem } from './ingest-report.js';

/**
 * The reason why a stream was rejected. Codes are stable; transports map them to a status.
 *
 * - `unsupported-media-type`, `unsupported-content-encoding`: the declared type or encoding is not supported.
 * - `unsupported-encoding`: UTF-16, UTF-32 or invalid UTF-8; `offset` is the first invalid byte.
 * - `malformed-json`, `malformed-yaml`, `malformed-gzip`: a syntax error at `line` and `column` (or `offset`).
 * - `truncated`: the body ends in the middle of a value or of a gzip stream.
 * - `empty`: the body contains only white space, comments and separators.
 * - `status`: the body is a `Status`, which the API server returns instead of the requested objects.
 * - `incomplete-list`: the body is one page of a list, according to `metadata.continue` or `metadata.remainingItemCount`.
 * - `not-an-object`: a top-level value or an element of `items` is not an object.
 * - `too-deep`, `item-too-large`, `too-many-items`, `too-many-unread`, `too-much-whitespace`, `body-too-large`,
 *   `compression-ratio`, `too-many-aliases`: the body exceeds a limit of `IngestLimits`.
 * - `invalid-objects`: objects do not decode or validate; `invalid` lists them up to the limit.
 * - `cancelled`: the caller's signal was aborted, or the source failed.
 * - `busy`: the maximum number of streams is being read.
 * - `out-of-memory`, `worker-failed`: the reading thread ended; the process continues.
 */
export type IngestErrorCode =
  | 'unsupported-media-type'
  | 'unsupported-content-encoding'
  | 'unsupported-encoding'
  | 'malformed-json'
  | 'malformed-yaml'
  | 'malformed-gzip'
  | 'truncated'
  | 'empty'
  | 'status'
  | 'incomplete-list'
  | 'not-an-object'
  | 'too-deep'
  | 'item-too-large'
  | 'too-many-items'
  | 'too-many-unread'
  | 'too-much-whitespace'
  | 'body-too-large'
  | 'compression-ratio'
  | 'too-many-aliases'
  | 'invalid-objects'
  | 'cancelled'
  | 'busy'
  | 'out-of-memory'
  | 'worker-failed';

/** The place in the stream, as far as it is known. */
export interface IngestErrorPlace {
  /** Bytes from the start of the decompressed stream, from 0. */
  readonly offset?: number | undefined;
  /** Line of the whole stream, from 1. */
  readonly line?: number | undefined;
  /** Column, from 1; in bytes up to the item, in UTF-16 units inside the item. */
  readonly column?: number | undefined;
  /** Position of the item in the whole stream, from 0. */
  readonly item?: number | undefined;
}

export interface IngestErrorDetails extends IngestErrorPlace {
  /** With `invalid-objects`: the invalid fields, up to the limit. */
  readonly invalid?: readonly InvalidItem[] | undefined;
  /** With `invalid-objects`: the total number of invalid fields. */
  readonly invalidCount?: number | undefined;
}

/** An error in a form that can be sent between threads. */
export interface IngestErrorData extends IngestErrorDetails {
  readonly code: IngestErrorCode;
  readonly message: string;
}

/** A rejected stream. The message repeats no content of the stream except names. */
export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly offset: number | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly item: number | undefined;
  readonly invalid: readonly InvalidItem[];
  readonly invalidCount: number;

  constructor(
    readonly code: IngestErrorCode,
    message: string,
    details: IngestErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.offset = details.offset;
    this.line = details.line;
    this.column = details.column;
    this.item = details.item;
    this.invalid = details.invalid ?? [];
    this.invalidCount = details.invalidCount ?? this.invalid.length;
  }

  /** A copy of the error with the missing parts of the place filled in. */
  at(place: IngestErrorPlace): IngestError {
    const details = { ...place, ...definedOf(this.toData()) };
    return new IngestError(this.code, this.message, details, { cause: this.cause });
  }

  toData(): IngestErrorData {
    const { code, message, offset, line, column, item, invalid, invalidCount } = this;
    return { code, message, offset, line, column, item, invalid, invalidCount };
  }

  static fromData(data: IngestErrorData): IngestError {
    return new IngestError(data.code, data.message, data);
  }

  /** Converts any thrown value to an IngestError. */
  static from(thrown: unknown): IngestError {
    if (thrown instanceof IngestError) return thrown;
    const options = { cause: thrown };
    if (codeOf(thrown) === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new IngestError('out-of-memory', 'reading the stream exceeded the memory limit', {}, options);
    }
    return new IngestError('worker-failed', 'the stream could not be read: an internal error', {}, options);
  }
}

function definedOf(details: IngestErrorDetails): IngestErrorDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/**
 * The code of a Node.js error; empty for other values. Does not use instanceof, because errors may come from another realm.
 */
export function codeOf(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : '';
}
