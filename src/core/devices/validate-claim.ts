import { byteLength, isDns1123Label, isDns1123Subdomain, isValidLabelValue } from '../kubernetes/validation/names.js';
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { checksAdminAccess, validateAdminAccess } from '../kubernetes/validation/admin-access.js';
import { validateDeviceName, validateDriverName, validatePoolName } from '../kubernetes/validation/device-names.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { isExtendedResource } from '../kubernetes/resource-names.js';
import type {
  DeviceAllocationResult,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from '../kubernetes/objects/dra.js';
import type { Int64, KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import { DEVICE_TAINT_EFFECTS } from '../kubernetes/validation/device-taint-rule.js';
import { validateLabelName } from '../kubernetes/validation/label.js';
import { validateCoreObjectMeta } from '../kubernetes/validation/metadata.js';
import { nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';
import { allocatorFeatures } from './allocator-features.js';
import { selectorFault } from './device-selectors.js';
import { withoutDisabledFields } from './disabled-claim-fields.js';

/** Limits of the API: k8s.io/api v0.36.2, resource/v1/types.go. */
const MOST = { requests: 32, constraints: 32, config: 32, selectors: 32, subrequests: 8, results: 32, users: 256 };
const MOST_EXPRESSION_BYTES = 10 * 1024;
/** The first minor version with that limit. */
const EXPRESSION_BYTES_SINCE = 32;
const MOST_IDENTIFIER_BYTES = 32;

const MODES = ['All', 'ExactCount'] as const;
const OPERATORS = ['Equal', 'Exists'] as const;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NO_IDENTIFIER =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const EITHER = 'exactly one of `exactly` or `firstAvailable` is required';
const NO_SUBREQUEST_YET = 'must be the name of a request in the claim';
const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

interface DeviceConfiguration {
  readonly opaque?: { readonly driver?: string };
}

/** The whole spec, with what the scheduler does not read. */
interface WholeClaimSpec {
  readonly devices?: NonNullable<ResourceClaimSpec['devices']> & {
    readonly config?: readonly (DeviceConfiguration & { readonly requests?: readonly string[] })[];
  };
}

/**
 * The first minor versions that read claims as today: with the fields of an exact request apart, and alternatives to it, and with lists and
 * names checked as declarative validation has it.
 *
 * Source: k8s.io/kubernetes, pkg/apis/resource/validation/validation.go, as of 1.31, 1.32, 1.33 and 1.36.
 */
const EXACTLY_SINCE = 33;
const DECLARATIVE_SINCE = 35;

/** What faults of a claim depend on besides the claim. */
export interface ClaimContext {
  readonly rules: KubernetesRules;
  /** That of the claim; undefined if it is not stored, and so neither are its labels. */
  readonly namespace: Namespace | undefined;
}

/**
 * The API server's faults of a new ResourceClaim or ResourceClaimTemplate: access as an administrator, metadata, and the spec.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/resource/resourceclaim/strategy.go and resourceclaimtemplate/strategy.go, `Validate`;
 * pkg/apis/resource/validation/validation.go, `ValidateResourceClaim`, `ValidateResourceClaimTemplate`.
 */
export function validateClaim(object: ResourceClaim | ResourceClaimTemplate, context: ClaimContext): FieldError[] {
  const path = FieldPath.of('spec');
  const [given, at] = object.kind === 'ResourceClaim' ? [object.spec, path] : [object.spec?.spec, path.child('spec')];
  const { rules, namespace } = context;
  const spec = withoutDisabledFields(given, allocatorFeatures(rules));
  return [
    ...(checksAdminAccess(rules) && namespace !== undefined
      ? validateAdminAccess(spec, namespace.metadata.labels ?? {})
      : []),
    ...metadataFaults(object, true),
    ...validateClaimSpec(spec, at, rules),
  ];
}

/**
 * The API server's faults of the status of a claim that had none. Binding conditions are not judged.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `validateResourceClaimStatusUpdate`.
 */
export function validateClaimStatus({ spec, status = {} }: ResourceClaim, { minor }: KubernetesRules): FieldError[] {
  const path = FieldPath.of('status');
  const { allocation, reservedFor = [] } = status;
  const names = requestNames(spec);
  const errors = setOf(
    reservedFor,
    MOST.users,
    ({ uid }) => uid,
    (user, at) =>
      (['resource', 'name', 'uid'] as const).flatMap((one) => (user[one] === '' ? [required(at.child(one))] : [])),
    path.child('reservedFor'),
    { minor, keyField: 'uid' },
  );
  if (reservedFor.length > 0 && allocation === undefined) {
    errors.push(forbidden(path.child('reservedFor'), 'may not be specified when `allocated` is not set'));
  }
  const resultFaults = ({ request, driver, pool, device }: DeviceAllocationResult, at: FieldPath): FieldError[] => [
    ...referenceFaults(request, names, at.child('request'), minor),
    ...validateDriverName(driver, at.child('driver')),
    ...validatePoolName(pool, at.child('pool')),
    ...validateDeviceName(device, at.child('device')),
  ];
  const at = path.child('allocation', 'devices', 'results');
  const results = listOf(allocation?.devices?.results ?? [], MOST.results, resultFaults, at, minor);
  return minor < TOO_MANY_SINCE ? [...results, ...errors] : [...errors, ...results];
}

const metadataFaults = ({ metadata }: KubernetesObject, namespaced: boolean): FieldError[] =>
  validateCoreObjectMeta(metadata, namespaced, nameIsDnsSubdomain, FieldPath.of('metadata'));

/** The names of requests, each with those of its alternatives. */
const requestNames = (spec: ResourceClaimSpec | undefined): ReadonlyMap<string, readonly string[]> =>
  new Map(
    (spec?.devices?.requests ?? []).map(({ name, firstAvailable = [] }) => [
      name,
      firstAvailable.map((sub) => sub.name),
    ]),
  );

/**
 * The API server's faults of the devices of a new ResourceClaim, or of a template's, with the defaults of the API. The parameters of opaque
 * configurations are not judged, nor is whether an expression could cost too much for any device.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `validateResourceClaimSpec`.
 *
 * @param at the path of the spec
 */
export function validateClaimSpec(
  spec: ResourceClaimSpec | undefined,
  at: FieldPath,
  rules: KubernetesRules,
): FieldError[] {
  const { requests = [], constraints = [], config = [] } = (spec as WholeClaimSpec | undefined)?.devices ?? {};
  const path = at.child('devices');
  const names = requestNames(spec);
  const { minor } = rules;
  const reference = (name: string, of: FieldPath): FieldError[] => referenceFaults(name, names, of, minor);
  return [
    ...setOf(
      requests,
      MOST.requests,
      ({ name }) => name,
      (request, of) => requestFaults(request, of, rules),
      path.child('requests'),
      { minor, keyField: 'name' },
    ),
    ...listOf(
      constraints,
      MOST.constraints,
      (constraint, of) => [
        ...setOf(constraint.requests ?? [], MOST.requests, (name) => name, reference, of.child('requests'), { minor }),
        ...attributeFaults(constraint, of, rules),
      ],
      path.child('constraints'),
      minor,
    ),
    ...listOf(
      config,
      MOST.config,
      (configuration, of) => [
        ...setOf(configuration.requests ?? [], MOST.requests, (name) => name, reference, of.child('requests'), {
          minor,
        }),
        ...configurationFaults(configuration, of),
      ],
      path.child('config'),
      minor,
    ),
  ];
}

/**
 * The API server's faults of a new DeviceClass, as `validateClaimSpec`. It drops the name of an extended resource where the gate
 * DRAExtendedResource is off.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/resource/validation/validation.go, `ValidateDeviceClass`;
 * pkg/registry/resource/deviceclass/strategy.go, `dropDisabledFields`.
 */
export function validateDeviceClass(deviceClass: DeviceClass, rules: KubernetesRules): FieldError[] {
  const { spec = {} } = deviceClass;
  const { selectors = [], extendedResourceName } = spec;
  const { config = [] } = spec as { readonly config?: readonly DeviceConfiguration[] };
  const at = FieldPath.of('spec');
  const isRead = rules.featureGates.DRAExtendedResource && extendedResourceName !== undefined;
  const isOther = isRead && !isExtendedResource(extendedResourceName);
  const fault = 'must be a valid extended resource name';
  return [
    ...metadataFaults(deviceClass, false),
    ...selectorListFaults(selectors, at, rules),
    ...listOf(config, MOST.config, configurationFaults, at.child('config'), rules.minor),
    ...(isOther ? [invalid(at.child('extendedResourceName'), extendedResourceName, fault)] : []),
  ];
}

type Faults<Item> = (item: Item, at: FieldPath) => FieldError[];

/** The first minor version with `field.TooMany`: before, such a list was too long. */
const TOO_MANY_SINCE = 32;

/** Since declarative validation, one that is too long is not looked at; before, that is said after the faults of its items. */
function listOf<Item>(
  items: readonly Item[],
  most: number,
  faults: Faults<Item>,
  at: FieldPath,
  minor: number,
): FieldError[] {
  const found = (): FieldError[] => items.flatMap((item, index) => faults(item, at.index(index)));
  if (items.length <= most) return found();
  const tooLarge = minor < TOO_MANY_SINCE ? tooLong(at, most, earliestTooLong(most)) : tooMany(at, items.length, most);
  return minor < DECLARATIVE_SINCE ? [...found(), tooLarge] : [tooLarge];
}

/** `field.TooLongMaxLength` in 1.31. */
const earliestTooLong = (most: number): string => `may not be longer than ${most}`;

function setOf<Item>(
  items: readonly Item[],
  most: number,
  keyOf: (item: Item) => string,
  faults: Faults<Item>,
  at: FieldPath,
  { minor, keyField }: { readonly minor: number; readonly keyField?: string },
): FieldError[] {
  const errors = listOf(items, most, faults, at, minor);
  if (items.length > most && minor >= DECLARATIVE_SINCE) return errors;
  const ofKey = (of: FieldPath): FieldPath =>
    keyField === undefined || minor >= DECLARATIVE_SINCE ? of : of.child(keyField);
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(ofKey(at.index(index)), key));
    seen.add(key);
  }
  return errors;
}

function requestFaults(
  { name, exactly, firstAvailable = [] }: DeviceRequest,
  at: FieldPath,
  rules: KubernetesRules,
): FieldError[] {
  const errors = labelFaults(name, at.child('name'));
  const { minor } = rules;
  if (minor < EXACTLY_SINCE) return [...errors, ...exactFaults(exactly ?? ONE, at, rules)];
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, required(at, EITHER)];
  if (exactly !== undefined && firstAvailable.length > 0) {
    return [...errors, invalid(at, { text: 'null' }, `${EITHER}, but multiple fields are set`)];
  }
  if (exactly !== undefined) return [...errors, ...exactFaults(exactly, at.child('exactly'), rules)];
  return [
    ...errors,
    ...setOf(
      firstAvailable,
      MOST.subrequests,
      (subrequest) => subrequest.name,
      (subrequest, of) => [...labelFaults(subrequest.name, of.child('name')), ...exactFaults(subrequest, of, rules)],
      at.child('firstAvailable'),
      { minor, keyField: 'name' },
    ),
  ];
}

