import { duplicate, invalid, notSupported, required, withMore, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { goStringOfTime, jsonGo, quoteGo, timeGo } from '../go-text.js';
import type { Taint } from '../objects/taints.js';
import { JSON_VALUES_SINCE } from '../earlier-words.js';
import { TAINT_EFFECTS } from '../taint.js';
import { validateLabelName } from './label.js';
import { isValidLabelValue } from './names.js';

/**
 * `validateNodeTaints`: key, value and effect of each taint, and that no two have the same key and effect.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateTaints(taints: readonly Taint[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Map<string, Set<string>>();
  for (const [index, taint] of (taints ?? []).entries()) {
    const at = path.index(index);
    errors.push(...validateLabelName(taint.key, at.child('key')));
    const complaints = isValidLabelValue(taint.value ?? '');
    if (complaints.length > 0) errors.push(invalid(at.child('value'), taint.value ?? '', complaints.join(';')));
    errors.push(...validateTaintEffect(taint.effect, false, at.child('effect')));

    const keys = seen.get(taint.effect) ?? new Set();
    seen.set(taint.effect, keys);
    if (keys.has(taint.key)) errors.push(duplicateTaint(taint, at));
    keys.add(taint.key);
  }
  return errors;
}

/** `validateTaintEffect`: one of the known effects, or none if `allowEmpty` is set. */
export function validateTaintEffect(effect: string, allowEmpty: boolean, path: FieldPath): FieldError[] {
  if (effect === '' && !allowEmpty) return [required(path)];
  return effect === '' || (TAINT_EFFECTS as readonly string[]).includes(effect)
    ? []
    : [notSupported(path, effect, TAINT_EFFECTS)];
}

/** `field.Duplicate` with the taint under the names of its Go fields, and with an additional detail. */
function duplicateTaint(taint: Taint, path: FieldPath): FieldError {
  const { key, value = '', effect, timeAdded } = taint;
  const time = timeAdded === undefined ? 'null' : timeGo(timeAdded);
  const earlier = {
    before: JSON_VALUES_SINCE,
    text: `core.Taint{Key:${quoteGo(key)}, Value:${quoteGo(value)}, Effect:${quoteGo(effect)}, TimeAdded:${goStringOfTime(timeAdded)}}`,
  };
  const text = `{"Key":${jsonGo(key)},"Value":${jsonGo(value)},"Effect":${jsonGo(effect)},"TimeAdded":${time}}`;
  return withMore(duplicate(path, { text, earlier }), ': taints must be unique by key and effect pair');
}
