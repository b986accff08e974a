import { forbidden, invalid, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { LabelSelector, LabelSelectorRequirement } from '../objects/selectors.js';
import { validateLabelName, validateLabels } from './label.js';
import { isValidLabelValue } from './names.js';

/**
 * `ValidateLabelSelector`; an absent selector is valid.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/validation/validation.go.
 *
 * @param anyValues allows invalid label values, as upstream does for an object that already has some
 */
export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: FieldPath,
  anyValues = false,
): FieldError[] {
  const { matchLabels, matchExpressions = [] } = selector ?? {};
  return [
    ...validateLabels(matchLabels, path.child('matchLabels')),
    ...matchExpressions.flatMap((requirement, index) =>
      validateRequirement(requirement, path.child('matchExpressions').index(index), anyValues),
    ),
  ];
}

function validateRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: FieldPath,
  anyValues: boolean,
): FieldError[] {
  const errors = [...validateOperator(operator, values.length, path), ...validateLabelName(key, path.child('key'))];
  if (anyValues) return errors;
  const bad = values.flatMap((value, index) =>
    isValidLabelValue(value).map((message) => invalid(path.child('values').index(index), value, message)),
  );
  return [...errors, ...bad];
}

function validateOperator(operator: string, values: number, path: FieldPath): FieldError[] {
  const at = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values === 0 ? [] : [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}
