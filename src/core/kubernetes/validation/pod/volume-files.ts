import { invalid, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { DownwardFile, KeyToPath } from '../../objects/whole-pod.js';
import { invalidNumber } from './complaints.js';
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from './env.js';
import { validateLocalNonReservedPath } from './paths.js';

const MAX_MODE = 0o777;

/** The permission bits of a file, for its owner, its group and others. */
export function validateMode(mode: number | undefined, path: FieldPath): FieldError[] {
  return mode === undefined || (mode >= 0 && mode <= MAX_MODE)
    ? []
    : [invalidNumber(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** `validateKeyToPath`. */
export function validateKeyToPath({ key = '', path = '', mode }: KeyToPath, at: FieldPath): FieldError[] {
  return [
    ...(key === '' ? [required(at.child('key'))] : []),
    ...(path === '' ? [required(at.child('path'))] : []),
    ...validateLocalNonReservedPath(path, at.child('path')),
    ...validateMode(mode, at.child('mode')),
  ];
}

/** `validateDownwardAPIVolumeFile`. */
export function validateFile(
  { path = '', fieldRef, resourceFieldRef, mode }: DownwardFile,
  at: FieldPath,
): FieldError[] {
  const errors = [
    ...(path === '' ? [required(at.child('path'))] : []),
    ...validateLocalNonReservedPath(path, at.child('path')),
  ];
  if (fieldRef !== undefined) {
    errors.push(...validateFieldRef(fieldRef, VOLUME_FIELDS, at.child('fieldRef')));
    if (resourceFieldRef !== undefined) {
      errors.push(invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef !== undefined) {
    errors.push(...validateResourceFieldRef(resourceFieldRef, true, at.child('resourceFieldRef')));
  } else {
    errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...validateMode(mode, at.child('mode'))];
}
