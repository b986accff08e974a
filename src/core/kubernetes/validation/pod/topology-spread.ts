import { duplicate, notSupported, placedAt, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { TopologySpreadConstraint } from '../../objects/pod.js';
import { validateLabelSelector } from '../label-selector.js';
import { invalidNumber } from './complaints.js';
import { validateKeysApart, validateMatchLabelKeys } from './match-label-keys.js';
import type { PodLeniency } from './pod-leniency.js';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];
const PAIR = '{topologyKey, whenUnsatisfiable}';

/**
 * `validateTopologySpreadConstraints`. Two constraints with the same key and action are reported at the earlier one; a
 * topology key is only checked for presence.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 *
 * @param leniency allows invalid selectors, as for a pod that already has one
 */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
  { anySpreadSelector, spreadKeysApart }: Pick<PodLeniency, 'anySpreadSelector' | 'spreadKeysApart'>,
): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const at = path.index(index);
    const { maxSkew, topologyKey, whenUnsatisfiable: action, labelSelector } = constraint;
    const errors = validatePositive(maxSkew, at.child('maxSkew'));
    if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
    if (!ACTIONS.includes(action)) errors.push(notSupported(at.child('whenUnsatisfiable'), action, ACTIONS));
    const later = constraints.slice(index + 1);
    if (later.some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === action)) {
      errors.push(placedAt(duplicate(at.child(PAIR), `{${topologyKey}, ${action}}`), at));
    }
    errors.push(
      ...validateMinDomains(constraint, at.child('minDomains')),
      ...validatePolicy(constraint.nodeAffinityPolicy, at.child('nodeAffinityPolicy')),
      ...validatePolicy(constraint.nodeTaintsPolicy, at.child('nodeTaintsPolicy')),
      ...(spreadKeysApart ? validateKeysApart : validateMatchLabelKeys)(constraint, at),
    );
    if (!anySpreadSelector) errors.push(...validateLabelSelector(labelSelector, at.child('labelSelector')));
    return errors;
  });
}

function validateMinDomains(
  { minDomains, whenUnsatisfiable: action }: TopologySpreadConstraint,
  path: FieldPath,
): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = validatePositive(minDomains, path);
  if (action !== 'DoNotSchedule') {
    const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(invalidNumber(path, minDomains, rule));
  }
  return errors;
}

const validatePositive = (value: number, path: FieldPath): FieldError[] =>
  value > 0 ? [] : [invalidNumber(path, value, 'must be greater than zero')];

/** `validateNodeInclusionPolicy`. */
const validatePolicy = (policy: string | undefined, path: FieldPath): FieldError[] =>
  policy === undefined || POLICIES.includes(policy) ? [] : [notSupported(path, policy, POLICIES)];
