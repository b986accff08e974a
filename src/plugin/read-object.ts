import type { JsonValue } from '../core/json/json-value.js';
import { decodeObject } from '../core/kubernetes/decode.js';
import type { ConfigMap } from '../core/kubernetes/objects/config-map.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { markWholeObject } from '../core/rollout/templates.js';
import { without } from '../core/collections/without.js';
import { apiVersionOf, type ServedKind } from '../kube-api/discover-kinds.js';

/** Which objects are read with all their fields. */
export type WantsWhole = (object: KubernetesObject) => boolean;

/**
 * An item of a list, or the object of an event, as a service keeps it: the fields that decide something, or all of them if they are wanted. Undefined if it
 * cannot be decoded. What an API server has stored is not validated once more, and not made canonical, which takes as long as the rest of the reading.
 */
export function readObject(
  value: JsonValue,
  kind: ServedKind,
  wantsWhole: WantsWhole = () => false,
): KubernetesObject | undefined {
  const object = decoded(value, kind, false);
  if (object === undefined) return undefined;
  // Pods of a state are made of parts that they share.
  if (kind.kind !== 'Pod' && wantsWhole(object)) {
    const whole = decoded(value, kind, true);
    if (whole !== undefined) markWholeObject(whole);
    return whole;
  }
  // The data of a ConfigMap can hold secrets.
  return object.kind === 'ConfigMap' ? without(object as ConfigMap, 'data', 'binaryData') : object;
}

function decoded(value: JsonValue, kind: ServedKind, whole: boolean): KubernetesObject | undefined {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const result = decodeObject(value, { ...type, whole, unbounded: true });
  if (result.outcome === 'ignored') return undefined;
  return result.outcome === 'object' ? result.object : result.salvage;
}
