import { invalid, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';

/**
 * The rules for paths of files in k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 *
 * `validatePathNoBacksteps`: no element of the path is `..`.
 */
export function validateNoBacksteps(path: string, at: FieldPath): FieldError[] {
  return path.split('/').includes('..') ? [invalid(at, path, "must not contain '..'")] : [];
}

/** `validateLocalDescendingPath`: a relative path without backsteps. */
export function validateLocalDescendingPath(path: string, at: FieldPath): FieldError[] {
  const relative = path.startsWith('/') ? [invalid(at, path, 'must be a relative path')] : [];
  return [...relative, ...validateNoBacksteps(path, at)];
}

/**
 * `ValidateLocalNonReservedPath`: such a path that does not begin with two dots, which are reserved for the kubelet.
 */
export function validateLocalNonReservedPath(path: string, at: FieldPath): FieldError[] {
  const errors = validateLocalDescendingPath(path, at);
  if (path.startsWith('..') && path !== '..' && !path.startsWith('../')) {
    errors.push(invalid(at, path, "must not start with '..'"));
  }
  return errors;
}
