import { invalid, notSupported, required, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { EnvFromSource, EnvVar, FieldRef, KeySelector, ResourceFieldRef } from '../../objects/whole-pod.js';
import { decodeQuantity } from '../../quantity.js';
import { byteLength, isEnvName, isQualifiedName, isRelaxedEnvName, leadsElsewhere, regexError } from '../names.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../object-names.js';
import { complaints } from './complaints.js';
import { validateNoBacksteps } from './paths.js';
import type { PodLeniency } from './pod-leniency.js';

type EnvLeniency = Pick<PodLeniency, 'envFiles' | 'relaxedEnvNames'>;

/**
 * `ValidateEnv`.
 *
 * Source: k8s.io/kubernetes v1.31.2 and v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateEnv(variables: readonly EnvVar[], path: FieldPath, leniency: EnvLeniency): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = path.index(index);
    const { name = '', valueFrom } = variable;
    return [
      ...(name === '' ? [required(at.child('name'))] : validateVariableName(name, at.child('name'), leniency)),
      ...(valueFrom === undefined ? [] : validateValueFrom(variable, valueFrom, at.child('valueFrom'), leniency)),
    ];
  });
}

/** `ValidateEnvFrom`. */
export function validateEnvFrom(
  sources: readonly EnvFromSource[],
  path: FieldPath,
  leniency: EnvLeniency,
): FieldError[] {
  return sources.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const at = path.index(index);
    const errors = prefix === '' ? [] : validateVariableName(prefix, at.child('prefix'), leniency);
    const given = [
      [configMapRef, at.child('configMapRef', 'name')],
      [secretRef, at.child('secretRef', 'name')],
    ] as const;
    const refs = given.filter(([ref]) => ref !== undefined);
    for (const [ref, place] of refs) {
      const name = ref?.name ?? '';
      if (name === '') errors.push(required(place));
      else errors.push(...nameIsDnsSubdomain(name, true).map((message) => invalid(place, name, message)));
    }
    // Both faults are reported with the path of the list, not of its element.
    if (refs.length === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (refs.length > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}

/** The gate RelaxedEnvironmentVariableValidation decides which names are valid. */
const validateVariableName = (name: string, path: FieldPath, { relaxedEnvNames }: EnvLeniency): FieldError[] =>
  (relaxedEnvNames ? isRelaxedEnvName : isEnvName)(name).map((message) => invalid(path, name, message));

type ValueFrom = NonNullable<EnvVar['valueFrom']>;

function validateValueFrom(
  { value = '' }: EnvVar,
  from: ValueFrom,
  path: FieldPath,
  { envFiles }: EnvLeniency,
): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = from;
  const errors: FieldError[] = [];
  if (fieldRef) errors.push(...validateFieldRef(fieldRef, ENV_FIELDS, path.child('fieldRef')));
  if (resourceFieldRef) {
    errors.push(...validateResourceFieldRef(resourceFieldRef, false, path.child('resourceFieldRef')));
  }
  if (configMapKeyRef) errors.push(...validateKeySelector(configMapKeyRef, path.child('configMapKeyRef')));
  if (secretKeyRef) errors.push(...validateKeySelector(secretKeyRef, path.child('secretKeyRef')));
  if (fileKeyRef) errors.push(...validateFileKey(fileKeyRef, path.child('fileKeyRef')));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length;
  if (sources === 0) {
    const last = envFiles ? '`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`' : '`configMapKeyRef` or `secretKeyRef`';
    errors.push(invalid(path, '', `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, ${last}`));
  } else if (value !== '') {
    errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (sources > 1) {
    errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

const ENV_FIELDS: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

export const VOLUME_FIELDS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]);

const SUBSCRIPTED = /^(.*)\['(.*)'\]$/;

/** `validateObjectFieldSelector`. */
export function validateFieldRef(
  { apiVersion = '', fieldPath = '' }: FieldRef,
  known: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  if (apiVersion === '') return [required(path.child('apiVersion'))];
  const at = path.child('fieldPath');
  if (fieldPath === '') return [required(at)];
  const refused = (message: string): FieldError[] => [invalid(at, fieldPath, `error converting fieldPath: ${message}`)];
  if (apiVersion !== 'v1') return refused(`unsupported pod version: ${apiVersion}`);
  const [, base, subscript = ''] = SUBSCRIPTED.exec(fieldPath) ?? [];
  if (base === undefined || base === '') {
    if (!ENV_FIELDS.has(fieldPath) && !VOLUME_FIELDS.has(fieldPath)) {
      return refused(`field label not supported: ${fieldPath}`);
    }
    return known.has(fieldPath) ? [] : [notSupported(at, fieldPath, [...known].sort())];
  }
  switch (base) {
    case 'metadata.annotations':
      return isQualifiedName(subscript.toLowerCase()).map((message) => invalid(path, subscript.toLowerCase(), message));
    case 'metadata.labels':
      return isQualifiedName(subscript).map((message) => invalid(path, subscript, message));
    default:
      return refused(`field label does not support subscript: ${fieldPath}`);
  }
}

const RESOURCE_FIELDS = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCES = ['limits', 'requests'].flatMap((list) => RESOURCE_FIELDS.map((name) => `${list}.${name}`));
const HUGE_PAGES = /^(?:requests|limits)\.hugepages-/;
const BYTES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** `validateContainerResourceFieldSelector`; in a volume, the container's name is required. */
export function validateResourceFieldRef(
  { containerName = '', resource = '', divisor = '0' }: ResourceFieldRef,
  inVolume: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (inVolume && containerName === '') errors.push(required(path.child('containerName')));
  else if (resource === '') errors.push(required(path.child('resource')));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(notSupported(path.child('resource'), resource, RESOURCES));
  }
  const quantity = decodeQuantity(divisor);
  if (quantity.isZero()) return errors;
  const [what, values] = divisorsOf(resource);
  if (what !== undefined && !values.includes(quantity.toString())) {
    const rule =
      what === 'cpu'
        ? "only divisor's values 1m and 1 are supported with the cpu resource"
        : `only divisor's values ${BYTES.join(', ')} are supported with the ${what} resource`;
    errors.push(invalid(path.child('divisor'), resource, rule));
  }
  return errors;
}

function divisorsOf(resource: string): readonly [what: string | undefined, values: readonly string[]] {
  if (HUGE_PAGES.test(resource)) return ['hugepages', BYTES];
  switch (resource.replace(/^(?:limits|requests)\./, '')) {
    case 'cpu':
      return ['cpu', ['1m', '1']];
    case 'memory':
      return ['memory', BYTES];
    case 'ephemeral-storage':
      return ['local ephemeral storage', BYTES];
    default:
      return [undefined, []];
  }
}

function validateKeySelector({ name = '', key = '' }: KeySelector, path: FieldPath): FieldError[] {
  return [
    ...complaints(nameIsDnsSubdomain, name, path.child('name')),
    ...(key === '' ? [required(path.child('key'))] : validateConfigMapKey(key, path.child('key'))),
  ];
}

const CONFIG_MAP_KEY = '[-._a-zA-Z0-9]+';
const configMapKey = new RegExp(`^${CONFIG_MAP_KEY}$`);
const CONFIG_MAP_KEY_RULE = regexError(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  CONFIG_MAP_KEY,
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** `IsConfigMapKey`: a file name that does not lead to another directory. */
function validateConfigMapKey(key: string, path: FieldPath): FieldError[] {
  const messages: string[] = [];
  if (byteLength(key) > 253) messages.push('must be no more than 253 characters');
  if (!configMapKey.test(key)) messages.push(CONFIG_MAP_KEY_RULE);
  messages.push(...leadsElsewhere(key));
  return messages.map((message) => invalid(path, key, message));
}

function validateFileKey(
  { key = '', volumeName = '', path: file = '' }: NonNullable<ValueFrom['fileKeyRef']>,
  path: FieldPath,
): FieldError[] {
  const at = path.child('key');
  const volume = path.child('volumeName');
  return [
    ...(key === '' ? [required(at)] : isRelaxedEnvName(key).map((message) => invalid(at, key, message))),
    ...(volumeName === '' ? [required(volume)] : complaints(nameIsDnsLabel, volumeName, volume)),
    ...(file === '' ? [required(path.child('path'))] : validateNoBacksteps(file, path.child('path'))),
  ];
}
