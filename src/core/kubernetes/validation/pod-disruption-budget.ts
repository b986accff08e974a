import { invalid, notSupported, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { jsonGo, mapGo } from '../go-text.js';
import type { IntOrString } from '../objects/meta.js';
import type { PodDisruptionBudget } from '../objects/policy.js';
import type { LabelSelector } from '../objects/selectors.js';
import { validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.js';
import { validateLabelSelector } from './label-selector.js';
import type { Manifest } from '../objects/manifest.js';
import { validateObjectMeta } from './metadata.js';
import { nameIsPathSegment } from './object-names.js';

type BudgetSpec = NonNullable<PodDisruptionBudget['spec']>;

/**
 * The API server's faults of a new budget: `ValidatePodDisruptionBudget`, which checks only the spec, and, if that is valid,
 * the checks of metadata for all kinds; so a name does not have to be a DNS name.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/policy/validation/validation.go; k8s.io/apiserver v0.36.2,
 * pkg/registry/rest/create.go.
 */
export function validatePodDisruptionBudget({ metadata, spec = {} }: Manifest<PodDisruptionBudget>): FieldError[] {
  const errors = validateSpec(spec, FieldPath.of('spec'));
  return errors.length > 0 ? errors : validateObjectMeta(metadata, true, nameIsPathSegment, FieldPath.of('metadata'));
}

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

function validateSpec(spec: BudgetSpec, path: FieldPath): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(invalid(path, { text: specGo(spec) }, 'minAvailable and maxUnavailable cannot be both set'));
  }
  errors.push(
    ...validateAmount(minAvailable, path.child('minAvailable')),
    ...validateAmount(maxUnavailable, path.child('maxUnavailable')),
    ...validateLabelSelector(selector, path.child('selector')),
  );
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported(path.child('unhealthyPodEvictionPolicy'), policy, POLICIES));
  }
  return errors;
}

function validateAmount(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (value === undefined) return [];
  return [...validateIntOrPercent(value, path), ...validateAtMost100Percent(value, path)];
}

/** The spec in Go's JSON of the internal type; its selector is of the API's own type. */
function specGo({ minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy }: BudgetSpec): string {
  const json = (value: IntOrString | undefined): string =>
    value === undefined ? 'null' : typeof value === 'number' ? String(value) : jsonGo(value);
  return `{"MinAvailable":${json(minAvailable)},"Selector":${selector === undefined ? 'null' : selectorGo(selector)},"MaxUnavailable":${json(maxUnavailable)},"UnhealthyPodEvictionPolicy":${json(policy)}}`;
}

function selectorGo({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const members: string[] = [];
  if (Object.keys(matchLabels).length > 0) members.push(`"matchLabels":${mapGo(matchLabels)}`);
  if (matchExpressions.length > 0) {
    const expressions = matchExpressions.map(({ key, operator, values = [] }) => ({
      key,
      operator,
      ...(values.length > 0 && { values }),
    }));
    members.push(`"matchExpressions":${jsonGo(expressions)}`);
  }
  return `{${members.join(',')}}`;
}
