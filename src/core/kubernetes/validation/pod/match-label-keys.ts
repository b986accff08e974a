import { forbidden, invalid, placedAt, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { PodAffinityTerm } from '../../objects/pod.js';
import type { LabelSelector } from '../../objects/selectors.js';
import { validateLabelName } from '../label.js';

/**
 * `ValidateMatchLabelKeysAndMismatchLabelKeys`, for a selector into which the keys are already merged (`mergeLabelKeys`): a
 * key that occurs twice in it was there before. Upstream reports such a key with the path of the term and a bare index.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateMatchLabelKeys(
  term: Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys' | 'labelSelector'>,
  path: FieldPath,
): FieldError[] {
  const { matchLabelKeys: match = [], mismatchLabelKeys: mismatch = [], labelSelector } = term;
  return [
    ...validateKeys(match, labelSelector, path.child('matchLabelKeys')),
    ...validateKeys(mismatch, labelSelector, path.child('mismatchLabelKeys')),
    ...validateNotSelected(match, labelSelector, path),
    ...match.flatMap((key, index) =>
      mismatch.includes(key)
        ? [
            invalid(
              path.child('matchLabelKeys').index(index),
              key,
              'exists in both matchLabelKeys and mismatchLabelKeys',
            ),
          ]
        : [],
    ),
  ];
}

/**
 * `ValidateMatchLabelKeysInTopologySpread`, for a selector into which the keys are not merged.
 *
 * Source: k8s.io/kubernetes v1.33.13, pkg/apis/core/validation/validation.go.
 */
export function validateKeysApart(
  { matchLabelKeys = [], labelSelector }: Pick<PodAffinityTerm, 'matchLabelKeys' | 'labelSelector'>,
  path: FieldPath,
): FieldError[] {
  const at = path.child('matchLabelKeys');
  const errors = matchLabelKeys.length === 0 || labelSelector !== undefined ? [] : [forbidden(at, WITHOUT_SELECTOR)];
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const selected = new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
  matchLabelKeys.forEach((key, index) => {
    errors.push(...validateLabelName(key, at.index(index)));
    if (selected.has(key)) errors.push(invalid(at.index(index), key, IN_BOTH));
  });
  return errors;
}

const WITHOUT_SELECTOR = 'must not be specified when labelSelector is not set';
const IN_BOTH = 'exists in both matchLabelKeys and labelSelector';

function validateKeys(keys: readonly string[], selector: LabelSelector | undefined, path: FieldPath): FieldError[] {
  if (keys.length === 0) return [];
  return selector === undefined
    ? [forbidden(path, WITHOUT_SELECTOR)]
    : keys.flatMap((key, index) => validateLabelName(key, path.index(index)));
}

function validateNotSelected(
  keys: readonly string[],
  { matchLabels = {}, matchExpressions = [] }: LabelSelector = {},
  path: FieldPath,
): FieldError[] {
  const selected = new Set(Object.keys(matchLabels));
  return matchExpressions.flatMap(({ key }) => {
    const index = keys.lastIndexOf(key);
    const isRepeated = index >= 0 && selected.has(key);
    selected.add(key);
    if (!isRepeated) return [];
    const error = invalid(path.index(index), key, IN_BOTH);
    return [placedAt(error, path.child('matchLabelKeys').index(index))];
  });
}
