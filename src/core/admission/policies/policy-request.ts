import { CelMap, fromJson, LazyMap, UnknownValue, type Value } from '../../cel/values.js';
import { CelUnsupported } from '../../cel/errors.js';
import type { JsonObject, JsonValue } from '../../json/json-value.js';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A request on its way into storage, as policies see it. */
export interface PolicyRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Empty for a request about the object itself. */
  readonly subresource: string;
  /** Empty where the API server makes the name; undefined where it is not known. */
  readonly name: string | undefined;
  readonly namespace: string;
  /** As it would be stored, in the version of the request. */
  readonly object: JsonObject;
  /** The stored one; null on create. */
  readonly oldObject: JsonObject | null;
  /** Who asks; undefined where that is not known. */
  readonly user: PolicyUser | undefined;
  readonly isDryRun: boolean;
  /** Paths of fields that the objects have and that are not known, such as `['metadata', 'uid']`. */
  readonly unknownFields: readonly (readonly string[])[];
  /** Texts that stand for ones that the API server draws, such as the name of a volume. */
  readonly drawnTexts?: ReadonlySet<string>;
}

export interface PolicyUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The variable `request`: an AdmissionRequest without its objects.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/cel/condition.go, `CreateAdmissionRequest`.
 */
export function requestVariable(request: PolicyRequest): Value {
  const { kind, resource, subresource, name, namespace, operation, user } = request;
  const members: [string, () => Value][] = [
    ['kind', () => fromJson({ ...kind })],
    ['resource', () => fromJson({ ...resource })],
    ['requestKind', () => fromJson({ ...kind })],
    ['requestResource', () => fromJson({ ...resource })],
    ['operation', () => operation],
    ['userInfo', () => userVariable(user)],
    ['dryRun', () => request.isDryRun],
    ['options', () => unknown('request.options')],
  ];
  // Texts that are empty are left out.
  if (subresource !== '') members.push(['subResource', () => subresource], ['requestSubResource', () => subresource]);
  if (name === undefined) members.push(['name', () => unknown('request.name')]);
  else if (name !== '') members.push(['name', () => name]);
  if (namespace !== '') members.push(['namespace', () => namespace]);
  return new LazyMap('map', new Map(members));
}

/** The variable `object` or `oldObject`. */
export function objectVariable(object: JsonObject | null, { unknownFields, drawnTexts }: PolicyRequest): Value {
  const value = fromJson(object, drawnTexts);
  return value instanceof CelMap ? withUnknown(value, unknownFields) : value;
}

/** An object with fields that it has and that are not known. */
export const withUnknown = (value: CelMap, paths: readonly (readonly string[])[]): CelMap =>
  paths.reduce((object, path) => withUnknownAt(object, path, path.join('.')), value);

function withUnknownAt(value: CelMap, [name = '', ...rest]: readonly string[], what: string): CelMap {
  if (rest.length === 0) return value.with(name, new UnknownValue(what));
  const member = value.all().find(([key]) => key === name)?.[1] ?? new CelMap();
  return member instanceof CelMap ? value.with(name, withUnknownAt(member, rest, what)) : value;
}

function userVariable(user: PolicyUser | undefined): Value {
  if (user === undefined) return unknown('request.userInfo');
  const { username, uid = '', groups = [], extra = {} } = user;
  const entries = Object.entries(extra).map(([key, values]): [string, JsonValue] => [key, [...values]]);
  return fromJson({
    ...(username !== '' && { username }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(entries.length > 0 && { extra: Object.fromEntries(entries) }),
  });
}

function unknown(what: string): never {
  throw new CelUnsupported(what);
}
