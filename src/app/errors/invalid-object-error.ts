import type { FieldError } from '../../core/kubernetes/field-error.js';
import { ServiceError } from './service-error.js';

/** A Kubernetes object that the API server would refuse; the details are in its own words. */
export class InvalidObjectError extends ServiceError {
  /** `pointer` is where in the request the object stands, such as `/pod`; empty when it is the whole body. */
  constructor(what: string, errors: readonly FieldError[], pointer = '') {
    super('invalid-object', `${what} is invalid: ${errors.map((e) => `${e.field}: ${e.message}`).join(', ')}`, {
      details: errors.map((e) => ({
        pointer: `${pointer}${e.pointer}`,
        field: e.field,
        code: e.type,
        message: e.message,
      })),
    });
  }
}
