import { forbidden, notSupported, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { KubernetesRules } from '../../kubernetes-rules.js';
import type { WholePodSpec } from '../../objects/whole-pod.js';
import { containersWithPath } from './containers-with-path.js';
import type { PodLeniency } from './pod-leniency.js';

/** Since 1.34 a missing name is not explained. */
const UNEXPLAINED_SINCE = 34;
const SYSTEMS = ['linux', 'windows'];

/**
 * `validateOS`, and the fields that are forbidden for the pod's operating system (`validateLinux`, `validateWindows`).
 *
 * Source: k8s.io/kubernetes v1.33.3, v1.34.1 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateOs(spec: WholePodSpec, path: FieldPath, { minor }: KubernetesRules): FieldError[] {
  const name = spec.os?.name;
  if (name === undefined) return [];
  const at = path.child('os');
  if (name === '') return [required(at.child('name'), minor < UNEXPLAINED_SINCE ? 'cannot be empty' : '')];
  if (!SYSTEMS.includes(name)) return [notSupported(at, name, SYSTEMS)];
  return name === 'linux' ? validateLinux(spec, path) : validateWindows(spec, path);
}

function validateLinux(spec: WholePodSpec, path: FieldPath): FieldError[] {
  const contexts = [
    { context: spec.securityContext, at: path.child('securityContext') },
    ...containersWithPath(spec, path).map(({ container, path: at }) => ({
      context: container.securityContext,
      at: at.child('securityContext'),
    })),
  ];
  return contexts
    .filter(({ context }) => context?.windowsOptions !== undefined)
    .map(({ at }) => forbidden(at.child('windowsOptions'), 'windows options cannot be set for a linux pod'));
}

const OF_POD = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;

const OF_CONTAINER = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

function validateWindows(spec: WholePodSpec, path: FieldPath): FieldError[] {
  const refused = (at: FieldPath): FieldError => forbidden(at, 'cannot be set for a windows pod');
  const { securityContext = {}, hostUsers, hostPID, hostIPC, shareProcessNamespace } = spec;
  const errors: FieldError[] = [];
  if (hostUsers !== undefined) errors.push(refused(path.child('hostUsers')));
  if (hostPID === true) errors.push(refused(path.child('hostPID')));
  if (hostIPC === true) errors.push(refused(path.child('hostIPC')));
  if (shareProcessNamespace !== undefined) errors.push(refused(path.child('shareProcessNamespace')));
  for (const field of OF_POD) {
    const value = securityContext[field];
    const isSet = field === 'sysctls' ? (securityContext.sysctls ?? []).length > 0 : value !== undefined;
    if (isSet) errors.push(refused(path.child('securityContext', field)));
  }
  for (const { container, path: at } of containersWithPath(spec, path)) {
    for (const field of OF_CONTAINER) {
      if (container.securityContext?.[field] !== undefined) errors.push(refused(at.child('securityContext', field)));
    }
  }
  return errors;
}

/**
 * `validateHostUsers`: a pod with its own user namespace shares no other namespace with the host (but the network, if the gate
 * UserNamespacesHostNetworkSupport is on), and since 1.34 mounts no block device.
 *
 * Source: k8s.io/kubernetes v1.33.3, v1.34.1, v1.35.7 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateHostUsers(
  spec: WholePodSpec,
  path: FieldPath,
  { ownUsersOnHostNetwork, ownUsersOfDevices }: PodLeniency,
): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const refused = (at: FieldPath): FieldError => forbidden(at, 'when `hostUsers` is false');
  return [
    ...(spec.hostNetwork === true && !ownUsersOnHostNetwork ? [refused(path.child('hostNetwork'))] : []),
    ...(spec.hostPID === true ? [refused(path.child('HostPID'))] : []),
    ...(spec.hostIPC === true ? [refused(path.child('HostIPC'))] : []),
    ...containersWithPath(spec, path)
      .filter(({ container }) => !ownUsersOfDevices && (container.volumeDevices ?? []).length > 0)
      .map(({ path: at }) => refused(at.child('volumeDevices'))),
  ];
}