/** The defaults of an exact request. */
const ONE: Partial<ExactDeviceRequest> = { allocationMode: 'ExactCount', count: 1 };

function exactFaults(request: Partial<ExactDeviceRequest>, at: FieldPath, rules: KubernetesRules): FieldError[] {
  const { deviceClassName = '', selectors = [], allocationMode = '', count = 0, tolerations = [] } = request;
  const ofClass = at.child('deviceClassName');
  return [
    ...(deviceClassName === ''
      ? [required(ofClass)]
      : isDns1123Subdomain(deviceClassName).map((fault) => invalid(ofClass, deviceClassName, fault))),
    ...selectorListFaults(selectors, at, rules),
    ...modeFaults(allocationMode, count, at),
    ...tolerations.flatMap((toleration, index) => tolerationFaults(toleration, at.child('tolerations').index(index))),
  ];
}

function configurationFaults({ opaque }: DeviceConfiguration, at: FieldPath): FieldError[] {
  return opaque === undefined
    ? [required(at.child('opaque'))]
    : validateDriverName(opaque.driver ?? '', at.child('opaque').child('driver'));
}

function modeFaults(mode: string, count: Int64, at: FieldPath): FieldError[] {
  const shown = { text: String(count) };
  if (mode === 'ExactCount') return count > 0 ? [] : [invalid(at.child('count'), shown, 'must be greater than zero')];
  if (mode !== 'All') return [notSupported(at.child('allocationMode'), mode, MODES)];
  const fault = "must not be specified when allocationMode is 'All'";
  return count === 0 || count === 0n ? [] : [invalid(at.child('count'), shown, fault)];
}

