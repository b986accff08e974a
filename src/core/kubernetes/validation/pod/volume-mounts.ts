import { forbidden, invalid, notFound, notSupported, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { KubernetesRules } from '../../kubernetes-rules.js';
import type { VolumeDevice, VolumeMount, WholeContainer, WholeVolume } from '../../objects/whole-pod.js';
import { validateLocalDescendingPath, validateNoBacksteps } from './paths.js';

/** Before 1.33 image volumes are mounted as a whole. */
const SUB_PATHS_OF_IMAGES_SINCE = 33;

type Mounting = Pick<WholeContainer, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;

/**
 * `ValidateVolumeMounts`. Faults of a subPath or of mount propagation are reported with the path of the list, not of its
 * element.
 *
 * Source: k8s.io/kubernetes v1.32.5, v1.33.3 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateVolumeMounts(
  { volumeMounts = [], volumeDevices = [], securityContext }: Mounting,
  volumes: ReadonlyMap<string, WholeVolume>,
  path: FieldPath,
  { minor }: KubernetesRules,
): FieldError[] {
  const paths = new Set<string>();
  return volumeMounts.flatMap((mount, index) => {
    const { name = '', mountPath = '', subPath = '', subPathExpr = '', mountPropagation } = mount;
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(at.child('name')));
    if (!volumes.has(name)) errors.push(notFound(at.child('name'), name));
    if (mountPath === '') errors.push(required(at.child('mountPath')));
    if (paths.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must be unique'));
    paths.add(mountPath);
    if (volumeDevices.some((device) => (device.name ?? '') === name)) {
      errors.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    }
    if (volumeDevices.some((device) => (device.devicePath ?? '') === mountPath)) {
      errors.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    }
    if (minor < SUB_PATHS_OF_IMAGES_SINCE && volumes.get(name)?.image) {
      for (const [field, value] of [
        ['subPath', subPath],
        ['subPathExpr', subPathExpr],
      ] as const) {
        if (value !== '') errors.push(invalid(at.child(field), value, 'not allowed in image volume sources'));
      }
    }
    if (subPath !== '') errors.push(...validateLocalDescendingPath(subPath, path.child('subPath')));
    if (subPathExpr !== '') {
      if (subPath !== '') {
        errors.push(invalid(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
      }
      errors.push(...validateLocalDescendingPath(subPathExpr, path.child('subPathExpr')));
    }
    if (mountPropagation !== undefined) {
      const privileged = securityContext?.privileged === true;
      errors.push(...validatePropagation(mountPropagation, privileged, path.child('mountPropagation')));
    }
    return [...errors, ...validateRecursiveReadOnly(mount, path.child('recursiveReadOnly'))];
  });
}

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

function validatePropagation(propagation: string, privileged: boolean, path: FieldPath): FieldError[] {
  if (!PROPAGATIONS.includes(propagation)) return [notSupported(path, propagation, PROPAGATIONS)];
  return propagation === 'Bidirectional' && !privileged
    ? [forbidden(path, 'Bidirectional mount propagation is available only to privileged containers')]
    : [];
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath): FieldError[] {
  const { recursiveReadOnly: mode, readOnly = false, mountPropagation = 'None' } = mount;
  if (mode === undefined || mode === 'Disabled') return [];
  if (!RECURSIVE.includes(mode)) return [notSupported(path, mode, RECURSIVE)];
  return [
    ...(readOnly ? [] : [forbidden(path, 'may only be specified when readOnly is true')]),
    ...(mountPropagation === 'None'
      ? []
      : [forbidden(path, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

/** `ValidateVolumeDevices`: only claims provide block devices. */
export function validateVolumeDevices(
  { volumeMounts = [], volumeDevices = [] }: Mounting,
  volumes: ReadonlyMap<string, WholeVolume>,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return volumeDevices.flatMap((device: VolumeDevice, index) => {
    const { name = '', devicePath = '' } = device;
    const nameAt = path.index(index).child('name');
    const pathAt = path.index(index).child('devicePath');
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(nameAt));
    if (names.has(name)) errors.push(invalid(nameAt, name, 'must be unique'));
    if (volume === undefined) errors.push(notFound(nameAt, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const rule = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid(nameAt, name, rule));
    }
    if (devicePath === '') errors.push(required(pathAt));
    if (paths.has(devicePath)) errors.push(invalid(pathAt, devicePath, 'must be unique'));
    if (validateNoBacksteps(devicePath, pathAt).length > 0) {
      errors.push(invalid(pathAt, devicePath, "can not contain backsteps ('..')"));
    } else {
      paths.add(devicePath);
    }
    if (volumeMounts.some((mount) => (mount.name ?? '') === name)) {
      errors.push(invalid(nameAt, name, 'must not already exist in volumeMounts'));
    }
    if (volumeMounts.some((mount) => (mount.mountPath ?? '') === devicePath)) {
      errors.push(invalid(pathAt, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
    return errors;
  });
}
