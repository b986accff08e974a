import { invalid, required, tooLong, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { byteLength, isDns1123Label, isDns1123Subdomain } from './names.js';

const MOST_DRIVER_BYTES = 63;
const MOST_POOL_BYTES = 253;

/** `ValidateCSIDriverName` (k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go), which drivers of devices have to pass. */
export function validateDriverName(name: string, at: FieldPath): FieldError[] {
  if (name === '') return [required(at)];
  const errors = byteLength(name) > MOST_DRIVER_BYTES ? [tooLong(at, MOST_DRIVER_BYTES)] : [];
  return [...errors, ...isDns1123Subdomain(name.toLowerCase()).map((fault) => invalid(at, name, fault))];
}

/** `validatePoolName` (k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go). */
export function validatePoolName(name: string, at: FieldPath): FieldError[] {
  if (name === '') return [required(at)];
  const errors = byteLength(name) > MOST_POOL_BYTES ? [tooLong(at, MOST_POOL_BYTES)] : [];
  const faults = name.split('/').flatMap((part) => isDns1123Subdomain(part).map((fault) => invalid(at, part, fault)));
  return [...errors, ...faults];
}

/** `validateDeviceName` (the same file). */
export const validateDeviceName = (name: string, at: FieldPath): FieldError[] =>
  isDns1123Label(name).map((fault) => invalid(at, name, fault));
