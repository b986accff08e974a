import { CelMap, fromJson, type Value } from '../../cel/values.js';
import type { JsonObject } from '../../json/json-value.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import type { Namespace } from '../../kubernetes/objects/namespace.js';
import { withUnknown } from './policy-request.js';

/** A namespace as policies see it. */
export interface NamespaceObject {
  readonly object: JsonObject;
  /** Paths of fields that it may have and that are not known. */
  readonly unknownFields: readonly (readonly string[])[];
}

/** Fields that expressions may read, and that a stored namespace has only in part or not at all. */
const NOT_KNOWN = [
  ...[
    'UID',
    'annotations',
    'creationTimestamp',
    'deletionGracePeriodSeconds',
    'deletionTimestamp',
    'finalizers',
    'generateName',
    'generation',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
  ['spec'],
  ['status', 'conditions'],
];

/** Every namespace has a label with its name, whoever made it. */
export const namespaceLabels = ({ metadata: { name, labels } }: Namespace): Labels => ({
  ...labels,
  'kubernetes.io/metadata.name': name,
});

/** What is known of a stored namespace. */
export function storedNamespace(namespace: Namespace | undefined): NamespaceObject | undefined {
  if (namespace === undefined) return undefined;
  const { metadata, status: { phase } = {} } = namespace;
  const object: JsonObject = {
    metadata: { name: metadata.name, labels: namespaceLabels(namespace) },
    status: phase === undefined ? {} : { phase },
  };
  return { object, unknownFields: phase === undefined ? [...NOT_KNOWN, ['status', 'phase']] : NOT_KNOWN };
}

/** The variable `namespaceObject`. */
export function namespaceVariable(namespace: NamespaceObject | undefined): Value {
  if (namespace === undefined) return null;
  const value = fromJson(namespace.object);
  return value instanceof CelMap ? withUnknown(value, namespace.unknownFields) : value;
}
