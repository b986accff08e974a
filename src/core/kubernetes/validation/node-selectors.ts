import { forbidden, invalid, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { NodeAffinity } from '../objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../objects/selectors.js';
import { validateLabelName } from './label.js';
import { isValidLabelValue } from './names.js';
import { nameIsDnsSubdomain } from './object-names.js';

/**
 * `validateNodeAffinity`: required and preferred terms. In preferred terms, values may be invalid label values.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 *
 * @param anyValues allows invalid label values in required terms, too, as for a pod that already has some
 */
export function validateNodeAffinity(affinity: NodeAffinity, path: FieldPath, anyValues = false): FieldError[] {
  const errors: FieldError[] = [];
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity;
  if (must !== undefined) {
    const at = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
    const terms = must.nodeSelectorTerms ?? [];
    if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
    terms.forEach((term, index) => errors.push(...validateTerm(term, at.index(index), anyValues)));
  }
  preferred.forEach(({ weight, preference }, index) => {
    const at = path.child('preferredDuringSchedulingIgnoredDuringExecution').index(index);
    if (weight < 1 || weight > 100) {
      errors.push(invalid(at.child('weight'), { text: String(weight) }, 'must be in the range 1-100'));
    }
    errors.push(...validateTerm(preference, at.child('preference'), true));
  });
  return errors;
}

function validateTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  path: FieldPath,
  anyValues: boolean,
): FieldError[] {
  return [
    ...matchExpressions.flatMap((one, index) =>
      validateExpression(one, path.child('matchExpressions').index(index), anyValues),
    ),
    ...matchFields.flatMap((one, index) => validateField(one, path.child('matchFields').index(index))),
  ];
}

/** `ValidateNodeSelectorRequirement`. */
function validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  anyValues: boolean,
): FieldError[] {
  const errors = [...validateOperator(operator, values, path), ...validateLabelName(key, path.child('key'))];
  if (anyValues) return errors;
  const bad = values.flatMap((value, index) =>
    isValidLabelValue(value).map((message) => invalid(path.child('values').index(index), value, message)),
  );
  return [...errors, ...bad];
}

function validateOperator(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  const at = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}

/** `ValidateNodeFieldSelectorRequirement`: the node's name is the only supported field. */
function validateField({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const rule = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child('values'), rule));
  }
  if (key !== 'metadata.name') {
    return [...errors, invalid(path.child('key'), key, 'not a valid field selector key')];
  }
  values.forEach((value, index) => {
    for (const message of nameIsDnsSubdomain(value, false)) {
      errors.push(invalid(path.child('values').index(index), value, message));
    }
  });
  return errors;
}