const selectorListFaults = (
  selectors: readonly DeviceSelector[],
  at: FieldPath,
  rules: KubernetesRules,
): FieldError[] =>
  listOf(
    selectors,
    MOST.selectors,
    (selector, of) => selectorFaults(selector, of, rules),
    at.child('selectors'),
    rules.minor,
  );

/**
 * An expression that is not evaluated here has no fault. Only with the gate DRAConsumableCapacity has a device `allowMultipleAllocations`:
 * k8s.io/dynamic-resource-allocation v0.34.1 to v0.36.2, cel/compile.go.
 */
function selectorFaults(
  { cel }: DeviceSelector,
  at: FieldPath,
  { minor, featureGates }: KubernetesRules,
): FieldError[] {
  if (cel === undefined) return [required(at.child('cel'))];
  const path = at.child('cel').child('expression');
  if (minor >= EXPRESSION_BYTES_SINCE && byteLength(cel.expression) > MOST_EXPRESSION_BYTES)
    return [tooLong(path, MOST_EXPRESSION_BYTES)];
  const fault = selectorFault(cel.expression, featureGates.DRAConsumableCapacity);
  return fault === undefined ? [] : [invalid(path, cel.expression, fault)];
}

function tolerationFaults(toleration: DeviceToleration, at: FieldPath): FieldError[] {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  const errors = key === '' ? [] : validateLabelName(key, at.child('key'));
  const ofValue = at.child('value');
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(ofValue, value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') {
    const faults = isValidLabelValue(value);
    if (faults.length > 0) errors.push(invalid(ofValue, value, faults.join(';')));
  } else if (operator === '') errors.push(required(at.child('operator')));
  else errors.push(notSupported(at.child('operator'), operator, OPERATORS));
  if (effect !== '' && !(DEVICE_TAINT_EFFECTS as readonly string[]).includes(effect)) {
    errors.push(notSupported(at.child('effect'), effect, DEVICE_TAINT_EFFECTS));
  }
  return errors;
}

