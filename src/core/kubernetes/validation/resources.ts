import { forbidden, invalid, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { ResourceList } from '../objects/meta.js';
import type { ResourceRequirements } from '../objects/pod.js';
import { decodeQuantity, type Quantity } from '../quantity.js';
import { isExtendedResource, isHugePageResource, isNativeResource } from '../resource-names.js';
import { isQualifiedName } from './names.js';

/** What a resource may be called; which names are allowed depends on the place. */
export type ResourceNameRule = (name: string, path: FieldPath) => FieldError[];

/**
 * Requests and limits of a container: names, signs, whole numbers where the resource has no parts, and that no request is
 * above its limit. Resources in byte order, where upstream walks a Go map and so reports in no fixed order.
 *
 * Quantities are ones that the API server has defaulted (`defaultPod`), which is how its messages show them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go, `validateResourceRequirements`.
 *
 * @example a request of `-1` is `requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`
 */
export function validateResourceRequirements(
  { requests, limits }: ResourceRequirements,
  path: FieldPath,
  nameRule: ResourceNameRule = containerResourceName,
): FieldError[] {
  const errors: FieldError[] = [];
  const limited = new Map(sorted(limits));
  const requested = new Map(sorted(requests));
  for (const [name, quantity] of limited) {
    errors.push(...validateAmount(name, quantity, path.child('limits').key(name), nameRule));
  }
  for (const [name, quantity] of requested) {
    errors.push(...validateAmount(name, quantity, path.child('requests').key(name), nameRule));
    errors.push(...compareWithLimit(name, quantity, limited.get(name), path));
  }
  const names = [...limited.keys(), ...requested.keys()];
  const hasCompute = names.some((name) => name === 'cpu' || name === 'memory');
  if (!hasCompute && names.some(isHugePageResource)) errors.push(forbidden(path, 'HugePages require cpu or memory'));
  return errors;
}

const sorted = (list: ResourceList | undefined): (readonly [string, Quantity])[] =>
  Object.entries(list ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => [name, decodeQuantity(text)]);

function validateAmount(name: string, quantity: Quantity, path: FieldPath, nameRule: ResourceNameRule): FieldError[] {
  const errors = nameRule(name, path);
  const text = quantity.toString();
  if (quantity.sign() < 0) errors.push(invalid(path, text, 'must be greater than or equal to 0'));
  if (hasNoParts(name) && quantity.milliValue() % 1000n !== 0n) errors.push(invalid(path, text, 'must be an integer'));
  if (isHugePageResource(name) && !isWholePages(name, quantity)) {
    errors.push(invalid(path, text, `${text} is not positive integer multiple of ${name}`));
  }
  return errors;
}

function compareWithLimit(name: string, request: Quantity, limit: Quantity | undefined, path: FieldPath): FieldError[] {
  const overcommits = isNativeResource(name) && !isHugePageResource(name);
  if (limit === undefined) {
    return overcommits ? [] : [required(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  }
  const order = request.cmp(limit);
  const at = path.child('requests');
  if (order !== 0 && !overcommits) {
    return [invalid(at, request.toString(), `must be equal to ${name} limit of ${limit.toString()}`)];
  }
  if (order <= 0) return [];
  return [invalid(at, request.toString(), `must be less than or equal to ${name} limit of ${limit.toString()}`)];
}

/** `IsIntegerResourceName`. */
const hasNoParts = (name: string): boolean => COUNTED.has(name) || isExtendedResource(name);

function isWholePages(name: string, quantity: Quantity): boolean {
  let page: Quantity;
  try {
    page = decodeQuantity(name.slice('hugepages-'.length));
  } catch {
    return false;
  }
  if (page.sign() <= 0 || page.milliValue() % 1000n !== 0n) return false;
  return quantity.value() % page.value() === 0n;
}

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

const OF_CONTAINERS: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Names without a domain that mean something, if not to a container (`IsStandardResourceName`). */
const STANDARD: ReadonlySet<string> = new Set([
  ...OF_CONTAINERS,
  ...COUNTED,
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'storage',
  'requests.storage',
]);

/** `validateContainerResourceName`. */
function containerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = isQualifiedName(name).map((message) => invalid(path, name, message));
  if (!name.includes('/')) {
    const known = STANDARD.has(name) || isHugePageResource(name);
    if (errors.length === 0 && !known) {
      errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
    }
    if (!OF_CONTAINERS.has(name) && !isHugePageResource(name)) {
      errors.push(invalid(path, name, 'must be a standard resource for containers'));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}
