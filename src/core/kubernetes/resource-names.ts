import { isQualifiedName } from './validation/names.js';

const HUGEPAGES_PREFIX = 'hugepages-';
const ATTACHABLE_VOLUMES_PREFIX = 'attachable-volumes-';
const QUOTA_PREFIX = 'requests.';

/** Whether the name is like `hugepages-2Mi`. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith(HUGEPAGES_PREFIX);
}

/** Whether the name is like `attachable-volumes-aws-ebs`. */
export function isAttachableVolumeResource(name: string): boolean {
  return name.startsWith(ATTACHABLE_VOLUMES_PREFIX);
}

/** Whether the name contains `kubernetes.io/`. */
export function isPrefixedNativeResource(name: string): boolean {
  return name.includes('kubernetes.io/');
}

/** Whether the name has no slash or contains `kubernetes.io/`. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || isPrefixedNativeResource(name);
}

/**
 * Whether the name is like `nvidia.com/gpu`: of a domain other than kubernetes.io, and valid even with the prefix `requests.`
 * that quotas use (k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/helper/helpers.go, `IsExtendedResourceName`).
 */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(QUOTA_PREFIX)) return false;
  return isQualifiedName(`${QUOTA_PREFIX}${name}`).length === 0;
}

/** The prefix under which every DeviceClass is an extended resource by its own name (`resourceapi.ResourceDeviceClassPrefix`). */
export const DEVICE_CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/';

/**
 * Whether a DeviceClass can stand behind a resource of this name (k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go,
 * `IsDRAExtendedResourceName`).
 */
export const canBeDevices = (name: string): boolean => isExtendedResource(name) || name.startsWith(DEVICE_CLASS_PREFIX);

/**
 * Whether the scheduler counts the resource in addition to cpu, memory and ephemeral storage; it ignores other names
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

/** `IsOvercommitAllowed`: whether limits may exceed requests; true for native resources except huge pages. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}
