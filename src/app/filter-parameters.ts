import {
  FieldSelectorError,
  parseFieldSelector,
  type FieldSelector,
  type SelectableFields,
} from '../core/kubernetes/field-selector.js';
import { TaintSyntaxError } from '../core/kubernetes/taint-text.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';

/**
 * Parses a field selector in kubectl's syntax; undefined if it is absent or empty, which selects everything.
 * @throws {InvalidRequestError} naming the parameter
 */
export function readFieldSelector<T>(
  text: string | undefined,
  fields: SelectableFields<T>,
): FieldSelector<T> | undefined {
  if (text === undefined || text === '') return undefined;
  return refusing(FieldSelectorError, 'fieldSelector', 'invalid-selector', () => parseFieldSelector(text, fields));
}

/**
 * Parses each value of a repeatable taint parameter with `parse`.
 * @throws {InvalidRequestError} naming the parameter, with kubectl's message
 */
export function readTaintTexts<T>(texts: readonly string[], parameter: string, parse: (text: string) => T): T[] {
  return texts.map((text) => refusing(TaintSyntaxError, parameter, 'invalid-taint', () => parse(text)));
}

/** `namespace/name`. */
export function readPodKey(text: string, parameter: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (namespace !== '' && name !== '' && more.length === 0) return { namespace, name };
  throw new InvalidRequestError([{ field: parameter, code: 'invalid-pod-key', message: 'must be namespace/name' }]);
}

function refusing<T>(type: new () => Error, field: string, code: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof type)) throw error;
    throw new InvalidRequestError([{ field, code, message: error.message }]);
  }
}
