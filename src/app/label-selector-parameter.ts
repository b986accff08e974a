import { parseSelector, SelectorSyntaxError, type Selector } from '../core/kubernetes/label-selector.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';
import type { ErrorDetail } from './errors/service-error.js';

/**
 * A label selector as kubectl writes it; undefined when none is given, or an empty one, which selects everything.
 * @throws {InvalidRequestError} naming the parameter
 */
export function readLabelSelector(text: string | undefined, parameter = 'labelSelector'): Selector | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const faults: ErrorDetail[] = [];
  const selector = selectorIn(text, { field: parameter }, faults);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return selector;
}

/** A selector of which, with whatever else is wrong with a request, is said what is wrong: then it is undefined. */
export function selectorIn(
  text: string,
  place: Pick<ErrorDetail, 'field' | 'pointer'>,
  faults: ErrorDetail[],
): Selector | undefined {
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    faults.push({ ...place, code: 'invalid-selector', message: error.message });
    return undefined;
  }
}
