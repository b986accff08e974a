import type { JsonValue } from '../core/json/json-value.js';
import { decodeObject } from '../core/kubernetes/decode.js';
import type { ConfigMap } from '../core/kubernetes/objects/config-map.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { without } from '../core/scenario/without.js';
import { apiVersionOf, type ServedKind } from '../kube-api/discover-kinds.js';

/**
 * An item of a list, or the object of an event, as a service keeps it: the fields that decide something. Undefined if it cannot be decoded. What an API
 * server has stored is not validated once more, and not made canonical, which takes as long as the rest of the reading.
 */
export function readObject(value: JsonValue, kind: ServedKind): KubernetesObject | undefined {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const decoded = decodeObject(value, { ...type, unbounded: true });
  if (decoded.outcome === 'ignored') return undefined;
  const object = decoded.outcome === 'object' ? decoded.object : decoded.salvage;
  // The data of a ConfigMap can hold secrets.
  return object?.kind === 'ConfigMap' ? without(object as ConfigMap, 'data', 'binaryData') : object;
}
