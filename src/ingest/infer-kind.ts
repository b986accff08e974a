import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/json-value.js';
import { isKeptKind, KINDS, servedKindOf } from '../core/kubernetes/kinds.js';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The type of an object: its own `apiVersion` and `kind`; otherwise that of its list (the items of a PodList are Pods without
 * a `kind`); otherwise the type in the `metadata.selfLink` of the object or list, which servers before Kubernetes 1.20 wrote.
 * A link contains the resource name, which is used as the kind if the kind is not stored (`serviceaccounts`). Returns
 * undefined if none of these is known.
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

/** `Pod` for a PodList; undefined for a List, whose items may be of any kind. */
export function elementKind(list: JsonObject): string | undefined {
  const kind = textAt(list, 'kind');
  return kind !== undefined && kind.endsWith('List') && kind !== 'List' ? kind.slice(0, -'List'.length) : undefined;
}

/** The type in a link such as `/api/v1/namespaces/a/pods/b` or `/apis/apps/v1/deployments`. */
function typeOfSelfLink(value: JsonObject): TypeMeta | undefined {
  const metadata = memberAt(value, 'metadata');
  const link = isJsonObject(metadata) ? textAt(metadata, 'selfLink') : undefined;
  const match = /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))\/(?:namespaces\/[^/]+\/)?([^/]+)(?:\/[^/]+)?$/.exec(link ?? '');
  if (match === null) return undefined;
  const apiVersion = (match[1] ?? match[2])!;
  // The link of a namespace looks like that of a namespaced resource without a name: /api/v1/namespaces/a.
  const plural = match[3]!;
  const info = KINDS.find((candidate) => candidate.plural === plural && candidate.apiVersions.includes(apiVersion));
  return { apiVersion, kind: info === undefined ? plural : servedKindOf(info) };
}

/** An object's own member, never an inherited one. */
export function memberAt(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function textAt(object: JsonObject, key: string): string | undefined {
  const value = memberAt(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
