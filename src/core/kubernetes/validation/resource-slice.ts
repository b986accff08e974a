import { duplicate, forbidden, invalid, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { KubernetesRules } from '../kubernetes-rules.js';
import type { ResourceSlice } from '../objects/dra.js';
import { validateDeviceTaint } from './device-taint-rule.js';
import { isDns1123Label, isDns1123Subdomain } from './names.js';
import { validateStoredObject } from './stored-object.js';

const SPEC = FieldPath.of('spec');

type Spec = NonNullable<ResourceSlice['spec']>;
type Device = NonNullable<Spec['devices']>[number];

/** The first minor version whose slices can leave the choice of nodes to their devices. */
const PER_DEVICE_SINCE = 33;
/** The first minor version that names the fields of which only one may be set. */
const NAMES_FIELDS_SINCE = 32;

/**
 * A ResourceSlice of a question as the API server stores it, as to what is read of it: driver and pool have names, it says for which nodes it
 * is, and each device has a name of its own, taints that the API server takes, and request policies only where it can be shared. How much a
 * slice may contain, what its attributes may be, and the requirements of node selectors are not checked.
 *
 * Source: k8s.io/kubernetes v1.36.2 and, for their words, 1.31 to 1.33, pkg/apis/resource/validation/validation.go,
 * `validateResourceSliceSpec`, `validateDevice`, `validateSingleAllocatableDeviceCapacity`.
 */
export function validateResourceSlice(slice: ResourceSlice, { minor }: KubernetesRules): FieldError[] {
  const errors = validateStoredObject(slice);
  const { driver = '', pool, devices = [] } = slice.spec ?? {};
  errors.push(...nameErrors(driver, SPEC.child('driver'), isDns1123Subdomain));
  if ((pool?.name ?? '') === '') errors.push(required(SPEC.child('pool', 'name')));
  const { spec } = slice;
  if (spec !== undefined) errors.push(...ofNodes(spec, minor));
  const names = new Set<string>();
  for (const [index, device] of devices.entries()) {
    const { name, taints = [] } = device;
    const at = SPEC.child('devices').index(index);
    errors.push(...nameErrors(name, at.child('name'), isDns1123Label));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    for (const [place, taint] of taints.entries()) {
      errors.push(...validateDeviceTaint(taint, at.child('taints').index(place)));
    }
    errors.push(...ofPolicies(device, at), ...ofDeviceNodes(device, spec?.perDeviceNodeSelection === true, at));
  }
  return errors;
}

/** The fields that say for which nodes something is, and what is wrong with each. */
function choiceOf(
  { nodeName, nodeSelector, allNodes }: Pick<Spec, 'nodeName' | 'nodeSelector' | 'allNodes'>,
  at: FieldPath,
  /** What an empty name is, where it is not as good as none. */
  emptyName: string | undefined,
): { readonly set: string[]; readonly errors: FieldError[] } {
  const errors: FieldError[] = [];
  if (nodeName === '' && emptyName !== undefined) errors.push(invalid(at.child('nodeName'), '', emptyName));
  const ofName = (nodeName ?? '') === '' ? [] : isDns1123Subdomain(nodeName!);
  errors.push(...ofName.map((message) => invalid(at.child('nodeName'), nodeName!, message)));
  if (nodeSelector?.nodeSelectorTerms.length === 0) {
    errors.push(required(at.child('nodeSelector', 'nodeSelectorTerms'), 'must have at least one node selector term'));
  }
  if (allNodes === false && emptyName !== undefined) {
    errors.push(invalid(at.child('allNodes'), { text: 'false' }, UNSET_OR_TRUE));
  }
  const set = [
    ...((nodeName ?? '') === '' ? [] : ['`nodeName`']),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes === true ? ['`allNodes`'] : []),
  ];
  return { set, errors };
}

const UNSET_OR_TRUE = 'must be either unset or set to true';

function ofNodes(spec: Spec, minor: number): FieldError[] {
  const isPerDevice = minor >= PER_DEVICE_SINCE;
  const { set, errors } = choiceOf(
    spec,
    SPEC,
    isPerDevice ? 'must be either unset or set to a non-empty string' : undefined,
  );
  const terms = spec.nodeSelector?.nodeSelectorTerms;
  if (terms !== undefined && terms.length !== 1) {
    const shown = { text: terms.length === 0 ? 'null' : JSON.stringify(terms) };
    const one = minor < NAMES_FIELDS_SINCE ? 'selector term' : 'node selector term';
    errors.push(invalid(SPEC.child('nodeSelector', 'nodeSelectorTerms'), shown, `must have exactly one ${one}`));
  }
  const { perDeviceNodeSelection } = spec;
  if (isPerDevice && perDeviceNodeSelection === true) set.push('`perDeviceNodeSelection`');
  if (isPerDevice && perDeviceNodeSelection === false) {
    errors.push(invalid(SPEC.child('perDeviceNodeSelection'), { text: 'false' }, UNSET_OR_TRUE));
  }
  const fields = isPerDevice
    ? '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`'
    : '`nodeName`, `nodeSelector`, or `allNodes`';
  const one = `exactly one of ${fields} is required`;
  if (set.length === 0) return [...errors, required(SPEC, one)];
  if (set.length === 1) return errors;
  const detail = minor < NAMES_FIELDS_SINCE ? one : `${one}, but multiple fields are set`;
  return [...errors, invalid(SPEC, `{${set.join(', ')}}`, detail)];
}

function ofDeviceNodes(device: Device, isPerDevice: boolean, at: FieldPath): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!isPerDevice) {
    const isAny = nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined;
    const only = 'can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    return isAny ? [invalid(at, { text: 'null' }, `\`nodeName\`, \`nodeSelector\` and \`allNodes\` ${only}`)] : [];
  }
  const { set, errors } = choiceOf(device, at, 'must not be empty');
  const one =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) return [...errors, required(at, one)];
  return set.length === 1 ? errors : [...errors, invalid(at, `{${set.join(', ')}}`, one)];
}

/** A device that is allocated as a whole has no request policies. */
function ofPolicies({ capacity = {}, allowMultipleAllocations }: Device, at: FieldPath): FieldError[] {
  if (allowMultipleAllocations === true) return [];
  return Object.entries(capacity).flatMap(([name, { requestPolicy }]) =>
    requestPolicy === undefined
      ? []
      : [forbidden(at.child('capacity').key(name).child('requestPolicy'), 'allowMultipleAllocations must be true')],
  );
}

function nameErrors(name: string, at: FieldPath, rule: (name: string) => string[]): FieldError[] {
  if (name === '') return [required(at)];
  return rule(name).map((message) => invalid(at, name, message));
}