/** The first minor version with `distinctAttribute`. */
const DISTINCT_SINCE = 34;

/** Without the gate DRAConsumableCapacity, `matchAttribute` is what is missing; `distinctAttribute` counts all the same. */
function attributeFaults(
  { matchAttribute, distinctAttribute }: { readonly matchAttribute?: string; readonly distinctAttribute?: string },
  at: FieldPath,
  { minor, featureGates }: KubernetesRules,
): FieldError[] {
  if (matchAttribute !== undefined) return attributeNameFaults(matchAttribute, at.child('matchAttribute'), minor);
  if (distinctAttribute !== undefined && minor >= DISTINCT_SINCE) {
    return attributeNameFaults(distinctAttribute, at.child('distinctAttribute'), minor);
  }
  if (!featureGates.DRAConsumableCapacity) return [required(at.child('matchAttribute'))];
  return [
    required(at, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'),
  ];
}

/** `validateFullyQualifiedName`. */
function attributeNameFaults(name: string, at: FieldPath, minor: number): FieldError[] {
  if (minor < DECLARATIVE_SINCE) return formerNameFaults(name, at, minor);
  const parts = name.split('/');
  const [domain = '', id = ''] = parts;
  if (parts.length === 1) {
    const fault = 'a fully qualified name must be a domain and a name separated by a slash';
    return [...identifierFaults(domain, at), invalid(at, name, fault)];
  }
  if (parts.length > 2) return [];
  return [
    ...(domain === '' ? [invalid(at, '', 'the domain must not be empty')] : validateDriverName(domain, at)),
    ...(id === '' ? [invalid(at, '', 'the name must not be empty')] : identifierFaults(id, at)),
  ];
}

/** What is missing was required, and a wrong identifier was of a wrong type. */
function formerNameFaults(name: string, at: FieldPath, minor: number): FieldError[] {
  const isFirst = minor < TOO_MANY_SINCE;
  const domainWord = isFirst ? 'prefix' : 'domain';
  const parts = name.split('/');
  const [domain = '', id = ''] = parts;
  const ofId = (one: string): FieldError[] => [
    ...(byteLength(one) > MOST_IDENTIFIER_BYTES
      ? [tooLong(at, MOST_IDENTIFIER_BYTES, earliestTooLong(MOST_IDENTIFIER_BYTES))]
      : []),
    ...(IDENTIFIER.test(one) ? [] : [typeInvalid(at, one, NO_IDENTIFIER)]),
  ];
  const noDomain = isFirst
    ? [required(at.child('domain'), 'must include a prefix')]
    : name === ''
      ? []
      : [invalid(at, name, 'must include a domain')];
  if (name === '') return [required(at, 'name required'), ...noDomain];
  if (parts.length === 1) return [...ofId(domain), ...noDomain];
  if (parts.length > 2) return [];
  return [
    ...(domain === '' ? [required(at, `the ${domainWord} must not be empty`)] : validateDriverName(domain, at)),
    ...(id === '' ? [required(at, 'the name must not be empty')] : ofId(id)),
  ];
}

function identifierFaults(id: string, at: FieldPath): FieldError[] {
  const errors = byteLength(id) > MOST_IDENTIFIER_BYTES ? [tooLong(at, MOST_IDENTIFIER_BYTES)] : [];
  return IDENTIFIER.test(id) ? errors : [...errors, invalid(at, id, NO_IDENTIFIER)];
}

function referenceFaults(
  name: string,
  names: ReadonlyMap<string, readonly string[]>,
  at: FieldPath,
  minor: number,
): FieldError[] {
  if (minor < EXACTLY_SINCE) {
    return [...labelFaults(name, at), ...(names.has(name) ? [] : [invalid(at, name, NO_SUBREQUEST_YET)])];
  }
  const [request = '', subrequest, ...more] = name.split('/');
  if (more.length > 0) return [invalid(at, name, NO_REQUEST)];
  const errors = [request, ...(subrequest === undefined ? [] : [subrequest])].flatMap((part) => labelFaults(part, at));
  const isKnown = names.has(request) && (subrequest === undefined || names.get(request)!.includes(subrequest));
  return isKnown ? errors : [...errors, invalid(at, name, NO_REQUEST)];
}

const labelFaults = (name: string, at: FieldPath): FieldError[] =>
  isDns1123Label(name).map((fault) => invalid(at, name, fault));
