import { duplicate, invalid, notSupported, required, tooLong, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import { jsonGo } from '../../go-text.js';
import type { Int64 } from '../../objects/meta.js';
import type { PodSecurityContext, Profile, SecurityContext, WholePodSpec } from '../../objects/whole-pod.js';
import { byteLength } from '../names.js';
import { between, invalidNumber } from './complaints.js';
import { validateLocalDescendingPath } from './paths.js';
import { validateWindowsOptions } from './windows-options.js';

const PROC_MOUNTS = ['Default', 'Unmasked'];

/**
 * `ValidateSecurityContext`. Whether privileged containers are allowed is a flag of the API server; here they are.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateSecurityContext(context: SecurityContext, hostUsers: boolean, path: FieldPath): FieldError[] {
  const { runAsUser, runAsGroup, procMount, seccompProfile, windowsOptions, appArmorProfile } = context;
  const errors = [
    ...validateId(runAsUser, path.child('runAsUser')),
    ...validateId(runAsGroup, path.child('runAsGroup')),
  ];
  if (procMount !== undefined) {
    const at = path.child('procMount');
    if (!PROC_MOUNTS.includes(procMount)) errors.push(notSupported(at, procMount, PROC_MOUNTS));
    if (hostUsers && procMount === 'Unmasked') {
      errors.push(invalid(at, procMount, '`hostUsers` must be false to use `Unmasked`'));
    }
  }
  if (seccompProfile) errors.push(...validateSeccompProfile(seccompProfile, path.child('seccompProfile')));
  errors.push(...validateEscalation(context, path));
  if (windowsOptions) errors.push(...validateWindowsOptions(windowsOptions, path.child('windowsOptions')));
  if (appArmorProfile) errors.push(...validateAppArmorProfile(appArmorProfile, path.child('appArmorProfile')));
  return errors;
}

function validateEscalation(context: SecurityContext, path: FieldPath): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const shown = { text: contextGo(context) };
  const rule = 'cannot set `allowPrivilegeEscalation` to false and';
  const errors = context.privileged === true ? [invalid(path, shown, `${rule} \`privileged\` to true`)] : [];
  const added = context.capabilities?.add ?? [];
  return added.includes('CAP_SYS_ADMIN')
    ? [...errors, invalid(path, shown, `${rule} \`capabilities.Add\` CAP_SYS_ADMIN`)]
    : errors;
}

/** The context in Go's JSON of the internal type. */
function contextGo(context: SecurityContext): string {
  const { capabilities, seLinuxOptions, windowsOptions, runAsUser, runAsGroup, seccompProfile, appArmorProfile } =
    context;
  const plain = (value: Int64 | boolean | string | undefined): string =>
    value === undefined ? 'null' : typeof value === 'string' ? jsonGo(value) : String(value);
  const inner = (value: object | undefined, ...names: string[]): string => {
    if (value === undefined) return 'null';
    const fields = new Map<string, unknown>(Object.entries(value));
    return jsonGo(Object.fromEntries(names.map((name) => [goName(name), fields.get(name) ?? null])));
  };
  const members = [
    ['Capabilities', inner(capabilities, 'add', 'drop')],
    ['Privileged', plain(context.privileged)],
    ['SELinuxOptions', inner(seLinuxOptions, 'user', 'role', 'type', 'level')],
    [
      'WindowsOptions',
      inner(windowsOptions, 'gmsaCredentialSpecName', 'gmsaCredentialSpec', 'runAsUserName', 'hostProcess'),
    ],
    ['RunAsUser', plain(runAsUser)],
    ['RunAsGroup', plain(runAsGroup)],
    ['RunAsNonRoot', plain(context.runAsNonRoot)],
    ['ReadOnlyRootFilesystem', plain(context.readOnlyRootFilesystem)],
    ['AllowPrivilegeEscalation', plain(context.allowPrivilegeEscalation)],
    ['ProcMount', plain(context.procMount)],
    ['SeccompProfile', inner(seccompProfile, 'type', 'localhostProfile')],
    ['AppArmorProfile', inner(appArmorProfile, 'type', 'localhostProfile')],
  ] as const;
  return `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

/** The name of a field in Go: `gmsaCredentialSpec` is `GMSACredentialSpec`, others are capitalized. */
const goName = (name: string): string =>
  name.startsWith('gmsa') ? `GMSA${name.slice(4)}` : name.charAt(0).toUpperCase() + name.slice(1);

const MAX_ID = 0xffffffff;

/** `IsValidUserID`, `IsValidGroupID`. */
const validateId = (id: Int64 | undefined, path: FieldPath): FieldError[] =>
  id === undefined || (id >= 0 && id <= MAX_ID) ? [] : [invalidNumber(path, id, between(0, MAX_ID))];

/** `validatePodSpecSecurityContext`. */
export function validatePodSecurityContext(
  context: PodSecurityContext,
  spec: Pick<WholePodSpec, 'hostNetwork' | 'hostIPC' | 'hostPID' | 'shareProcessNamespace'>,
  path: FieldPath,
): FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [], seccompProfile } = context;
  const { windowsOptions, appArmorProfile } = context;
  const errors = [
    ...validateId(fsGroup, path.child('fsGroup')),
    ...validateId(runAsUser, path.child('runAsUser')),
    ...validateId(runAsGroup, path.child('runAsGroup')),
    ...supplementalGroups.flatMap((id, index) => validateId(id, path.child('supplementalGroups').index(index))),
  ];
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const rule = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(path.child('shareProcessNamespace'), { text: 'true' }, rule));
  }
  errors.push(...validateSysctls(context, spec, path.child('sysctls')));
  errors.push(...oneOf(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy')));
  if (seccompProfile) errors.push(...validateSeccompProfile(seccompProfile, path.child('seccompProfile')));
  if (windowsOptions) errors.push(...validateWindowsOptions(windowsOptions, path.child('windowsOptions')));
  if (appArmorProfile) errors.push(...validateAppArmorProfile(appArmorProfile, path.child('appArmorProfile')));
  return [
    ...errors,
    ...oneOf(context.supplementalGroupsPolicy, ['Merge', 'Strict'], path.child('supplementalGroupsPolicy')),
    ...oneOf(context.seLinuxChangePolicy, ['MountOption', 'Recursive'], path.child('seLinuxChangePolicy')),
  ];
}

const oneOf = (value: string | undefined, values: readonly string[], path: FieldPath): FieldError[] =>
  value === undefined || values.includes(value) ? [] : [notSupported(path, value, values)];

const SYSCTL_SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`;
const sysctl = new RegExp(SYSCTL);
const SYSCTL_LENGTH = 253;

function validateSysctls(
  { sysctls = [] }: PodSecurityContext,
  { hostNetwork = false, hostIPC = false }: Pick<WholePodSpec, 'hostNetwork' | 'hostIPC'>,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return sysctls.flatMap(({ name = '' }, index) => {
    const at = path.index(index).child('name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(at));
    else if (byteLength(name) > SYSCTL_LENGTH || !sysctl.test(name)) {
      errors.push(invalid(at, name, `must have at most ${SYSCTL_LENGTH} characters and match regex ${SYSCTL}`));
    } else if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    const namespace = namespaceOf(name);
    if (hostNetwork && namespace === 'net') {
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    } else if (hostIPC && namespace === 'ipc') {
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"));
    }
    return errors;
  });
}

/**
 * The namespace of a sysctl (k8s.io/component-helpers v0.36.2, node/util/sysctl/namespace.go). Its parts may be separated by
 * slashes instead of dots, as determined by the first separator.
 */
function namespaceOf(given: string): 'net' | 'ipc' | undefined {
  const slashes = /^[^.]*\//.test(given);
  const name = slashes ? given.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/')) : given;
  if (name.startsWith('net.')) return 'net';
  const isIpc =
    ['kernel.sem'].includes(name) || ['kernel.shm', 'kernel.msg', 'fs.mqueue.'].some((p) => name.startsWith(p));
  return isIpc ? 'ipc' : undefined;
}

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** `validateSeccompProfileField`. */
function validateSeccompProfile(profile: Profile, path: FieldPath): FieldError[] {
  const { type = '', localhostProfile } = profile;
  const at = path.child('localhostProfile');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, PROFILE_TYPES));
  if (type === 'Localhost') {
    if (localhostProfile === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'));
    else errors.push(...validateLocalDescendingPath(localhostProfile, at));
  } else if (localhostProfile !== undefined) {
    const shown = { text: jsonGo({ Type: type, LocalhostProfile: localhostProfile }) };
    errors.push(invalid(at, shown, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

const PATH_MAX = 4095;

/** `ValidateAppArmorProfileField`. */
export function validateAppArmorProfile({ type = '', localhostProfile }: Profile, path: FieldPath): FieldError[] {
  const at = path.child('localhostProfile');
  if (type === '') return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!PROFILE_TYPES.includes(type)) return [notSupported(path.child('type'), type, PROFILE_TYPES)];
  if (type !== 'Localhost') {
    return localhostProfile === undefined
      ? []
      : [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  }
  if (localhostProfile === undefined) return [required(at, 'must be set when AppArmor type is Localhost')];
  const errors: FieldError[] = [];
  if (localhostProfile.trim() !== localhostProfile) {
    errors.push(invalid(at, localhostProfile, 'must not be padded with whitespace'));
  } else if (localhostProfile === '') {
    errors.push(required(at, 'must be set when AppArmor type is Localhost'));
  }
  if (byteLength(localhostProfile) > PATH_MAX) errors.push(tooLong(at, PATH_MAX, `may not be longer than ${PATH_MAX}`));
  return errors;
}
