import { NOTHING } from '../collections/nothing.js';
import { isJsonObject, type JsonObject } from '../json/json-value.js';
import { podOfManifest } from './pod-of-template.js';
import { decodeObject } from '../kubernetes/decode.js';
import { defaultPod } from '../kubernetes/defaults.js';
import { notSupported, required, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { KINDS } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { templatePath, WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { validateGivenNames, validatePlacedPod } from '../kubernetes/validation/placed-pod.js';

export type Placeable = Pod | Workload;

/** A manifest that the API server would take, as far as placement looks. */
export interface PodManifest {
  readonly object: Placeable;
  /** The pod that it says, before its controller adds to it, with the API server's defaults. */
  readonly defaulted: Pod;
  /** The same object with all fields that Kubernetes knows; absent where one of those that are not kept cannot be decoded. */
  readonly whole?: Placeable;
  /** Where in what was given the object lies, as a JSON pointer: empty, or `/items/0` in a List of one. */
  readonly pointer: string;
  /** Fields that Kubernetes knows and placement does not read; a subtree counts once. */
  readonly droppedFields: number;
  readonly unknownFieldCount: number;
  readonly unknownFields: readonly string[];
}

/** Why the API server would refuse a manifest. */
export interface RefusedManifest {
  /** What is refused: a kind, or `The manifest`. */
  readonly what: string;
  /** Everything that is wrong, in the API server's words. */
  readonly errors: readonly FieldError[];
  /** Where in what was given the fields are counted from, as `PodManifest.pointer`. */
  readonly pointer: string;
}

/**
 * Reads the manifest of a pod or workload.
 *
 * @param kinds `pod`: of either, and a Pod without kind and version; `workload`: of a workload only
 */
export function readPodManifest(
  kinds: 'pod' | 'workload',
  given: JsonObject,
  gates: TolerationGates,
): PodManifest | RefusedManifest {
  const { value, pointer } = onlyItem(given, '');
  const named = withName(value);
  // An item of a PodList says neither; whoever says one of them has to say both.
  const isBare = kinds === 'pod' && isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const type = isBare ? { apiVersion: 'v1', kind: 'Pod' } : {};
  const { minor } = rulesOfGates(gates);
  const decoded = decodeObject(named, { ...NOTHING, ...type, minor });
  const refused = (what: string, errors: readonly FieldError[]): RefusedManifest => ({ what, errors, pointer });
  if (decoded.outcome === 'ignored') {
    return refused('The manifest', [wrongType(decoded.apiVersion, decoded.kind, placeableKinds(kinds))]);
  }
  if (decoded.outcome === 'invalid') {
    const { kind = 'The manifest', errors, salvage } = decoded;
    const more =
      salvage !== undefined && isPlaceable(salvage, kinds) ? validate(salvage, defaultedIn(salvage), gates) : [];
    return refused(kind, [...errors, ...more.filter((error) => !errors.some((known) => explains(known, error)))]);
  }
  const { object, droppedFields, unknownFieldCount, unknownFields } = decoded;
  if (!isPlaceable(object, kinds)) {
    return refused(object.kind, [notSupported(FieldPath.of('kind'), object.kind, placeableKinds(kinds))]);
  }
  const defaulted = defaultedIn(object);
  const errors = validate(object, defaulted, gates);
  if (defaulted === undefined || errors.length > 0) return refused(object.kind, errors);
  // Its size is that of what was decoded before.
  const whole = decodeObject(named, { ...NOTHING, ...type, whole: true, minor, unbounded: true });
  return {
    object,
    defaulted,
    ...(whole.outcome === 'object' && { whole: whole.object as Placeable }),
    pointer,
    droppedFields,
    unknownFieldCount,
    unknownFields,
  };
}

function validate(object: Placeable, defaulted: Pod | undefined, gates: TolerationGates): FieldError[] {
  const errors = validateGivenNames(object.metadata, FieldPath.of('metadata'));
  const [first, ...rest] = templatePath(object);
  const at = first === undefined ? undefined : FieldPath.of(first, ...rest);
  if (defaulted === undefined) return [...errors, required(at!)];
  const place = {
    metadata: at?.child('metadata') ?? FieldPath.of('metadata'),
    spec: at?.child('spec') ?? FieldPath.of('spec'),
  };
  return [...errors, ...validatePlacedPod(defaulted, place, gates)];
}

function defaultedIn(object: Placeable): Pod | undefined {
  const pod = podOfManifest(object);
  return pod && defaultPod(pod);
}

function isPlaceable(object: KubernetesObject, kinds: 'pod' | 'workload'): object is Placeable {
  return placeableKinds(kinds).includes(object.kind);
}

const placeableKinds = (kinds: 'pod' | 'workload'): readonly string[] =>
  kinds === 'pod' ? ['Pod', ...WORKLOAD_KINDS] : WORKLOAD_KINDS;

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
  return isJsonObject(item) && more.length === 0
    ? { value: item, pointer: `${pointer}/items/0` }
    : { value: given, pointer };
}

export const UNNAMED = 'unnamed';

/** Where a pod can go does not hang on its name, so a manifest may go without. */
export function withName(value: JsonObject): JsonObject {
  const metadata = Object.hasOwn(value, 'metadata') ? value['metadata'] : undefined;
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) return value;
  if (isJsonObject(metadata) && !isAbsent(metadata, 'name')) return value;
  const prefix =
    isJsonObject(metadata) && Object.hasOwn(metadata, 'generateName') ? metadata['generateName'] : undefined;
  const name = typeof prefix === 'string' && prefix !== '' ? `${prefix}${UNNAMED}` : UNNAMED;
  return { ...value, metadata: { ...(isJsonObject(metadata) ? metadata : {}), name } };
}

export const isAbsent = (value: JsonObject, key: string): boolean =>
  !Object.hasOwn(value, key) || value[key] === null || value[key] === '';

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
