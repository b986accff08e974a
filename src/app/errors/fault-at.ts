import type { FieldPath } from '../../core/kubernetes/field-path.js';
import type { ErrorDetail } from './service-error.js';

/** An error at a place in a request. */
export function faultAt(
  at: FieldPath,
  code: string,
  message: string,
): ErrorDetail & Required<Pick<ErrorDetail, 'field' | 'pointer'>> {
  return { ...placeOf(at), code, message };
}

/** A place in Kubernetes notation and as a JSON pointer. */
export const placeOf = (at: FieldPath): { readonly field: string; readonly pointer: string } => ({
  field: at.toString(),
  pointer: at.toPointer(),
});
