import { parseSelector, SelectorSyntaxError, type Selector } from '../core/kubernetes/label-selector.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';
import type { ErrorDetail } from './errors/service-error.js';

/**
 * Parses a label selector in kubectl's syntax; undefined if it is absent or empty, which selects everything.
 * @throws {InvalidRequestError} naming the parameter
 */
export function readLabelSelector(text: string | undefined, parameter = 'labelSelector'): Selector | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const faults: ErrorDetail[] = [];
  const selector = selectorIn(text, { field: parameter }, faults);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return selector;
}

/** Parses a label selector and adds its error to those of the request; undefined if invalid. */
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
