import type { ErrorCode } from '../../contract/error-code.js';
import type { ErrorDetail, ServiceError } from '../../app/errors/service-error.js';
import { defined } from '../../core/collections/defined.js';
import { ERROR_TABLE } from './error-table.js';

/**
 * An error in its REST format: RFC 9457, `application/problem+json`. GraphQL has everything except `instance` in
 * `extensions`.
 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly instance?: string;
  readonly requestId: string;
  readonly errors: readonly ErrorDetail[];
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/**
 * The maximum number of details shown, so that a document with a million invalid fields does not cause an even larger
 * response.
 */
const SHOWN_DETAILS = 1000;

/** `instance` is the path of the request without its query. */
export function problemOf(error: ServiceError, requestId: string, instance?: string): Problem {
  const { status, title } = ERROR_TABLE[error.code];
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.message,
    code: error.code,
    ...defined({ instance }),
    requestId,
    errors: error.details.slice(0, SHOWN_DETAILS),
  };
}

/** URL of the code's documentation, relative to the service (RFC 9457 allows this). */
export function problemType(code: ErrorCode): string {
  return `/docs/errors#${code}`;
}
