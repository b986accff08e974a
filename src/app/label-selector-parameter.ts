import { parseSelector, SelectorSyntaxError, type Selector } from '../core/kubernetes/label-selector.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';

/**
 * A label selector as kubectl writes it; undefined when none is given, or an empty one, which selects everything.
 * @throws {InvalidRequestError} naming the parameter
 */
export function readLabelSelector(text: string | undefined, parameter = 'labelSelector'): Selector | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    throw new InvalidRequestError([{ field: parameter, code: 'invalid-selector', message: error.message }]);
  }
}
