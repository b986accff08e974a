import type { JsonObject, JsonValue } from '../core/json/json-value.js';
import { isKeptKind, KINDS, kindOf } from '../core/kubernetes/kinds.js';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * What an object is: by its own `apiVersion` and `kind`; else by its list's (a PodList holds Pods, and its items say no
 * kind); else by the `metadata.selfLink` of the object or of the list, which servers before Kubernetes 1.20 wrote. A link
 * names the resource: for a kind that is not kept, that name (`serviceaccounts`) stands for the kind.
 * Undefined when nothing tells, and nothing is guessed.
 */
export function inferType(object: JsonObject, list: JsonObject | undefined): TypeMeta | undefined {
  const kind = textAt(object, 'kind');
  const apiVersion = textAt(object, 'apiVersion');
  if (kind !== undefined && apiVersion !== undefined) return { apiVersion, kind };
  const byLink = typeOfSelfLink(object) ?? (list && typeOfSelfLink(list));
  if (kind !== undefined) {
    const listVersion = list && elementKind(list) === kind ? textAt(list, 'apiVersion') : undefined;
    const linked = byLink !== undefined && (byLink.kind === kind || !(isKeptKind(kind) || isKeptKind(byLink.kind)));
    const version = listVersion ?? (linked ? byLink.apiVersion : undefined);
    return version === undefined ? undefined : { apiVersion: version, kind };
  }
  const listKind = list && elementKind(list);
  const listVersion = apiVersion ?? (list && textAt(list, 'apiVersion'));
  if (listKind !== undefined && listVersion !== undefined) return { apiVersion: listVersion, kind: listKind };
  return byLink;
}

/** `Pod` for a PodList; undefined for a List, which holds anything. */
export function elementKind(list: JsonObject): string | undefined {
  const kind = textAt(list, 'kind');
  return kind !== undefined && kind.endsWith('List') && kind !== 'List' ? kind.slice(0, -'List'.length) : undefined;
}

/** `/api/v1/namespaces/a/pods/b`, `/apis/apps/v1/deployments`: group and version, then the resource's plural. */
function typeOfSelfLink(value: JsonObject): TypeMeta | undefined {
  const metadata = memberAt(value, 'metadata');
  const link = isObject(metadata) ? textAt(metadata, 'selfLink') : undefined;
  const match = /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))\/(?:namespaces\/[^/]+\/)?([^/]+)(?:\/[^/]+)?$/.exec(link ?? '');
  if (match === null) return undefined;
  const apiVersion = (match[1] ?? match[2])!;
  // A namespace's own link reads like a namespaced resource without one: /api/v1/namespaces/a.
  const plural = match[3]!;
  const info = KINDS.find((candidate) => candidate.plural === plural && kindOf(apiVersion, candidate.kind));
  return { apiVersion, kind: info?.kind ?? plural };
}

/** A member of an object, never one of its prototype. */
export function memberAt(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function textAt(object: JsonObject, key: string): string | undefined {
  const value = memberAt(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
