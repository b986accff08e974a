import { duplicate, invalid, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { ResourceSlice } from '../objects/dra.js';
import { validateDeviceTaint } from './device-taint-rule.js';
import { isDns1123Label, isDns1123Subdomain } from './names.js';
import { validateStoredObject } from './stored-object.js';

const SPEC = FieldPath.of('spec');

/**
 * A ResourceSlice of a question, as to what is read of it: driver and pool have names, and each device one of its own and taints that the
 * API server takes. How much a slice may contain, and what its attributes may be, is not checked.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `validateResourceSliceSpec`, `validateDevice`.
 */
export function validateResourceSlice(slice: ResourceSlice): FieldError[] {
  const errors = validateStoredObject(slice);
  const { driver = '', pool, devices = [] } = slice.spec ?? {};
  errors.push(...nameErrors(driver, SPEC.child('driver'), isDns1123Subdomain));
  if ((pool?.name ?? '') === '') errors.push(required(SPEC.child('pool', 'name')));
  const names = new Set<string>();
  for (const [index, { name, taints = [] }] of devices.entries()) {
    const at = SPEC.child('devices').index(index);
    errors.push(...nameErrors(name, at.child('name'), isDns1123Label));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    for (const [place, taint] of taints.entries()) {
      errors.push(...validateDeviceTaint(taint, at.child('taints').index(place)));
    }
  }
  return errors;
}

function nameErrors(name: string, at: FieldPath, rule: (name: string) => string[]): FieldError[] {
  if (name === '') return [required(at)];
  return rule(name).map((message) => invalid(at, name, message));
}
