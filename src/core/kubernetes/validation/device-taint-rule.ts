import { invalid, notSupported, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { DeviceTaint, DeviceTaintRule } from '../objects/dra.js';
import { validateDeviceName, validateDriverName, validatePoolName } from './device-names.js';
import { validateLabelName } from './label.js';
import { isValidLabelValue } from './names.js';
import { validateStoredObject } from './stored-object.js';

/** What a taint of a device, or a toleration of one, can be about. */
export const DEVICE_TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'None'] as const;

const SELECTOR = FieldPath.of('spec', 'deviceSelector');

/** Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `ValidateDeviceTaintRule`. */
export function validateDeviceTaintRule(rule: DeviceTaintRule): FieldError[] {
  const { driver, pool, device } = rule.spec?.deviceSelector ?? {};
  return [
    ...validateStoredObject(rule),
    ...(driver === undefined ? [] : validateDriverName(driver, SELECTOR.child('driver'))),
    ...(pool === undefined ? [] : validatePoolName(pool, SELECTOR.child('pool'))),
    ...(device === undefined ? [] : validateDeviceName(device, SELECTOR.child('device'))),
    ...validateDeviceTaint(rule.spec?.taint ?? {}, FieldPath.of('spec', 'taint')),
  ];
}

/** Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `validateDeviceTaint`. */
export function validateDeviceTaint(
  { key = '', value = '', effect = '' }: Partial<DeviceTaint>,
  at: FieldPath,
): FieldError[] {
  const errors = [...validateLabelName(key, at.child('key'))];
  const complaints = isValidLabelValue(value);
  if (complaints.length > 0) errors.push(invalid(at.child('value'), value, complaints.join(';')));
  if (effect === '') errors.push(required(at.child('effect')));
  else if (!(DEVICE_TAINT_EFFECTS as readonly string[]).includes(effect)) {
    errors.push(notSupported(at.child('effect'), effect, DEVICE_TAINT_EFFECTS));
  }
  return errors;
}
