import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { Labels } from '../objects/meta.js';
import { isQualifiedName, isValidLabelValue } from './names.js';

/**
 * `ValidateLabelName`: one error for each fault of a label key.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/validation.
 */
export function validateLabelName(name: string, path: FieldPath): FieldError[] {
  return isQualifiedName(name).map((message) => invalid(path, name, message));
}

/**
 * `ValidateLabels`: keys and values, both reported with the path of the map, in byte order of keys.
 *
 * Upstream iterates over a Go map, so it reports in no fixed order.
 */
export function validateLabels(labels: Labels | undefined, path: FieldPath): FieldError[] {
  const given = labels ?? {};
  // Hardly any label has a fault, and a change of taints asks about those of each node.
  const faulty = Object.keys(given).filter((key) => hasFault(key, given[key]!));
  return faulty
    .sort()
    .flatMap((key) => [
      ...validateLabelName(key, path),
      ...isValidLabelValue(given[key]!).map((message) => invalid(path, given[key]!, message)),
    ]);
}

const hasFault = (key: string, value: string): boolean =>
  isQualifiedName(key).length > 0 || isValidLabelValue(value).length > 0;
