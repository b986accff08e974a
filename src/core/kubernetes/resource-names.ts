import { isQualifiedName } from './validation/names.js';

const HUGEPAGES_PREFIX = 'hugepages-';
const ATTACHABLE_VOLUMES_PREFIX = 'attachable-volumes-';
const QUOTA_PREFIX = 'requests.';

/** `hugepages-2Mi` and the like. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith(HUGEPAGES_PREFIX);
}

/** `attachable-volumes-aws-ebs` and the like. */
export function isAttachableVolumeResource(name: string): boolean {
  return name.startsWith(ATTACHABLE_VOLUMES_PREFIX);
}

/** A name with `kubernetes.io/` anywhere in it. */
export function isPrefixedNativeResource(name: string): boolean {
  return name.includes('kubernetes.io/');
}

/** A name without a slash, or of kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || isPrefixedNativeResource(name);
}

/**
 * A resource such as `nvidia.com/gpu`: of another domain than kubernetes.io, and a valid name even with `requests.`
 * before it, as quotas spell it (k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/helper/helpers.go, `IsExtendedResourceName`).
 */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(QUOTA_PREFIX)) return false;
  return isQualifiedName(`${QUOTA_PREFIX}${name}`).length === 0;
}

/**
 * Whether the scheduler counts the resource beside cpu, memory and ephemeral storage; any other name it ignores
 * (k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go, `IsScalarResourceName`).
 */
export function isScalarResource(name: string): boolean {
  return (
    isExtendedResource(name) ||
    isHugePageResource(name) ||
    isPrefixedNativeResource(name) ||
    isAttachableVolumeResource(name)
  );
}

/** `IsOvercommitAllowed`: more of a resource of kubernetes.io may be promised than there is, but not of huge pages. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}
