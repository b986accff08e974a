import type { FieldError } from './field-error.js';

/** A field error on a line of its own: `field: message` (`field.Error.Error`). */
export const fieldErrorText = (error: FieldError): string => `${error.field}: ${error.message}`;

/**
 * Combines errors into one text: `[a, b]` without duplicates, or a single error unchanged.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/util/errors, `aggregate.Error`.
 */
export function aggregateText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
