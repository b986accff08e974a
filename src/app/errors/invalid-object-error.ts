import type { FieldError } from '../../core/kubernetes/field-error.js';
import { ServiceError } from './service-error.js';

/** Maximum number of errors in the message; the details have all of them. */
const MAX_NAMED = 20;
const MAX_SENTENCE_LENGTH = 8192;

function summary(errors: readonly FieldError[]): string {
  const named = errors.slice(0, MAX_NAMED).map(({ field, message }) => `${field}: ${message}`);
  const unnamed = errors.length - named.length;
  const sentence = named.join(', ');
  const short = sentence.length > MAX_SENTENCE_LENGTH ? `${sentence.slice(0, MAX_SENTENCE_LENGTH)}...` : sentence;
  return unnamed > 0 ? `${short} (and ${unnamed} more)` : short;
}

/** A Kubernetes object that the API server would reject; the details are the messages of the API server. */
export class InvalidObjectError extends ServiceError {
  /** `pointer` is the JSON pointer of the object in the request, such as `/pod`; empty if it is the whole body. */
  constructor(what: string, errors: readonly FieldError[], pointer = '') {
    super('invalid-object', `${what} is invalid: ${summary(errors)}`, {
      details: errors.map((e) => ({
        pointer: `${pointer}${e.pointer}`,
        field: e.field,
        code: e.type,
        message: e.message,
      })),
    });
  }
}
