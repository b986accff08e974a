import { ServiceError, type ErrorDetail } from './service-error.js';

/** A well-formed but invalid request; `details` has every invalid field. */
export class InvalidRequestError extends ServiceError {
  constructor(details: readonly ErrorDetail[]) {
    super('invalid-request', summary(details), { details });
  }
}

function summary(details: readonly ErrorDetail[]): string {
  const [first, ...rest] = details;
  if (first === undefined) return 'The request is invalid.';
  const where = first.field === undefined || first.field === '' ? '' : `${first.field}: `;
  return rest.length === 0 ? `${where}${first.message}` : `${where}${first.message} (and ${rest.length} more)`;
}
