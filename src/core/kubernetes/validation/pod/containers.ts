import { duplicate, forbidden, invalid, notFound, notSupported, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { WholeContainer, WholeEphemeralContainer, WholePodSpec, WholeVolume } from '../../objects/whole-pod.js';
import { rulesOfGates } from '../../toleration.js';
import { nameIsDnsLabel } from '../object-names.js';
import { containerResourceName } from '../resource-name-rules.js';
import { validateResourceRequirements } from '../resources.js';
import { complaints } from './complaints.js';
import { validateContainerPorts, validateHostPortConflicts } from './container-ports.js';
import { validateContainerRestart, validateEndingInitContainer, validateResizePolicy } from './container-restart.js';
import { validateEnv, validateEnvFrom } from './env.js';
import { validateLifecycle, validateProbe } from './handlers.js';
import type { PodLeniency } from './pod-leniency.js';
import { validateClaimReferences } from './resource-claims.js';
import { validateSecurityContext } from './security-context.js';
import { validateVolumeDevices, validateVolumeMounts } from './volume-mounts.js';

/** The parts of a pod that containers are validated against. */
export interface ContainerSurroundings {
  readonly spec: WholePodSpec;
  /** The valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, WholeVolume>;
  readonly claims: ReadonlySet<string>;
  readonly leniency: PodLeniency;
}

/** `validateContainers`. Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
export function validateContainers(around: ContainerSurroundings, path: FieldPath): FieldError[] {
  const { containers } = around.spec;
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const at = path.index(index);
    const isRepeated = names.has(container.name);
    names.add(container.name);
    return [
      ...validateCommon(container, around, at),
      ...(isRepeated ? [duplicate(at.child('name'), container.name)] : []),
      ...validateRunning(container, around, at),
      ...validateContainerRestart(container, false, at, around.leniency),
      ...validateImageSpaces(container, at),
    ];
  });
  return [...errors, ...validateHostPortConflicts(containers, path)];
}

/** `validateInitContainers`: host ports are compared only within each of them, because they run one at a time. */
export function validateInitContainers(around: ContainerSurroundings, path: FieldPath): FieldError[] {
  const { containers, initContainers = [] } = around.spec;
  const names = new Set(containers.map(({ name }) => name));
  return initContainers.flatMap((container, index) => {
    const at = path.index(index);
    const isRepeated = names.has(container.name);
    if (container.name !== '') names.add(container.name);
    return [
      ...validateCommon(container, around, at),
      ...validateContainerRestart(container, true, at, around.leniency),
      ...(isRepeated ? [duplicate(at.child('name'), container.name)] : []),
      ...validateHostPortConflicts([container], path, index),
      ...(container.restartPolicy === 'Always'
        ? validateRunning(container, around, at)
        : validateEndingInitContainer(container, around.leniency.anyInitResizePolicy, at)),
      ...validateImageSpaces(container, at),
    ];
  });
}

const NOT_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

/** `validateEphemeralContainers`. */
export function validateEphemeralContainers(around: ContainerSurroundings, path: FieldPath): FieldError[] {
  const { containers, initContainers = [], ephemeralContainers = [] } = around.spec;
  const others = new Set([...containers, ...initContainers].map(({ name }) => name));
  const names = new Set(others);
  return ephemeralContainers.flatMap((container, index) => {
    const at = path.index(index);
    const { name = '', targetContainerName: target = '', volumeMounts = [] } = container;
    const errors = [...validateCommon(container, around, at), ...validateImageSpaces(container, at)];
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (target !== '' && !others.has(target)) errors.push(notFound(at.child('targetContainerName'), target));
    const refused = 'cannot be set for an Ephemeral Container';
    for (const field of NOT_FOR_EPHEMERAL) {
      const value = container[field];
      // Resources are not a pointer in Go, so empty ones count as absent.
      if (value === undefined || (field === 'resources' && Object.keys(value).length === 0)) continue;
      errors.push(forbidden(at.child(field), refused));
    }
    for (const [mount, { subPath = '', subPathExpr = '' }] of volumeMounts.entries()) {
      const mountAt = at.child('volumeMounts').index(mount);
      if (subPath !== '') errors.push(forbidden(mountAt.child('subPath'), refused));
      if (subPathExpr !== '') errors.push(forbidden(mountAt.child('subPathExpr'), refused));
    }
    return errors;
  });
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

/** `validateContainerCommon`. */
function validateCommon(
  container: WholeEphemeralContainer,
  { spec, volumes, claims, leniency }: ContainerSurroundings,
  path: FieldPath,
): FieldError[] {
  const {
    name = '',
    image = '',
    imagePullPolicy = '',
    terminationMessagePolicy = '',
    resources,
    securityContext,
  } = container;
  const errors = name === '' ? [required(path.child('name'))] : complaints(nameIsDnsLabel, name, path.child('name'));
  if (image === '') errors.push(required(path.child('image')));
  errors.push(
    ...oneOf(terminationMessagePolicy, MESSAGE_POLICIES, path.child('terminationMessagePolicy')),
    ...validateContainerPorts(container.ports ?? [], path.child('ports')),
    ...validateEnv(container.env ?? [], path.child('env'), leniency),
    ...validateEnvFrom(container.envFrom ?? [], path.child('envFrom'), leniency),
    ...validateVolumeMounts(container, volumes, path.child('volumeMounts'), rulesOfGates(leniency.gates)),
    ...validateVolumeDevices(container, volumes, path.child('volumeDevices')),
    ...oneOf(imagePullPolicy, PULL_POLICIES, path.child('imagePullPolicy')),
  );
  if (resources !== undefined) {
    const at = path.child('resources');
    errors.push(
      ...validateResourceRequirements(resources, at, containerResourceName, leniency.brokenPages),
      ...validateClaimReferences(resources.claims ?? [], claims, at.child('claims')),
    );
  }
  errors.push(...validateResizePolicy(container.resizePolicy ?? [], spec.restartPolicy, path.child('resizePolicy')));
  if (securityContext !== undefined) {
    const hostUsers = spec.hostUsers ?? true;
    errors.push(...validateSecurityContext(securityContext, hostUsers, path.child('securityContext')));
  }
  return errors;
}

function oneOf(value: string, values: readonly string[], path: FieldPath): FieldError[] {
  if (value === '') return [required(path)];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}

/** Validates hooks and probes, which are for containers that keep running. */
function validateRunning(
  container: WholeContainer,
  { spec, leniency }: ContainerSurroundings,
  path: FieldPath,
): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const { terminationGracePeriodSeconds: grace } = spec;
  return [
    ...(lifecycle ? validateLifecycle(lifecycle, grace, path.child('lifecycle'), leniency) : []),
    ...(livenessProbe ? validateProbe(livenessProbe, 'livenessProbe', path, leniency) : []),
    ...(readinessProbe ? validateProbe(readinessProbe, 'readinessProbe', path, leniency) : []),
    ...(startupProbe ? validateProbe(startupProbe, 'startupProbe', path, leniency) : []),
  ];
}

/** White space as Go trims it, which differs slightly from JavaScript's. */
const SPACE_AT_AN_END = /^(?!\ufeff)[\s\u0085]|(?!\ufeff)[\s\u0085]$/;

/** `validateContainerOnlyForPod`: templates do not have to meet this rule. */
export function validateImageSpaces({ image = '' }: WholeEphemeralContainer, path: FieldPath): FieldError[] {
  return SPACE_AT_AN_END.test(image)
    ? [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')]
    : [];
}
