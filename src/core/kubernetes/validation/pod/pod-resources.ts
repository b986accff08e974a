import { forbidden, invalid, placedAt, type FieldError } from '../../field-error.js';
import { FieldPath } from '../../field-path.js';
import type { PodSpec, ResourceRequirements } from '../../objects/pod.js';
import { isHugePageResource } from '../../resource-names.js';
import { Quantity } from '../../quantity.js';
import { rulesOfGates } from '../../toleration.js';
import { aggregateContainerLimits } from '../../pod-resources/pod-limits.js';
import { aggregateContainerRequests } from '../../pod-resources/pod-requests.js';
import { podResourceName } from '../resource-name-rules.js';
import { sortedAmounts, validateResourceRequirements } from '../resources.js';
import type { PodLeniency } from './pod-leniency.js';
import { validateClaimReferences } from './resource-claims.js';

/**
 * Before 1.34 the gate PodLevelResources is alpha: a request that the pod does not have counts as zero, limits for huge pages may be lower
 * than the sum, and Windows is not looked at.
 */
const BETA_SINCE = 34;
const NONE = Quantity.parse('0');

/** The parts of a pod that its resources are validated against. */
type PodParts = Pick<PodSpec, 'containers' | 'initContainers' | 'resources' | 'os'>;

/**
 * `validatePodResources`: the pod-level resources, by themselves and compared with those of the containers. Amounts that are
 * too large may come from defaulting.
 *
 * Source: k8s.io/kubernetes v1.32.5, v1.33.3, v1.34.1 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validatePodResources(
  spec: PodParts,
  claims: ReadonlySet<string>,
  path: FieldPath,
  { brokenPages, gates }: PodLeniency,
): FieldError[] {
  const { resources, os } = spec;
  const isAlpha = rulesOfGates(gates).minor < BETA_SINCE;
  if (resources === undefined) return [];
  if (!isAlpha && os?.name === 'windows') return [forbidden(path, 'may not be set for a windows pod')];
  const at = path.child('claims');
  return [
    ...(resources.claims === undefined ? [] : [forbidden(at, 'claims may not be set for Resources at pod-level')]),
    ...validateResourceRequirements(resources, path, podResourceName, brokenPages),
    ...validateClaimReferences(resources.claims ?? [], claims, at),
    ...validateSums(spec, resources, path, isAlpha),
    ...validateContainerLimits(spec, resources, path),
  ];
}

/** Checks that the sums of the containers do not exceed the pod's requests, or its limits for huge pages. */
function validateSums(
  spec: PodParts,
  { requests, limits }: ResourceRequirements,
  path: FieldPath,
  isAlpha: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const requested = new Map(sortedAmounts(requests));
  for (const [name, sum] of aggregateContainerRequests({ spec })) {
    const ofPod = requested.get(name) ?? (isAlpha ? NONE : undefined);
    if (ofPod === undefined || sum.cmp(ofPod) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container requests of ${sum.toString()}`;
    errors.push(invalid(path.child('requests').key(name), ofPod.toString(), rule));
  }
  if (isAlpha) return errors;
  const limited = new Map(sortedAmounts(limits));
  for (const [name, sum] of aggregateContainerLimits({ spec })) {
    const ofPod = limited.get(name);
    if (ofPod === undefined || !isHugePageResource(name) || sum.cmp(ofPod) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container limits of ${sum.toString()}`;
    errors.push(invalid(path.child('limits').key(name), ofPod.toString(), rule));
  }
  return errors;
}

/** Checks that no container has a higher limit than the pod. Upstream's path has the containers below the resources. */
function validateContainerLimits(
  { containers }: PodParts,
  { limits }: ResourceRequirements,
  path: FieldPath,
): FieldError[] {
  const ofPod = new Map(sortedAmounts(limits));
  return containers.flatMap(({ resources }, index) =>
    sortedAmounts(resources?.limits).flatMap(([name, limit]) => {
      const most = ofPod.get(name);
      if (most === undefined || limit.cmp(most) <= 0) return [];
      const rule = `must be less than or equal to pod limits of ${most.toString()}`;
      const error = invalid(path.child('containers').index(index).key(name).child('limits'), limit.toString(), rule);
      return [placedAt(error, FieldPath.of('spec', 'containers').index(index).child('resources', 'limits').key(name))];
    }),
  );
}
