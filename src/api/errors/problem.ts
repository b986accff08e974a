import type { ErrorCode } from '../../contract/error-code.js';
import type { ErrorDetail, ServiceError } from '../../app/errors/service-error.js';
import { defined } from '../../core/collections/defined.js';
import { ERROR_TABLE } from './error-table.js';

/** An error as REST answers it: RFC 9457, `application/problem+json`. GraphQL carries all but `instance` in `extensions`. */
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

/** At most so many details are shown; a document with a million bad fields is not answered with a larger one. */
const SHOWN_DETAILS = 1000;

/** `instance` is the path of the request, without its query. */
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

/** Where the code is explained, relative to the service (RFC 9457 allows it). */
export function problemType(code: ErrorCode): string {
  return `/docs/errors#${code}`;
}
