import { duplicate, forbidden, invalid, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { floatGo } from '../go-text.js';
import { defaultLimitRangeItem } from '../limit-range-defaults.js';
import type { LimitRange, LimitRangeItem } from '../objects/quota.js';
import { Quantity } from '../quantity.js';
import { isOvercommitAllowed } from '../resource-names.js';
import type { Manifest } from '../objects/manifest.js';
import { validateCoreObjectMeta, validatePathSegments } from './metadata.js';
import { isQualifiedName } from './names.js';
import { nameIsDnsSubdomain } from './object-names.js';
import { limitRangeResourceName } from './resource-name-rules.js';
import { sortedAmounts } from './resources.js';

/**
 * The API server's faults of a new LimitRange: `ValidateLimitRange` after defaulting, so an error can be about a default
 * value, and then the checks of names for all kinds. A LimitRange without a name gets a placeholder.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go; pkg/registry/core/limitrange/strategy.go.
 */
export function validateLimitRange({ metadata: given, spec }: Manifest<LimitRange>): FieldError[] {
  const metadata = given.name === '' ? { ...given, name: 'unnamed' } : given;
  const errors = validateCoreObjectMeta(metadata, true, nameIsDnsSubdomain, FieldPath.of('metadata'));
  const path = FieldPath.of('spec', 'limits');
  const types = new Set<string>();
  for (const [index, item] of (spec?.limits ?? []).entries()) {
    const at = path.index(index);
    errors.push(...validateType(item.type, at.child('type')));
    if (types.has(item.type)) errors.push(duplicate(at.child('type'), item.type));
    types.add(item.type);
    errors.push(...validateItem(defaultLimitRangeItem(item), at));
  }
  return errors.length > 0 ? errors : validatePathSegments(metadata, FieldPath.of('metadata'));
}

const TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

/** `validateLimitRangeTypeName`. */
function validateType(type: string, path: FieldPath): FieldError[] {
  const complaints = isQualifiedName(type);
  if (complaints.length > 0) return complaints.map((message) => invalid(path, type, message));
  return type.includes('/') || TYPES.has(type)
    ? []
    : [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type ListName = (typeof LISTS)[number];

function validateItem(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const { type } = item;
  const errors: FieldError[] = [];
  const bounds = new Map<string, Partial<Record<ListName, Quantity>>>();
  for (const list of LISTS) {
    const entries = sortedAmounts(item[list]);
    if (type === 'Pod' && (list === 'default' || list === 'defaultRequest')) {
      if (entries.length > 0) errors.push(forbidden(path.child(list), "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const [name, quantity] of entries) {
      errors.push(...limitRangeResourceName(type)(name, path.child(list).key(name)));
      bounds.set(name, { ...bounds.get(name), [list]: quantity });
    }
  }
  const storage = bounds.get('storage');
  if (type === 'PersistentVolumeClaim' && storage?.min === undefined && storage?.max === undefined) {
    const rule = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(path.child('limits'), rule));
  }
  return [...errors, ...[...bounds].flatMap(([name, amounts]) => validateBounds(name, amounts, path))];
}

/**
 * Checks that the bounds of one resource are consistent. Errors report upstream's choice of a value, which is not always the
 * one that is too large.
 */
function validateBounds(
  name: string,
  {
    min,
    max,
    default: limit,
    defaultRequest: request,
    maxLimitRequestRatio: ratio,
  }: Partial<Record<ListName, Quantity>>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const complain = (list: ListName, value: Quantity, detail: string): void => {
    errors.push(invalid(path.child(list).key(name), value.toString(), detail));
  };
  if (min && max && min.cmp(max) > 0) complain('min', min, exceeds('min', min, 'max', max));
  if (request && min && min.cmp(request) > 0) {
    complain('defaultRequest', request, exceeds('min', min, 'default request', request));
  }
  if (request && max && request.cmp(max) > 0) {
    complain('defaultRequest', request, exceeds('default request', request, 'max', max));
  }
  if (request && limit && request.cmp(limit) > 0) {
    complain('defaultRequest', request, exceeds('default request', request, 'default limit', limit));
  }
  if (limit && min && min.cmp(limit) > 0) complain('default', min, exceeds('min', min, 'default', limit));
  if (limit && max && limit.cmp(max) > 0) complain('default', max, exceeds('default', limit, 'max', max));
  if (ratio && ratio.cmp(ONE) < 0) {
    complain('maxLimitRequestRatio', ratio, `ratio ${ratio.toString()} is less than 1`);
  }
  if (ratio && min && max) {
    const [asked, most] = ratios(ratio, min, max);
    if (asked > most) {
      const rule = `ratio ${ratio.toString()} is greater than max/min = ${floatGo(most)}`;
      complain('maxLimitRequestRatio', ratio, rule);
    }
  }
  if (!isOvercommitAllowed(name) && limit && request && limit.cmp(request) !== 0) {
    const rule = `default value ${limit.toString()} must equal to defaultRequest value ${request.toString()} in ${name}`;
    complain('defaultRequest', request, rule);
  }
  return errors;
}

const exceeds = (what: string, value: Quantity, bound: string, limit: Quantity): string =>
  `${what} value ${value.toString()} is greater than ${bound} value ${limit.toString()}`;

const ONE = Quantity.of(1);
/** The greatest value that fits into 64 bits in thousandths (`resource.MaxMilliValue`). */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

/** The requested ratio, and the largest one that the bounds permit, both as floating-point numbers. */
function ratios(ratio: Quantity, min: Quantity, max: Quantity): readonly [asked: number, most: number] {
  const fine = [ratio, min, max].every((quantity) => quantity.value() < MAX_MILLI_VALUE);
  return fine
    ? [Number(ratio.milliValue()) / 1000, Number(max.milliValue()) / Number(min.milliValue())]
    : [Number(ratio.value()), Number(max.value()) / Number(min.value())];
}
