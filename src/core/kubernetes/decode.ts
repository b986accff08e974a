import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { required, typeInvalid, type FieldError } from './field-error.js';
import { FieldPath } from './field-path.js';
import { kindOf, type KindInfo } from './kinds.js';
import { NEWEST_MINOR } from './kubernetes-rules.js';
import { objectTooLarge } from './object-limits.js';
import type { KubernetesObject } from './objects/meta.js';
import type { NodeMeta } from './objects/node.js';
import { Decoding, jsonType, type UnknownField } from './schema/decoding.js';
import { KIND_SCHEMAS } from './schema/kind-schemas.js';
import { toNewestVersion } from './schema/older-versions.js';
import { readTaintOwnership } from './schema/taint-ownership.js';

export interface DecodeOptions {
  /** Treats unknown fields as errors, like `kubectl --validate=strict`; otherwise they are counted. */
  readonly strict?: boolean;
  /**
   * Keeps the fields, too, that are known but not kept, for validation of a complete manifest; such an object is never
   * stored.
   */
  readonly whole?: boolean;
  /**
   * The minor version of the API server that gets the object as a manifest: fields that it does not have are unknown to it, and dropped. By
   * default the fields of all versions are known, as in objects that an API server returned; with `strict`, those of the newest version.
   */
  readonly minor?: number;
  /** Accepts objects of any size, for callers that limit the size of the input themselves. */
  readonly unbounded?: boolean;
  /** The version and the kind of an object without them, such as an item of a `PodList`. */
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** The result of decoding a JSON value as a Kubernetes object. */
export type Decoded =
  | {
      readonly outcome: 'object';
      readonly object: KubernetesObject;
      readonly info: KindInfo;
      /** The number of known fields that were dropped; a subtree counts as one. */
      readonly droppedFields: number;
      /** The number of fields that Kubernetes does not know, and the paths of the first of them. */
      readonly unknownFieldCount: number;
      readonly unknownFields: readonly string[];
      /** The same fields, with those that Kubernetes knows in their places. */
      readonly unknown: readonly UnknownField[];
    }
  | { readonly outcome: 'ignored'; readonly apiVersion: string; readonly kind: string }
  | {
      readonly outcome: 'invalid';
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
      /** All wrong fields. */
      readonly errors: readonly FieldError[];
      /** The decodable part, without the wrong fields; absent if not even the name could be decoded. */
      readonly salvage?: KubernetesObject;
      readonly info?: KindInfo;
      /** As of an object that could be decoded; absent where decoding did not get so far. */
      readonly unknown?: readonly UnknownField[];
    };

/**
 * Decodes a JSON value as a Kubernetes object, as strictly as the API server (sigs.k8s.io/json, and the types of
 * k8s.io/api v0.36.2): field names are case-sensitive, null means absent, a value of another JSON type is an error,
 * integers are exact, and a quantity may be a number.
 *
 * The result shares nothing with the input. Values with the right type that are not allowed, such as an invalid label,
 * are left to validation (`validateStoredObject`).
 */
export function decodeObject(value: JsonValue, options: DecodeOptions = {}): Decoded {
  if (!isJsonObject(value)) return { outcome: 'invalid', errors: [notAnObject(value)] };
  const large = options.unbounded === true ? [] : objectTooLarge(value);
  if (large.length > 0) {
    const kind = Object.hasOwn(value, 'kind') ? value['kind'] : options.kind;
    return { outcome: 'invalid', ...(typeof kind === 'string' && { kind }), ...identity(value), errors: large };
  }
  const typeErrors: FieldError[] = [];
  const apiVersion = typeField(value, 'apiVersion', options.apiVersion, typeErrors);
  const kind = typeField(value, 'kind', options.kind, typeErrors);
  if (apiVersion === undefined || kind === undefined) {
    return { outcome: 'invalid', ...(kind !== undefined && { kind }), ...identity(value), errors: typeErrors };
  }
  const info = kindOf(apiVersion, kind);
  if (info === undefined) return { outcome: 'ignored', apiVersion, kind };

  const { strict = false, whole = false } = options;
  const isNewest = apiVersion === info.apiVersions[0];
  const { minor = strict && isNewest ? NEWEST_MINOR : undefined } = options;
  const decoding = new Decoding(strict, whole, minor);
  const newest = isNewest ? value : toNewestVersion(apiVersion, kind, value);
  const decoded = KIND_SCHEMAS[info.kind].decode(newest, decoding, true);
  const object = decoded === undefined ? undefined : finished(decoded, info, newest, decoding.whole);
  if (decoding.errors.length > 0 || object === undefined) {
    const salvage = object !== undefined && object.metadata.name !== '' ? { salvage: object } : {};
    return {
      outcome: 'invalid',
      kind,
      ...identity(value),
      errors: decoding.errors,
      ...salvage,
      info,
      unknown: decoding.unknown,
    };
  }
  const { droppedFields, unknownFieldCount, unknown } = decoding;
  const unknownFields = unknown.map(({ field }) => field);
  return { outcome: 'object', object, info, droppedFields, unknownFieldCount, unknownFields, unknown };
}

function typeField(
  value: JsonObject,
  name: 'apiVersion' | 'kind',
  byDefault: string | undefined,
  errors: FieldError[],
): string | undefined {
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  if (found === undefined || found === null || found === '') {
    if (byDefault === undefined) errors.push(required(FieldPath.of(name)));
    return byDefault;
  }
  if (typeof found === 'string') return found;
  const type = jsonType(found);
  errors.push(typeInvalid(FieldPath.of(name), type, `must be of type string: "${type}"`));
  return undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The decoded object in its newest version; a namespaced kind gets a namespace, and other kinds lose theirs. */
function finished(
  decoded: Mutable<KubernetesObject>,
  info: KindInfo,
  value: JsonObject,
  whole: boolean,
): KubernetesObject {
  const metadata: Mutable<KubernetesObject['metadata'] & NodeMeta> = decoded.metadata;
  decoded.apiVersion = info.apiVersions[0];
  if (!info.namespaced) delete metadata.namespace;
  else if (metadata.namespace === undefined || metadata.namespace === '') metadata.namespace = 'default';
  const ownership =
    (info.kind === 'Node' || info.kind === 'DeviceTaintRule') && !whole ? readTaintOwnership(value) : undefined;
  if (ownership !== undefined) metadata.taintOwnership = ownership;
  return decoded;
}

/** The name and namespace of an object that could not be decoded. */
function identity(value: JsonObject): { name?: string; namespace?: string } {
  const metadata = value['metadata'];
  if (!isJsonObject(metadata)) return {};
  const { name, namespace } = metadata;
  return { ...(typeof name === 'string' && { name }), ...(typeof namespace === 'string' && { namespace }) };
}

function notAnObject(value: JsonValue): FieldError {
  const type = jsonType(value);
  const message = `Invalid value: "${type}": must be of type object: "${type}"`;
  return { type: 'FieldValueTypeInvalid', field: '', pointer: '', message };
}
