import { duplicate, forbidden, invalid, notFound, notSupported, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import { isQualifiedName } from '../names.js';
import type { WholePod, WholePodSpec } from '../../objects/whole-pod.js';
import { rulesOfGates } from '../../toleration.js';
import { validateLabels } from '../label.js';
import { nameIsDnsSubdomain } from '../object-names.js';
import { validateOverhead } from '../resources.js';
import { validateTolerations } from '../tolerations.js';
import { between, complaints, invalidNumber } from './complaints.js';
import { validateHostNetworkPorts } from './container-ports.js';
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
  type ContainerSurroundings,
} from './containers.js';
import { containersWithPath } from './containers-with-path.js';
import { validateAffinity } from './pod-affinity.js';
import { isMirrorPod } from './pod-annotations.js';
import { validateDns, validateHostNames } from './pod-dns.js';
import type { PodLeniency } from './pod-leniency.js';
import { validateHostUsers, validateOs } from './pod-os.js';
import { validatePodResources } from './pod-resources.js';
import { validatePodResourceClaims } from './resource-claims.js';
import { validatePodSecurityContext } from './security-context.js';
import { validateTopologySpread } from './topology-spread.js';
import { validateVolumes } from './volumes.js';
import { validateHostProcess } from './windows-options.js';

/** Since 1.33 a static pod with claims is refused. */
const CLAIMS_OF_STATIC_PODS_SINCE = 33;

/**
 * `ValidatePodSpec`, for a defaulted spec, and the rules that apply to a pod but not to a template.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validatePodSpec(pod: WholePod, path: FieldPath, leniency: PodLeniency): FieldError[] {
  const { spec } = pod;
  const rules = rulesOfGates(leniency.gates);
  const { affinity, resourceClaims = [], topologySpreadConstraints = [], securityContext = {} } = spec;
  const volumes = validateVolumes(pod, path.child('volumes'));
  const claims = new Set(resourceClaims.map(({ name }) => name).filter((name) => name !== ''));
  const around: ContainerSurroundings = { spec, volumes: volumes.good, claims, leniency };
  return [
    ...volumes.errors,
    ...validatePodResourceClaims(
      resourceClaims,
      isMirrorPod(pod) && rules.minor >= CLAIMS_OF_STATIC_PODS_SINCE,
      path.child('resourceClaims'),
    ),
    ...validateContainers(around, path.child('containers')),
    ...validateInitContainers(around, path.child('initContainers')),
    ...validateEphemeralContainers(around, path.child('ephemeralContainers')),
    ...validatePodResources(spec, claims, path.child('resources'), leniency),
    ...(spec.hostNetwork === true ? validateHostNetworkPorts(spec.containers, path.child('containers')) : []),
    ...validateChoice(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], path.child('restartPolicy')),
    ...validateDns(spec, path, leniency),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurityContext(securityContext, spec, path.child('securityContext')),
    ...(affinity ? validateAffinity(affinity, path.child('affinity'), leniency) : []),
    ...validateGates(spec, path),
    ...validateTopologySpread(topologySpreadConstraints, path.child('topologySpreadConstraints'), leniency),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, path, leniency),
    ...validateHostNames(spec, path, rules),
    ...validateReferences(spec, path),
    ...validateDeadline(spec, path.child('activeDeadlineSeconds')),
    ...validateTolerations(spec.tolerations, path.child('tolerations'), leniency.gates),
    ...(spec.overhead ? validateOverheadOf(spec.overhead, path.child('overhead'), leniency) : []),
    ...validateOs(spec, path, rules),
    ...validateFileKeys(spec, path),
    ...validateTokens(spec, path.child('volumes')),
  ];
}

const validateOverheadOf = (
  overhead: NonNullable<WholePodSpec['overhead']>,
  path: FieldPath,
  { brokenPages }: PodLeniency,
): FieldError[] => validateOverhead(overhead, path, path, brokenPages);

function validateChoice(value = '', values: readonly string[], path: FieldPath): FieldError[] {
  if (value === '') return [required(path)];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

/** `validateReadinessGates`, `validateSchedulingGates`. */
function validateGates({ readinessGates = [], schedulingGates = [] }: WholePodSpec, path: FieldPath): FieldError[] {
  const qualified = (name: string, at: FieldPath): FieldError[] =>
    isQualifiedName(name).map((message) => invalid(at, name, message));
  const seen = new Set<string>();
  return [
    ...readinessGates.flatMap(({ conditionType = '' }, index) =>
      qualified(conditionType, path.child('readinessGates').index(index).child('conditionType')),
    ),
    ...schedulingGates.flatMap(({ name }, index) => {
      const at = path.child('schedulingGates').index(index);
      const isRepeated = seen.has(name);
      seen.add(name);
      return [...qualified(name, at), ...(isRepeated ? [duplicate(at, name)] : [])];
    }),
  ];
}

/** Validates the names of other objects. */
function validateReferences(spec: WholePodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['serviceAccountName', 'nodeName', 'priorityClassName'] as const) {
    const name = spec[field] ?? '';
    if (name !== '') errors.push(...complaints(nameIsDnsSubdomain, name, path.child(field)));
  }
  const { runtimeClassName, preemptionPolicy } = spec;
  if (runtimeClassName !== undefined) {
    errors.push(...complaints(nameIsDnsSubdomain, runtimeClassName, path.child('runtimeClassName')));
  }
  if (preemptionPolicy !== undefined) {
    const at = path.child('preemptionPolicy');
    errors.push(...validateChoice(preemptionPolicy, ['PreemptLowerPriority', 'Never'], at));
  }
  return errors;
}

const MAX_SECONDS = 2 ** 31 - 1;

const validateDeadline = ({ activeDeadlineSeconds: seconds }: WholePodSpec, path: FieldPath): FieldError[] =>
  seconds === undefined || (seconds >= 1 && seconds <= MAX_SECONDS)
    ? []
    : [invalidNumber(path, seconds, between(1, MAX_SECONDS))];

/** `validateFileKeyRefVolumes`: variables can be read only from files in emptyDir volumes. */
function validateFileKeys(spec: WholePodSpec, path: FieldPath): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return containersWithPath(spec, path).flatMap(({ container, path: at }) =>
    (container.env ?? []).flatMap(({ valueFrom }, index) => {
      const name = valueFrom?.fileKeyRef && (valueFrom.fileKeyRef.volumeName ?? '');
      if (name === undefined) return [];
      const place = at.child('env').index(index).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = volumes.get(name);
      if (volume === undefined) return [notFound(place, name)];
      return volume.emptyDir ? [] : [invalid(place, name, 'referenced volume must be of type emptyDir')];
    }),
  );
}

/** A token requires a service account. */
function validateTokens({ serviceAccountName = '', volumes = [] }: WholePodSpec, path: FieldPath): FieldError[] {
  if (serviceAccountName !== '') return [];
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, source) => {
      const at = path.index(index).child('projected', 'sources').index(source).child('serviceAccountToken');
      return serviceAccountToken ? [forbidden(at, 'must not be specified when serviceAccountName is not set')] : [];
    }),
  );
}
