import {
  FieldSelectorError,
  parseFieldSelector,
  type FieldSelector,
  type SelectableFields,
} from '../core/kubernetes/field-selector.js';
import { TaintSyntaxError } from '../core/kubernetes/taint-text.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';

/**
 * A field selector as kubectl writes it; undefined when none is given, or an empty one, which selects everything.
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
 * The texts of a repeatable parameter about taints, each read by `parse`.
 * @throws {InvalidRequestError} naming the parameter, in kubectl's words
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
