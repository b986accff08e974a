import { aggregateText } from './error-aggregate.js';
import { invalid, quoteGo, type FieldError } from './field-error.js';
import { FieldPath } from './field-path.js';
import type { LabelSelector } from './objects/selectors.js';
import { newRequirement, type Requirement, type SelectionOperator } from './requirement.js';
import { EVERYTHING, NOTHING, selectorOf, type Selector } from './selector.js';

export { parseSelector, SelectorSyntaxError } from './selector-parser.js';
export type { Selector };

/**
 * A compiled label selector, or its faults: `errors` has all of them, and `message` is Kubernetes' message, which is about the
 * first invalid requirement only.
 */
export type CompiledLabelSelector =
  { readonly selector: Selector } | { readonly errors: readonly FieldError[]; readonly message: string };

const OPERATORS: ReadonlyMap<string, SelectionOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * `metav1.LabelSelectorAsSelector`: an absent selector matches nothing, an empty one everything.
 *
 * If several labels of `matchLabels` are invalid, upstream reports any one of them; this function reports the first in byte
 * order.
 *
 * @param path the path of the selector; without it, fields have upstream's paths (`values[0][key]`)
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/helpers.go.
 */
export function compileLabelSelector(selector: LabelSelector | undefined, path?: FieldPath): CompiledLabelSelector {
  if (selector === undefined) return { selector: NOTHING };
  const requirements: Requirement[] = [];
  const errors: FieldError[] = [];
  let message: string | undefined;
  const add = (
    key: string,
    operator: SelectionOperator,
    values: readonly string[] | undefined,
    at?: FieldPath,
  ): void => {
    const result = newRequirement(key, operator, values, at);
    if ('requirement' in result) {
      requirements.push(result.requirement);
      return;
    }
    errors.push(...result.errors);
    // The message is upstream's, in which requirements have no path.
    const bare = newRequirement(key, operator, values);
    if ('errors' in bare) message ??= aggregateText(bare.errors);
  };

  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, value] of labels) add(key, '=', [value], path?.child('matchLabels'));
  for (const [index, { key, operator, values }] of (selector.matchExpressions ?? []).entries()) {
    const at = path?.child('matchExpressions').index(index);
    const known = OPERATORS.get(operator);
    if (known !== undefined) {
      // Upstream copies the values first, which turns an empty list into nil, so its message contains `null`.
      add(key, known, values?.length === 0 ? undefined : values, at);
      continue;
    }
    errors.push(invalid(at?.child('operator') ?? FieldPath.of('operator'), operator, 'not a valid selector operator'));
    message ??= `${quoteGo(operator)} is not a valid label selector operator`;
  }
  if (message !== undefined) return { errors, message };
  return { selector: requirements.length === 0 ? EVERYTHING : selectorOf(requirements) };
}
