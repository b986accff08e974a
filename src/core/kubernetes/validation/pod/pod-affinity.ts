import { invalid, placedAt, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { Affinity, PodAffinity, PodAffinityTerm } from '../../objects/pod.js';
import { validateLabelName } from '../label.js';
import { validateLabelSelector } from '../label-selector.js';
import { validateNodeAffinity } from '../node-selectors.js';
import { nameIsDnsLabel } from '../object-names.js';
import { invalidNumber } from './complaints.js';
import { validateMatchLabelKeys } from './match-label-keys.js';
import type { PodLeniency } from './pod-leniency.js';

/** `validateAffinity`. Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: Affinity,
  path: FieldPath,
  leniency: PodLeniency,
): FieldError[] {
  const { anySelectorValues, anyNodeAffinityValues } = leniency;
  return [
    ...(nodeAffinity ? validateNodeAffinity(nodeAffinity, path.child('nodeAffinity'), anyNodeAffinityValues) : []),
    ...(podAffinity ? validatePodAffinity(podAffinity, path.child('podAffinity'), anySelectorValues) : []),
    ...(podAntiAffinity ? validatePodAffinity(podAntiAffinity, path.child('podAntiAffinity'), anySelectorValues) : []),
  ];
}

function validatePodAffinity(affinity: PodAffinity, path: FieldPath, anyValues: boolean): FieldError[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: must = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity;
  return [
    ...must.flatMap((term, index) => {
      const at = path.child('requiredDuringSchedulingIgnoredDuringExecution').index(index);
      return validateTerm(term, at, anyValues);
    }),
    ...preferred.flatMap(({ weight, podAffinityTerm }, index) => {
      const at = path.child('preferredDuringSchedulingIgnoredDuringExecution').index(index);
      const bad = weight < 1 || weight > 100;
      return [
        ...(bad ? [invalidNumber(at.child('weight'), weight, 'must be in the range 1-100')] : []),
        ...validateTerm(podAffinityTerm, at.child('podAffinityTerm'), anyValues),
      ];
    }),
  ];
}

function validateTerm(term: PodAffinityTerm, path: FieldPath, anyValues: boolean): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  const key = path.child('topologyKey');
  return [
    ...validateLabelSelector(labelSelector, path.child('labelSelector'), anyValues),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), anyValues),
    ...namespaces.flatMap((namespace, index) =>
      nameIsDnsLabel(namespace, false).map((message) =>
        placedAt(invalid(path.child('namespace'), namespace, message), path.child('namespaces').index(index)),
      ),
    ),
    ...validateMatchLabelKeys(term, path),
    ...(topologyKey === '' ? [required(key, 'can not be empty')] : []),
    ...validateLabelName(topologyKey, key),
  ];
}
