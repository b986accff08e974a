import { errorsThrownBy } from '../../app/errors/check-together.js';
import { ServiceError, type ErrorDetail } from '../../app/errors/service-error.js';
import type { Rejected } from '../envelope/read-envelope.js';

type CrossFieldErrors<Given> = (request: Given, rejected: Rejected) => readonly ErrorDetail[];

/**
 * Further errors of a rejected request. The function gets the members that have no error; what it says of the others is not
 * reported.
 */
export function errorsInValid<Given extends object>(
  errorsOf: (valid: Given, rejected: Rejected) => readonly ErrorDetail[],
): CrossFieldErrors<Given> {
  return (request, rejected) => {
    const { invalid } = rejected;
    const valid = Object.fromEntries(Object.entries(request).filter(([name]) => !invalid.has(name))) as Given;
    return errorsOf(valid, rejected).filter(({ pointer, field = '' }) => {
      const name = pointer === undefined ? field : pointer.split('/')[1];
      // An error without a place is about members that are missing, perhaps because they are invalid.
      return name === undefined || name === '' ? invalid.size === 0 : !invalid.has(name);
    });
  };
}

/** The errors of a document, from a check that throws them. */
export function errorsOfDocument<Document>(
  check: (document: Document) => unknown,
): (document: Document) => Promise<readonly ErrorDetail[]> {
  return async (document) => {
    try {
      await check(document);
      return [];
    } catch (error) {
      if (error instanceof ServiceError) return error.details;
      throw error;
    }
  };
}

/** Like `errorsInValid`, for a check that throws its errors. */
export function errorsOfCheck<Given extends object>(check: (valid: Given) => unknown): CrossFieldErrors<Given> {
  return errorsInValid((valid) => errorsThrownBy(() => check(valid)));
}
