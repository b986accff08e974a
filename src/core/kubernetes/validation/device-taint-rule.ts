import { invalid, notSupported, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { DeviceTaintRule } from '../objects/dra.js';
import { validateLabelName } from './label.js';
import { isValidLabelValue } from './names.js';
import { validateStoredObject } from './stored-object.js';

const EFFECTS = ['NoExecute', 'NoSchedule', 'None'] as const;
const TAINT = FieldPath.of('spec', 'taint');

/**
 * A new DeviceTaintRule: its taint has a key and a known effect.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `validateDeviceTaint`.
 */
export function validateDeviceTaintRule(rule: DeviceTaintRule): FieldError[] {
  const { key = '', value = '', effect = '' } = rule.spec?.taint ?? {};
  const errors = validateStoredObject(rule);
  errors.push(...validateLabelName(key, TAINT.child('key')));
  const complaints = isValidLabelValue(value);
  if (complaints.length > 0) errors.push(invalid(TAINT.child('value'), value, complaints.join(';')));
  if (effect === '') errors.push(required(TAINT.child('effect')));
  else if (!(EFFECTS as readonly string[]).includes(effect)) {
    errors.push(notSupported(TAINT.child('effect'), effect, EFFECTS));
  }
  return errors;
}
