import { dropDisabledFields, dropUnreadFields } from '../disabled-fields.js';
import { errorsInWordsOf, invalid, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { Pod, PodSpec } from '../objects/pod.js';
import type { WholePodSpec } from '../objects/whole-pod.js';
import { rulesOfGates, type TolerationGates } from '../toleration.js';
import { validateLabels } from './label.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from './object-names.js';
import { validateAffinity } from './pod/pod-affinity.js';
import { strictly } from './pod/pod-leniency.js';
import { validatePodResources } from './pod/pod-resources.js';
import { validateTopologySpread } from './pod/topology-spread.js';
import { podResourceName } from './resource-name-rules.js';
import { validateOverhead, validateResourceRequirements } from './resources.js';
import { validateTolerations } from './tolerations.js';

/** The paths of a pod's metadata and spec; in a template they are below `spec.template`. */
export interface PodPlace {
  readonly metadata: FieldPath;
  readonly spec: FieldPath;
}

/** Whether `matchLabelKeys` are merged into the selector depends on where the pod comes from, and placed it is the same. */
const ANY_KEYS = { anySpreadSelector: false, spreadKeysApart: false };

/**
 * The API server's faults of a new pod in the fields that affect where it can run: labels, resources, node selector, affinity,
 * spread constraints, tolerations; in the words of the version. The pod must be defaulted (`defaultPod`). A name or a container may be absent, because they
 * do not affect where the pod can run.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go, the corresponding parts of `ValidatePodCreate`.
 */
export function validatePlacedPod(
  { metadata, spec: given }: Pod,
  place: PodPlace,
  gates: TolerationGates,
): FieldError[] {
  const rules = rulesOfGates(gates);
  const spec = dropUnreadFields(
    dropDisabledFields(given as unknown as WholePodSpec, rules) as unknown as PodSpec,
    rules,
  );
  const errors = validateLabels(metadata.labels, place.metadata.child('labels'));
  for (const [list, containers] of [
    ['containers', spec.containers],
    ['initContainers', spec.initContainers ?? []],
  ] as const) {
    containers.forEach(({ resources }, index) => {
      const at = place.spec.child(list).index(index).child('resources');
      if (resources !== undefined) errors.push(...validateResourceRequirements(resources, at));
    });
  }
  if (spec.resources !== undefined) {
    errors.push(...validateResourceRequirements(spec.resources, place.spec.child('resources'), podResourceName));
  }
  if (spec.overhead !== undefined) errors.push(...validateOverhead(spec.overhead, place.spec.child('overhead')));
  errors.push(...validateLabels(spec.nodeSelector, place.spec.child('nodeSelector')));
  if (spec.affinity !== undefined) {
    errors.push(...validateAffinity(spec.affinity, place.spec.child('affinity'), strictly(gates)));
  }
  const spread = spec.topologySpreadConstraints ?? [];
  errors.push(...validateTopologySpread(spread, place.spec.child('topologySpreadConstraints'), ANY_KEYS));
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    errors.push(...complaints(nameIsDnsSubdomain(spec.nodeName, false), spec.nodeName, place.spec.child('nodeName')));
  }
  errors.push(...validateTolerations(spec.tolerations, place.spec.child('tolerations'), gates));
  return errorsInWordsOf(rules, errors);
}

/**
 * What the API server would find wrong with a pod that takes the place of one that it took: as `validatePlacedPod`, and that the requests of
 * the pod as a whole still cover those of its containers.
 *
 * @param place a pod's own by default
 */
export function validateReplacedPod(
  pod: Pod,
  gates: TolerationGates,
  place: PodPlace = { metadata: FieldPath.of('metadata'), spec: FieldPath.of('spec') },
): FieldError[] {
  const errors = validatePlacedPod(pod, place, gates);
  if (errors.length > 0) return errors;
  const rules = rulesOfGates(gates);
  const spec = dropUnreadFields(pod.spec, rules);
  return errorsInWordsOf(rules, validatePodResources(spec, new Set(), place.spec.child('resources'), strictly(gates)));
}

/** Name and namespace of an object that a request brings, where it has them. */
export function validateGivenNames(
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  metadata: FieldPath,
): FieldError[] {
  return [
    ...(name === '' ? [] : complaints(nameIsDnsSubdomain(name, false), name, metadata.child('name'))),
    ...(namespace === undefined
      ? []
      : complaints(nameIsDnsLabel(namespace, false), namespace, metadata.child('namespace'))),
  ];
}

const complaints = (messages: readonly string[], value: string, path: FieldPath): FieldError[] =>
  messages.map((message) => invalid(path, value, message));
