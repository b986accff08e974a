import { compare } from '../json/compare.js';
import type { FieldPath } from './field-path.js';
import { earlierWords, inWordsOf, type EarlierWords } from './earlier-words.js';
import { quoteGo } from './go-text.js';
import type { KubernetesRules } from './kubernetes-rules.js';

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
  /** The messages of earlier versions, the earliest first; not for responses. */
  readonly [EARLIER]?: readonly EarlierWords[];
}

const EARLIER = Symbol('earlier');

/** A value as a message shows it: a string is quoted as in Go, anything else is given as text. */
export type ShownValue = string | { readonly text: string; readonly earlier?: EarlierWords };

function fieldError(
  type: FieldErrorType,
  path: FieldPath,
  message: string,
  earlier: readonly EarlierWords[] = [],
): FieldError {
  return {
    type,
    field: path.toString(),
    pointer: path.toPointer(),
    message,
    ...(earlier.length > 0 && { [EARLIER]: earlier }),
  };
}

/** The errors in the words of a version. Errors come from the rules of validation in those of the newest one. */
export const errorsInWordsOf = ({ minor }: KubernetesRules, errors: readonly FieldError[]): FieldError[] =>
  errors.map(({ [EARLIER]: earlier = [], ...error }) => ({
    ...error,
    message: inWordsOf(minor, error.message, earlier),
  }));

/** The error with something more at its end, in all versions. */
export function withMore({ [EARLIER]: earlier, ...error }: FieldError, more: string): FieldError {
  const added = earlier?.map(({ before, text }) => ({ before, text: `${text}${more}` }));
  return { ...error, message: `${error.message}${more}`, ...(added && { [EARLIER]: added }) };
}

/** Messages that show a value, in the words of all versions. */
function aboutValue(
  type: FieldErrorType,
  path: FieldPath,
  value: ShownValue,
  message: (shown: string, detail: string) => string,
  detail = '',
  details = earlierWords(detail),
): FieldError {
  const shown = rendered(value);
  const shownEarlier = typeof value === 'string' ? undefined : value.earlier;
  const changes = [...details.map(({ before }) => before), ...(shownEarlier ? [shownEarlier.before] : [])];
  const earlier = [...new Set(changes)]
    .sort((a, b) => a - b)
    .map((before) => ({
      before,
      text: message(
        inWordsOf(before - 1, shown, shownEarlier ? [shownEarlier] : []),
        inWordsOf(before - 1, detail, details),
      ),
    }));
  return fieldError(type, path, message(shown, detail), earlier);
}

/**
 * `field.Invalid`. A string is quoted as in Go; other values are passed as text.
 *
 * @param earlier what earlier versions say in the place of the detail, where that depends on the field
 */
export function invalid(path: FieldPath, value: ShownValue, detail: string, earlier?: EarlierWords): FieldError {
  const message = (shown: string, words: string): string => `Invalid value: ${shown}: ${words}`;
  return aboutValue('FieldValueInvalid', path, value, message, detail, earlier && [earlier]);
}

/** `field.Required`. */
export function required(path: FieldPath, detail = ''): FieldError {
  return fieldError('FieldValueRequired', path, detail === '' ? 'Required value' : `Required value: ${detail}`);
}

/** `field.NotSupported`, with the supported values in the given order. */
export function notSupported(path: FieldPath, value: ShownValue, supported: readonly string[]): FieldError {
  const list = supported.map(quoteGo).join(', ');
  return aboutValue(
    'FieldValueNotSupported',
    path,
    value,
    (shown) => `Unsupported value: ${shown}: supported values: ${list}`,
  );
}

/** `field.Duplicate`. */
export function duplicate(path: FieldPath, value: ShownValue): FieldError {
  return aboutValue('FieldValueDuplicate', path, value, (shown) => `Duplicate value: ${shown}`);
}

/** `field.Forbidden`. */
export function forbidden(path: FieldPath, detail: string): FieldError {
  const earlier = earlierWords(detail).map(({ before, text }) => ({ before, text: `Forbidden: ${text}` }));
  return fieldError('FieldValueForbidden', path, `Forbidden: ${detail}`, earlier);
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

/**
 * `field.TooLong`.
 *
 * @param earliest what 1.31 says where it calls `field.TooLongMaxLength`, which has had other words there
 */
export function tooLong(path: FieldPath, maximum: number, earliest?: string): FieldError {
  const detail = `may not be more than ${maximum} bytes`;
  const earlier = earliest === undefined ? earlierWords(detail) : [{ before: 32, text: earliest }];
  const inFull = (words: string): string => `Too long: ${words}`;
  const rewritten = earlier.map(({ before, text }) => ({ before, text: inFull(text) }));
  return fieldError('FieldValueTooLong', path, inFull(detail), rewritten);
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

const rendered = (value: ShownValue): string => (typeof value === 'string' ? quoteGo(value) : value.text);
