import { duplicate, forbidden, invalid, notFound, placedAt, required, type FieldError } from '../../field-error.js';
import { FieldPath } from '../../field-path.js';
import { jsonGo } from '../../go-text.js';
import type { PodResourceClaim, ResourceRequirements } from '../../objects/pod.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../object-names.js';
import { complaints } from './complaints.js';

/** `validatePodResourceClaims`. Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
export function validatePodResourceClaims(
  claims: readonly PodResourceClaim[],
  isMirror: boolean,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    const at = path.index(index);
    // This is the only error with an empty path.
    if (isMirror) return [placedAt(forbidden(FieldPath.of(''), 'static pods do not support resource claims'), at)];
    const isRepeated = names.has(claim.name);
    if (claim.name !== '') names.add(claim.name);
    return [...validateName(claim.name, isRepeated, at.child('name')), ...validateSource(claim, at)];
  });
}

function validateName(name: string, isRepeated: boolean, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  return isRepeated ? [duplicate(path, name)] : complaints(nameIsDnsLabel, name, path);
}

function validateSource(
  { name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const shown = {
    Name: name,
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  const text = jsonGo(shown);
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const rule = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    errors.push(invalid(path, { text }, rule));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    errors.push(invalid(path, { text }, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
  }
  if (resourceClaimName !== undefined) {
    errors.push(...complaints(nameIsDnsSubdomain, resourceClaimName, path.child('resourceClaimName')));
  }
  if (resourceClaimTemplateName !== undefined) {
    errors.push(...complaints(nameIsDnsSubdomain, resourceClaimTemplateName, path.child('resourceClaimTemplateName')));
  }
  return errors;
}

/**
 * `validateResourceClaimNames`: containers may refer only to claims of the pod, and to each only once; a reference to a claim
 * conflicts with one to a request of the same claim.
 */
export function validateClaimReferences(
  claims: NonNullable<ResourceRequirements['claims']>,
  podClaims: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { name, request = '' }] of claims.entries()) {
    const at = path.index(index);
    if (name === '') {
      errors.push(required(at));
      continue;
    }
    if (seen.has(name)) {
      errors.push(duplicate(at, name));
    } else {
      if (request !== '') errors.push(...complaints(nameIsDnsLabel, request, at.child('request')));
      const key = request === '' ? name : `${name}/${request}`;
      if (seen.has(key)) errors.push(duplicate(at, key));
      else if (request === '' && [...seen].some((other) => other.startsWith(`${name}/`))) {
        errors.push(duplicate(at, name));
      }
      seen.add(key);
    }
    if (!podClaims.has(name)) errors.push(notFound(at, name, unknownClaim(podClaims)));
  }
  return errors;
}

const unknownClaim = (podClaims: ReadonlySet<string>): string =>
  podClaims.size === 0
    ? 'must be one of the names in pod.spec.resourceClaims which is empty'
    : `must be one of the names in pod.spec.resourceClaims: ${[...podClaims].sort().join(', ')}`;
