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
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [
      ...validateLabelName(key, path),
      ...isValidLabelValue(value).map((message) => invalid(path, value, message)),
    ]);
}
