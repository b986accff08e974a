import { gatesOf } from '../toleration.js';
import { DEFAULT_RULES } from '../kubernetes-rules.js';
import { invalid, required, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { kindInfo, isKeptKind } from '../kinds.js';
import type { KubernetesObject, Labels, ResourceList } from '../objects/meta.js';
import type { Node } from '../objects/node.js';
import type { Pod, PodSpec, ResourceRequirements } from '../objects/pod.js';
import type { ResourceQuota } from '../objects/quota.js';
import { validateLabels } from './label.js';
import { nameIsDnsLabel, nameIsDnsSubdomain, nameIsPathSegment } from './object-names.js';
import { validateQuotaSpec } from './resource-quota.js';
import { validateTaints } from './taints.js';
import { validateTolerations } from './tolerations.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');

/**
 * The requirements on an object of a snapshot for questions about it to be answerable, with the API server's messages.
 *
 * They are weaker than those on a new object: only rules that every version since 1.20 has enforced, so that no
 * snapshot of a real cluster is refused. `Gt` and `Lt` in tolerations are allowed, because the cluster may have the
 * feature gate on. Quantities and JSON types are already validated (`decodeObject`).
 */
export function validateStoredObject(object: KubernetesObject): FieldError[] {
  const errors = validateIdentity(object);
  if (isNode(object)) errors.push(...validateStoredNode(object));
  if (isPod(object)) errors.push(...validateStoredPodSpec(object.spec));
  if (isQuota(object)) errors.push(...validateQuotaSpec(object.spec ?? {}, DEFAULT_RULES));
  return errors;
}

const isNode = (object: KubernetesObject): object is Node => object.kind === 'Node';
const isQuota = (object: KubernetesObject): object is ResourceQuota => object.kind === 'ResourceQuota';
const isPod = (object: KubernetesObject): object is Pod => object.kind === 'Pod';

function validateIdentity({ kind, metadata }: KubernetesObject): FieldError[] {
  const errors: FieldError[] = [];
  const { name, namespace, labels } = metadata;
  const nameRule =
    kind === 'Namespace' ? nameIsDnsLabel : STRICTLY_NAMED.has(kind) ? nameIsDnsSubdomain : nameIsPathSegment;
  if (name === '') {
    errors.push(required(METADATA.child('name'), 'name or generateName is required'));
  } else {
    for (const message of nameRule(name, false)) errors.push(invalid(METADATA.child('name'), name, message));
  }
  if (isKeptKind(kind) && kindInfo(kind).namespaced && namespace !== undefined) {
    for (const message of nameIsDnsLabel(namespace, false)) {
      errors.push(invalid(METADATA.child('namespace'), namespace, message));
    }
  }
  if (labels !== undefined && !areOrdinary(labels)) errors.push(...validateLabels(labels, METADATA.child('labels')));
  return errors;
}

const ORDINARY_KEY = /^(?:[a-z0-9]+(?:[-.][a-z0-9]+)*\/)?[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/;
const ORDINARY_VALUE = /^(?:[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*)?$/;
const SHORT = 63;

/** Whether all labels are short and simple, as nearly all are, and therefore valid without full validation. */
function areOrdinary(labels: Labels): boolean {
  for (const [key, value] of Object.entries(labels)) {
    if (key.length > SHORT || value.length > SHORT) return false;
    if (!ORDINARY_KEY.test(key) || !ORDINARY_VALUE.test(value)) return false;
  }
  return true;
}

/**
 * The kinds whose names every version validated as DNS names; other names, such as those of budgets, only have to be
 * valid in a URL.
 */
const STRICTLY_NAMED = new Set(['Node', 'Pod', 'DeviceTaintRule']);

function validateStoredNode({ spec, status }: Node): FieldError[] {
  return [
    ...(spec?.taints === undefined ? [] : validateTaints(spec.taints, SPEC.child('taints'))),
    ...validateNotNegative(status?.capacity, STATUS, 'capacity'),
    ...validateNotNegative(status?.allocatable, STATUS, 'allocatable'),
  ];
}

function validateStoredPodSpec(spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { nodeName = '', tolerations, overhead, resources, initContainers } = spec;
  if (nodeName !== '') {
    for (const message of nameIsDnsSubdomain(nodeName, false)) {
      errors.push(invalid(SPEC.child('nodeName'), nodeName, message));
    }
  }
  if (tolerations !== undefined) {
    errors.push(...validateTolerations(tolerations, SPEC.child('tolerations'), gatesOf(DEFAULT_RULES, true)));
  }
  for (const [index, container] of spec.containers.entries()) {
    if (container.resources === undefined) continue;
    errors.push(
      ...validateRequirements(container.resources, () => SPEC.child('containers').index(index).child('resources')),
    );
  }
  for (const [index, container] of (initContainers ?? []).entries()) {
    if (container.resources === undefined) continue;
    errors.push(
      ...validateRequirements(container.resources, () => SPEC.child('initContainers').index(index).child('resources')),
    );
  }
  if (resources !== undefined) errors.push(...validateRequirements(resources, () => SPEC.child('resources')));
  errors.push(...validateNotNegative(overhead, SPEC, 'overhead'));
  return errors;
}

function validateRequirements({ requests, limits }: ResourceRequirements, path: () => FieldPath): FieldError[] {
  if (!hasNegative(requests) && !hasNegative(limits)) return [];
  return [...validateNotNegative(requests, path(), 'requests'), ...validateNotNegative(limits, path(), 'limits')];
}

function validateNotNegative(resources: ResourceList | undefined, parent: FieldPath, field: string): FieldError[] {
  if (!hasNegative(resources)) return [];
  return Object.entries(resources ?? {})
    .filter(([, quantity]) => isNegative(quantity))
    .map(([name, quantity]) => invalid(parent.child(field).key(name), quantity, 'must be greater than or equal to 0'));
}

const hasNegative = (resources: ResourceList | undefined): boolean =>
  resources !== undefined && Object.values(resources).some(isNegative);

/** Checks only the sign: `-0` is not negative, but nobody writes it. */
const isNegative = (quantity: string): boolean =>
  quantity.startsWith('-') && /[1-9]/.test(quantity.split(/[eE]/, 1)[0]!);
