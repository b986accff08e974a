import { errorsInWordsOf, forbidden, type FieldError } from '../../field-error.js';
import { FieldPath } from '../../field-path.js';
import { withAppArmorFields } from '../../app-armor-fields.js';
import { dropDisabledFields, dropUnreadFields } from '../../disabled-fields.js';
import type { KubernetesRules } from '../../kubernetes-rules.js';
import { mergeLabelKeys } from '../../merge-label-keys.js';
import type { WholePod } from '../../objects/whole-pod.js';
import { rulesOfGates, type TolerationGates } from '../../toleration.js';
import { defaultWholePod } from '../../whole-pod-defaults.js';
import { validateCoreObjectMeta, validatePathSegments } from '../metadata.js';
import { nameIsDnsSubdomain } from '../object-names.js';
import { validatePodAnnotations } from './pod-annotations.js';
import { strictly, type PodLeniency } from './pod-leniency.js';
import { validateProfileAnnotations } from './profile-annotations.js';
import { validatePodSpec } from './pod-spec.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

/**
 * The API server's faults of a new pod, all at once: `ValidatePodCreate` after defaulting, without admission plugins, and then
 * the checks of names for all kinds.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go; pkg/registry/core/pod/strategy.go.
 *
 * @param given a pod decoded whole, with its namespace
 * @throws QuantityError for an invalid quantity
 */
export function validatePod(given: WholePod, gates: TolerationGates): FieldError[] {
  return validatePreparedPod(newPod(given, rulesOfGates(gates)), gates);
}

/** The same as {@link validatePod}, for a pod that is defaulted and then prepared by {@link preparedPod}. */
export function validatePreparedPod(pod: WholePod, gates: TolerationGates): FieldError[] {
  const { ephemeralContainers = [], nodeName = '', schedulingGates = [] } = pod.spec;
  const errors = validatePodParts(pod, strictly(gates));
  if (ephemeralContainers.length > 0) {
    errors.push(forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
  }
  if (nodeName !== '' && schedulingGates.length > 0) {
    errors.push(forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  }
  errors.push(...validateProfileAnnotations(pod, SPEC));
  return errors.length > 0
    ? errorsInWordsOf(rulesOfGates(gates), errors)
    : validatePathSegments(pod.metadata, METADATA);
}

/** A new pod as the API server stores it if it is valid: defaulted, with merged keys of selectors. */
export function newPod(given: WholePod, rules: KubernetesRules): WholePod {
  const pod = { ...given, spec: dropUnreadFields(given.spec, rules) };
  return preparedPod(defaultWholePod(pod), rules);
}

/** The API server's changes of a pod between admission and validation (`PrepareForCreate`), except those of its status. */
export function preparedPod(pod: WholePod, rules: KubernetesRules): WholePod {
  const spec = mergeLabelKeys(dropDisabledFields(pod.spec, rules), pod.metadata.labels, rules);
  return { ...pod, spec: withAppArmorFields({ metadata: pod.metadata, spec }) };
}

/** `validatePodMetadataAndSpec`: the rules for both new and updated pods. */
export function validatePodParts(pod: WholePod, leniency: PodLeniency): FieldError[] {
  const { metadata, spec } = pod;
  return [
    ...validateCoreObjectMeta(metadata, true, nameIsDnsSubdomain, METADATA),
    ...validatePodAnnotations(
      metadata.annotations ?? {},
      spec,
      METADATA.child('annotations'),
      leniency.gates,
      leniency.anyDeletionCost,
    ),
    ...validatePodSpec(pod, SPEC, leniency),
  ];
}
