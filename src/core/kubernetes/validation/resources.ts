import { JSON_VALUES_SINCE } from '../earlier-words.js';
import { forbidden, invalid, quoteGo, required, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { ResourceList } from '../objects/meta.js';
import type { ResourceRequirements } from '../objects/pod.js';
import { decodeQuantity, type Quantity } from '../quantity.js';
import { isHugePageResource, isOvercommitAllowed } from '../resource-names.js';
import { containerResourceName, isIntegerResource, type ResourceNameRule } from './resource-name-rules.js';

/**
 * Validates requests and limits of a container: names, signs, integers where required, and that no request exceeds its limit.
 * Resources are in byte order; upstream iterates over a Go map, so it reports in no fixed order.
 *
 * The quantities must be defaulted (`defaultPod`), because messages contain them in that form.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go, `validateResourceRequirements`.
 *
 * @param brokenPages allows amounts of huge pages that are not multiples of the page size, as for a pod that already has some
 *
 * @example a request of `-1` is `requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`
 */
export function validateResourceRequirements(
  { requests, limits }: ResourceRequirements,
  path: FieldPath,
  nameRule: ResourceNameRule = containerResourceName,
  brokenPages = false,
): FieldError[] {
  const errors: FieldError[] = [];
  const limited = new Map(sortedAmounts(limits));
  const requested = new Map(sortedAmounts(requests));
  for (const [name, quantity] of limited) {
    errors.push(...validateAmount(name, quantity, path.child('limits').key(name), nameRule, brokenPages));
  }
  for (const [name, quantity] of requested) {
    errors.push(...validateAmount(name, quantity, path.child('requests').key(name), nameRule, brokenPages));
    errors.push(...compareWithLimit(name, quantity, limited.get(name), path));
  }
  const names = [...limited.keys(), ...requested.keys()];
  const hasCompute = names.some((name) => name === 'cpu' || name === 'memory');
  if (!hasCompute && names.some(isHugePageResource)) errors.push(forbidden(path, 'HugePages require cpu or memory'));
  return errors;
}

/**
 * `validateOverhead` validates the list as limits, and its messages say so; the pointer is that of the list itself.
 *
 * @param place the actual path of the list in the object
 */
export function validateOverhead(
  overhead: ResourceList,
  path: FieldPath,
  place: FieldPath = path,
  brokenPages = false,
): FieldError[] {
  const [wrong, right] = [path.child('limits').toPointer(), place.toPointer()];
  return validateResourceRequirements({ limits: overhead }, path, containerResourceName, brokenPages).map((error) => ({
    ...error,
    pointer: error.pointer.startsWith(wrong) ? right + error.pointer.slice(wrong.length) : right,
  }));
}

/** `ValidateResourceQuantityValue`: no amount is negative, and countable resources have integer amounts. */
export function validateResourceAmount(
  name: string,
  quantity: Quantity,
  path: FieldPath,
  written = quantity.toString(),
): FieldError[] {
  const errors: FieldError[] = [];
  const text = quantity.toString();
  if (quantity.sign() < 0) errors.push(invalid(path, text, 'must be greater than or equal to 0'));
  if (isIntegerResource(name) && quantity.milliValue() % 1000n !== 0n) {
    const earlier = { before: JSON_VALUES_SINCE, text: goStringOfQuantity(written, quantity.format) };
    errors.push(invalid(path, { text: quoteGo(text), earlier }, 'must be an integer'));
  }
  return errors;
}

/** A fraction as Go shows a `resource.Quantity` that defaulting has rounded. */
function goStringOfQuantity(written: string, format: string): string {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = /^([+-]?)(\d*)\.?(\d*)(.*)$/.exec(written) ?? [];
  const scale = (FRACTIONS.get(suffix) ?? 0) - fraction.length;
  const value = Number(`${sign}${whole}${fraction}`);
  return `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:${quoteGo(format)}}`;
}

const FRACTIONS: ReadonlyMap<string, number> = new Map([
  ['', 0],
  ['m', -3],
]);

/** The entries of a resource list in byte order of their names. */
export const sortedAmounts = (list: ResourceList | undefined): (readonly [string, Quantity])[] =>
  Object.entries(list ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => [name, decodeQuantity(text)]);

function validateAmount(
  name: string,
  quantity: Quantity,
  path: FieldPath,
  nameRule: ResourceNameRule,
  brokenPages: boolean,
): FieldError[] {
  const errors = [...nameRule(name, path), ...validateResourceAmount(name, quantity, path)];
  if (!brokenPages && isHugePageResource(name) && !isWholePages(name, quantity)) {
    const text = quantity.toString();
    errors.push(invalid(path, text, `${text} is not positive integer multiple of ${name}`));
  }
  return errors;
}

function compareWithLimit(name: string, request: Quantity, limit: Quantity | undefined, path: FieldPath): FieldError[] {
  const overcommits = isOvercommitAllowed(name);
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

/** Whether a list has amounts of huge pages that are not multiples of the page size. */
export const hasBrokenPages = (list: ResourceList | undefined): boolean =>
  sortedAmounts(list).some(([name, quantity]) => isHugePageResource(name) && !isWholePages(name, quantity));

/** `IsHugePageResourceValueDivisible`. */
function isWholePages(name: string, quantity: Quantity): boolean {
  let page: Quantity;
  try {
    page = decodeQuantity(name.slice('hugepages-'.length));
  } catch {
    return false;
  }
  if (page.sign() <= 0 || page.milliValue() % 1000n !== 0n) return false;
  // A page size beyond 64 bits can become 0, for which upstream panics.
  return page.value() !== 0n && quantity.value() % page.value() === 0n;
}
