import { compare } from '../json/compare.js';
import type { FieldPath } from './field-path.js';
import { quoteGo } from './go-text.js';

export { quoteGo };

/** The API server's causes for an invalid field (`metav1.CauseType*`, k8s.io/apimachinery v0.36.2). */
export type FieldErrorType =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/**
 * An invalid field, with the API server's message.
 *
 * `message` is the text without the leading `field: `, such as `Invalid value: "x": must be ...`; `pointer` locates the
 * same field as a JSON pointer into the object.
 */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly pointer: string;
  readonly message: string;
}

function fieldError(type: FieldErrorType, path: FieldPath, message: string): FieldError {
  return { type, field: path.toString(), pointer: path.toPointer(), message };
}

/** `field.Invalid`. A string is quoted as in Go; other values are passed as text. */
export function invalid(path: FieldPath, value: { readonly text: string } | string, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, `Invalid value: ${rendered(value)}: ${detail}`);
}

/** `field.Required`. */
export function required(path: FieldPath, detail = ''): FieldError {
  return fieldError('FieldValueRequired', path, detail === '' ? 'Required value' : `Required value: ${detail}`);
}

/** `field.NotSupported`, with the supported values in the given order. */
export function notSupported(path: FieldPath, value: string, supported: readonly string[]): FieldError {
  const list = supported.map(quoteGo).join(', ');
  return fieldError('FieldValueNotSupported', path, `Unsupported value: ${quoteGo(value)}: supported values: ${list}`);
}

/** `field.Duplicate`. */
export function duplicate(path: FieldPath, value: { readonly text: string } | string): FieldError {
  return fieldError('FieldValueDuplicate', path, `Duplicate value: ${rendered(value)}`);
}

/** `field.Forbidden`. */
export function forbidden(path: FieldPath, detail: string): FieldError {
  return fieldError('FieldValueForbidden', path, `Forbidden: ${detail}`);
}

/** `field.NotFound`; some of upstream's callers append a detail. */
export function notFound(path: FieldPath, value: string, detail = ''): FieldError {
  const shown = `Not found: ${quoteGo(value)}`;
  return fieldError('FieldValueNotFound', path, detail === '' ? shown : `${shown}: ${detail}`);
}

/** `field.TypeInvalid`. */
export function typeInvalid(path: FieldPath, value: { readonly text: string } | string, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', path, `Invalid value: ${rendered(value)}: ${detail}`);
}

/** `field.TooLong`. */
export function tooLong(path: FieldPath, maximum: number): FieldError {
  return fieldError('FieldValueTooLong', path, `Too long: may not be more than ${maximum} bytes`);
}

/** `field.TooMany`. */
export function tooMany(path: FieldPath, actual: number, maximum: number): FieldError {
  const items = maximum === 1 ? 'item' : 'items';
  return fieldError('FieldValueTooMany', path, `Too many: ${actual}: must have at most ${maximum} ${items}`);
}

/** The error with another pointer, for errors in which upstream's path is not that of the fault. */
export function placedAt(error: FieldError, place: FieldPath): FieldError {
  return { ...error, pointer: place.toPointer() };
}

/** Orders errors like the conformance files: by field, then type, then message, each in code unit order. */
export function compareFieldErrors(a: FieldError, b: FieldError): number {
  return compare(a.field, b.field) || compare(a.type, b.type) || compare(a.message, b.message);
}

const rendered = (value: { readonly text: string } | string): string =>
  typeof value === 'string' ? quoteGo(value) : value.text;
