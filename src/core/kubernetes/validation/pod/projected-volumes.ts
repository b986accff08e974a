import { forbidden, invalid, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { KeyToPath, ProjectedSource } from '../../objects/whole-pod.js';
import { invalidNumber } from './complaints.js';
import { validateLocalNonReservedPath } from './paths.js';
import { validateFile, validateKeyToPath } from './volume-files.js';

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/**
 * `validateProjectionSources`: each source by itself, and that no two of them write the same file.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateProjectedSources(sources: readonly ProjectedSource[], path: FieldPath): FieldError[] {
  const files = new Set<string>();
  const claim = (file: string, shown: string): FieldError[] => {
    if (file === '') return [];
    const isTaken = files.has(file);
    files.add(file);
    return isTaken ? [invalid(path, shown, 'conflicting duplicate paths')] : [];
  };
  const keyed = (
    { name = '', items = [] }: { readonly name?: string; readonly items?: readonly KeyToPath[] },
    at: FieldPath,
  ): FieldError[] => [
    ...(name === '' ? [required(at.child('name'))] : []),
    ...items.flatMap((item, index) => [
      ...validateKeyToPath(item, at.child('items').index(index)),
      ...claim(item.path ?? '', name),
    ]),
  ];
  return sources.flatMap((source, index) => {
    const at = path.child('sources').index(index);
    const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
    const errors = [
      ...(secret ? keyed(secret, at.child('secret')) : []),
      ...(configMap ? keyed(configMap, at.child('configMap')) : []),
    ];
    for (const file of downwardAPI?.items ?? []) {
      errors.push(...validateFile(file, at.child('downwardAPI')), ...claim(file.path ?? '', file.path ?? ''));
    }
    if (token) errors.push(...validateToken(token, at.child('serviceAccountToken'), path));
    if ([secret, configMap, downwardAPI, token].filter(Boolean).length > 1) {
      errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
    }
    return errors;
  });
}

/** The path of a token is reported with the path of the volume. */
function validateToken(
  { path = '', expirationSeconds: seconds = 0 }: NonNullable<ProjectedSource['serviceAccountToken']>,
  at: FieldPath,
  volume: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const place = at.child('expirationSeconds');
  if (seconds < MIN_TOKEN_SECONDS) {
    errors.push(invalidNumber(place, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > MAX_TOKEN_SECONDS) {
    errors.push(invalidNumber(place, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  if (path === '') return [...errors, required(volume.child('path'))];
  return [...errors, ...validateLocalNonReservedPath(path, volume.child('path'))];
}
