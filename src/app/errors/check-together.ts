import { InvalidRequestError } from './invalid-request-error.js';
import { ServiceError, type ErrorDetail } from './service-error.js';

/** The errors of a request that a check throws; none if it passes. */
export function errorsThrownBy(check: () => unknown): readonly ErrorDetail[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.details;
    throw error;
  }
}

/**
 * Runs all checks.
 *
 * @throws {InvalidRequestError} with the errors of all of them
 */
export function checkTogether(...checks: readonly (() => unknown)[]): void {
  const details = checks.flatMap((check) => errorsThrownBy(check));
  if (details.length > 0) throw new InvalidRequestError(details);
}
