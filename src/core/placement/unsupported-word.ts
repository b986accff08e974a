import type { FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { jsonGo, quoteGo } from '../kubernetes/go-text.js';

/** `field.NotSupported` of a named string, which is shown as JSON and not as Go quotes. */
export function unsupportedWord(path: FieldPath, value: string, supported: readonly string[]): FieldError {
  const message = `Unsupported value: ${jsonGo(value)}: supported values: ${supported.map(quoteGo).join(', ')}`;
  return { type: 'FieldValueNotSupported', field: path.toString(), pointer: path.toPointer(), message };
}
