import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { templateOf, podOfTemplate } from '../../core/admission/pod-of-template.js';
import { decodeObject } from '../../core/kubernetes/decode.js';
import { defaultPod } from '../../core/kubernetes/defaults.js';
import { notSupported, required, type FieldError } from '../../core/kubernetes/field-error.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { KINDS } from '../../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Workload } from '../../core/kubernetes/objects/workloads.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { validateGivenNames, validatePlacedPod } from '../../core/kubernetes/validation/placed-pod.js';
import { InvalidObjectError } from '../errors/invalid-object-error.js';

/** Every kind whose pods can be placed. */
export const WORKLOAD_KINDS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'CronJob',
] as const;

export type Placeable = Pod | Workload;

/** A manifest that the API server would take, as far as placement looks. */
export interface Manifest {
  readonly object: Placeable;
  /** Where in the request the object lies, as a JSON pointer: `/pod`, or `/pod/items/0` in a List of one. */
  readonly pointer: string;
  /** Fields that Kubernetes knows and placement does not read; a subtree counts once. */
  readonly droppedFields: number;
  readonly unknownFieldCount: number;
  readonly unknownFields: readonly string[];
}

/**
 * Reads the manifest of a pod or workload out of a request.
 *
 * @param field the member of the request that it stands in; `workload` takes no Pod
 * @throws {InvalidObjectError} with everything that is wrong, in the API server's words, and pointers into the request
 */
export function readManifest(field: 'pod' | 'workload', given: JsonObject, gates: TolerationGates): Manifest {
  const { value, pointer } = onlyItem(given, `/${field}`);
  const named = withName(value);
  // An item of a PodList says neither; whoever says one of them has to say both.
  const isBare = field === 'pod' && isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const decoded = decodeObject(named, isBare ? { apiVersion: 'v1', kind: 'Pod' } : {});
  const refuse = (what: string, errors: readonly FieldError[]): Error => new InvalidObjectError(what, errors, pointer);
  if (decoded.outcome === 'ignored') {
    throw refuse('The manifest', [wrongType(decoded.apiVersion, decoded.kind, placeableKinds(field))]);
  }
  if (decoded.outcome === 'invalid') {
    const { kind = 'The manifest', errors, salvage } = decoded;
    const more = salvage !== undefined && isPlaceable(salvage, field) ? validate(salvage, gates) : [];
    throw refuse(kind, [...errors, ...more.filter((error) => !errors.some((known) => explains(known, error)))]);
  }
  const { object, droppedFields, unknownFieldCount, unknownFields } = decoded;
  if (!isPlaceable(object, field)) {
    throw refuse(object.kind, [notSupported(FieldPath.of('kind'), object.kind, placeableKinds(field))]);
  }
  const errors = validate(object, gates);
  if (errors.length > 0) throw refuse(object.kind, errors);
  return { object, pointer, droppedFields, unknownFieldCount, unknownFields };
}

/** Where a workload's pod template is. */
export function templatePath({ kind }: Placeable): readonly string[] {
  if (kind === 'Pod') return [];
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
}

function validate(object: Placeable, gates: TolerationGates): FieldError[] {
  const errors = validateGivenNames(object.metadata, FieldPath.of('metadata'));
  const [first, ...rest] = templatePath(object);
  const at = first === undefined ? undefined : FieldPath.of(first, ...rest);
  const pod = podIn(object);
  if (pod === undefined) return [...errors, required(at!)];
  const place = {
    metadata: at?.child('metadata') ?? FieldPath.of('metadata'),
    spec: at?.child('spec') ?? FieldPath.of('spec'),
  };
  return [...errors, ...validatePlacedPod(defaultPod(pod), place, gates)];
}

function podIn(object: Placeable): Pod | undefined {
  if (object.kind === 'Pod') return object;
  const template = templateOf(object);
  return template === undefined ? undefined : podOfTemplate(object, template);
}

function isPlaceable(object: KubernetesObject, field: 'pod' | 'workload'): object is Placeable {
  return placeableKinds(field).includes(object.kind);
}

const placeableKinds = (field: 'pod' | 'workload'): readonly string[] =>
  field === 'pod' ? ['Pod', ...WORKLOAD_KINDS] : WORKLOAD_KINDS;

function wrongType(apiVersion: string, kind: string, kinds: readonly string[]): FieldError {
  if (!kinds.includes(kind)) return notSupported(FieldPath.of('kind'), kind, kinds);
  const versions = KINDS.find((info) => info.kind === kind)?.apiVersions ?? [];
  return notSupported(FieldPath.of('apiVersion'), apiVersion, versions);
}

/** kubectl writes a List even around one object, when it was asked with a selector. */
export function onlyItem(given: JsonObject, pointer: string): { readonly value: JsonObject; readonly pointer: string } {
  if (!Object.hasOwn(given, 'kind') || given['kind'] !== 'List') return { value: given, pointer };
  const items = Object.hasOwn(given, 'items') ? given['items'] : undefined;
  const [item, ...more] = Array.isArray(items) ? items : [];
  return isObject(item) && more.length === 0
    ? { value: item, pointer: `${pointer}/items/0` }
    : { value: given, pointer };
}

const UNNAMED = 'unnamed';

/** Where a pod can go does not hang on its name, so a manifest may go without. */
export function withName(value: JsonObject): JsonObject {
  const metadata = Object.hasOwn(value, 'metadata') ? value['metadata'] : undefined;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) return value;
  if (isObject(metadata) && !isAbsent(metadata, 'name')) return value;
  const prefix = isObject(metadata) && Object.hasOwn(metadata, 'generateName') ? metadata['generateName'] : undefined;
  const name = typeof prefix === 'string' && prefix !== '' ? `${prefix}${UNNAMED}` : UNNAMED;
  return { ...value, metadata: { ...(isObject(metadata) ? metadata : {}), name } };
}

export const isAbsent = (value: JsonObject, key: string): boolean =>
  !Object.hasOwn(value, key) || value[key] === null || value[key] === '';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Entries of which one unreadable field makes the others look wrong. */
const ENTRY = /\/(?:tolerations|matchExpressions|matchFields)\/\d+$/;

/** Whether a complaint about what could be read is only an echo of something that could not. */
function explains(unread: FieldError, complaint: FieldError): boolean {
  if (unread.pointer === complaint.pointer) return true;
  if (unread.pointer.startsWith(`${complaint.pointer}/`) || complaint.pointer.startsWith(`${unread.pointer}/`))
    return true;
  const parent = unread.pointer.slice(0, unread.pointer.lastIndexOf('/'));
  return ENTRY.test(parent) && complaint.pointer.startsWith(`${parent}/`);
}
