import type { InvalidItem } from './ingest-report.js';

/**
 * Why a stream was refused. Each code is stable; transports map it to a status.
 *
 * - `unsupported-media-type`, `unsupported-content-encoding`: what the caller declares cannot hold objects.
 * - `unsupported-encoding`: UTF-16, UTF-32 or broken UTF-8; `offset` is the first bad byte.
 * - `malformed-json`, `malformed-yaml`, `malformed-gzip`: does not parse, at `line` and `column` (or `offset`).
 * - `truncated`: the body stops in the middle of a value or of a gzip stream.
 * - `empty`: nothing but whitespace, comments and separators.
 * - `status`: a `Status`, which is what the API server answers instead of what was asked for.
 * - `incomplete-list`: a page of a list, by its `metadata.continue` or `metadata.remainingItemCount`.
 * - `not-an-object`: a top-level value or an element of `items` that is no object.
 * - `too-deep`, `item-too-large`, `too-many-items`, `too-many-unread`, `too-much-whitespace`, `body-too-large`, `compression-ratio`,
 *   `too-many-aliases`: a limit of `IngestLimits`.
 * - `invalid-objects`: objects that decode or validate badly, all of them in `invalid` up to the cap.
 * - `cancelled`: the caller's signal, or the source, stopped.
 * - `busy`: as many streams as may be read at once are being read.
 * - `out-of-memory`, `worker-failed`: the reading thread died; the process did not.
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

/** Where in the stream, as far as known. */
export interface IngestErrorPlace {
  /** Bytes from the start of the (decompressed) stream, from 0. */
  readonly offset?: number | undefined;
  /** Line of the whole stream, from 1. */
  readonly line?: number | undefined;
  /** Column, from 1; in bytes up to the item, in UTF-16 units inside it. */
  readonly column?: number | undefined;
  /** Position of the item in the whole stream, from 0. */
  readonly item?: number | undefined;
}

export interface IngestErrorDetails extends IngestErrorPlace {
  /** With `invalid-objects`: the bad fields, as many as the cap allows. */
  readonly invalid?: readonly InvalidItem[] | undefined;
  /** With `invalid-objects`: how many bad fields there are in all. */
  readonly invalidCount?: number | undefined;
}

/** The form in which an error crosses a thread. */
export interface IngestErrorData extends IngestErrorDetails {
  readonly code: IngestErrorCode;
  readonly message: string;
}

/** A stream refused. The message never repeats what the stream holds beyond names. */
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

  /** The same error with the places that it does not know yet. */
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

  /** Whatever was thrown, as a typed error. */
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

/** The code that Node gives its own errors; empty for anything else. Errors may come from another realm. */
export function codeOf(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : '';
}
