import { JSON_VALUES_SINCE } from '../earlier-words.js';
import { invalid, notSupported, quoteGo, type FieldError, type ShownValue } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { isPodLevelResource } from '../pod-resources/pod-level-resources.js';
import { isExtendedResource, isHugePageResource, isNativeResource } from '../resource-names.js';
import { isQualifiedName } from './names.js';

/**
 * A rule for the names of resources, which depends on where they are used. The rules are those of k8s.io/kubernetes v1.36.2,
 * pkg/apis/core/validation/validation.go, with the sets of pkg/apis/core/helper/helpers.go.
 */
export type ResourceNameRule = (name: string, path: FieldPath) => FieldError[];

const OF_CONTAINERS: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Objects that a quota counts by these names; their amounts must be integers. */
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const OF_QUOTAS: ReadonlySet<string> = new Set([
  ...OF_CONTAINERS,
  ...COUNTED,
  ...[...OF_CONTAINERS].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);

/** `IsStandardQuotaResourceName`. */
export const isStandardQuotaResource = (name: string): boolean => OF_QUOTAS.has(name) || isQuotaHugePage(name);

/** `IsIntegerResourceName`. */
export const isIntegerResource = (name: string): boolean => COUNTED.has(name) || isExtendedResource(name);

const isQuotaHugePage = (name: string): boolean => isHugePageResource(name) || name.startsWith('requests.hugepages-');

/** `IsStandardResourceName`: names without a domain that have a meaning in some place. */
const isStandardResource = (name: string): boolean =>
  OF_QUOTAS.has(name) || name === 'storage' || isQuotaHugePage(name);

/** A `core.ResourceName` in a message. */
export const shownName = (name: string): ShownValue => ({
  text: quoteGo(name),
  earlier: { before: JSON_VALUES_SINCE, text: name },
});

/** `validateResourceName`. */
const resourceName: ResourceNameRule = (name, path) => {
  const complaints = isQualifiedName(name);
  if (complaints.length > 0) return complaints.map((message) => invalid(path, shownName(name), message));
  return name.includes('/') || isStandardResource(name)
    ? []
    : [invalid(path, shownName(name), 'must be a standard resource type or fully qualified')];
};

/** `validateContainerResourceName`. */
export const containerResourceName: ResourceNameRule = (name, path) => {
  const errors = resourceName(name, path);
  if (!name.includes('/')) {
    if (!OF_CONTAINERS.has(name) && !isHugePageResource(name)) {
      errors.push(invalid(path, shownName(name), 'must be a standard resource for containers'));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, shownName(name), "doesn't follow extended resource name standard"));
  }
  return errors;
};

/** `validatePodResourceName`: for pod-level resources. */
export const podResourceName: ResourceNameRule = (name, path) => {
  const errors = resourceName(name, path);
  if (errors.length > 0 || isPodLevelResource(name)) return errors;
  return [notSupported(path, shownName(name), ['cpu', 'hugepages-', 'memory'])];
};

/** `ValidateResourceQuotaResourceName`. */
export const quotaResourceName: ResourceNameRule = (name, path) => {
  const errors = resourceName(name, path);
  if (!name.includes('/') && !isStandardQuotaResource(name)) {
    errors.push(invalid(path, shownName(name), 'must be a standard resource for quota'));
  }
  return errors;
};

/**
 * `validateLimitRangeResourceName`: for pods and containers the names that a container may request, otherwise any known name.
 */
export const limitRangeResourceName = (type: string): ResourceNameRule =>
  type === 'Pod' || type === 'Container' ? containerResourceName : resourceName;
