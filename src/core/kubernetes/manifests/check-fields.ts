import type { JsonObject, JsonValue } from '../../json/json-value.js';
import { decodeObject } from '../decode.js';
import { quoteGo } from '../go-text.js';
import { kindOf } from '../kinds.js';
import { isJsonObject } from '../schema/containers.js';
import { KIND_SCHEMAS } from '../schema/kind-schemas.js';
import type { SchemaField, SchemaShape } from '../schema/schema.js';
import type { ManifestDocument, RepeatedMembers } from './manifest-document.js';
import type { ManifestObject } from './manifest-object.js';
import { servedKind } from './served-kinds.js';

/**
 * What the API server does about fields that it does not know, and about fields that are there twice (`fieldValidation`,
 * metav1.CreateOptions): it refuses the object, warns, or says nothing. Its own default is `Warn`, that of kubectl `Strict`.
 */
export const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;
export type FieldValidation = (typeof FIELD_VALIDATIONS)[number];

export interface FieldCheck {
  /** The texts of the API server's `Warning` headers: `unknown field "spec.foo"`. */
  readonly warnings: readonly string[];
  /** The API server's answer, a `BadRequest`: nothing is created. */
  readonly refusal?: { readonly status: 400; readonly message: string };
  /** Why unknown fields could not be found, as a sentence without its full stop. */
  readonly unchecked?: string;
  /** A field that stands twice with values that the API server would merge, which is not computed. */
  readonly merged?: string;
}

/** Upstream reports at most this many fields (`saveStrictError`). */
const MOST_REPORTED = 100;
const NOTHING: FieldCheck = { warnings: [] };

/**
 * Checks the fields of an object as the API server would when it is created. An object that cannot be decoded has no unknown
 * fields: the API server then reports the first field of a wrong type instead.
 *
 * Source: k8s.io/apiserver v0.36.2 (pkg/endpoints/handlers, `fieldValidation`, `addStrictDecodingWarnings`,
 * `transformDecodeError`), k8s.io/apimachinery v0.36.2 (pkg/runtime/serializer/json, `unmarshal`) and sigs.k8s.io/json.
 *
 * @param document the document that the object comes from; fields that are there twice are only known from it
 * @param minor the minor version of the API server; without it, a field that only one version has is known
 */
export function checkFields(
  object: ManifestObject,
  document: ManifestDocument | undefined,
  fieldValidation: FieldValidation,
  minor?: number,
): FieldCheck {
  const { apiVersion, kind, value } = object;
  const merged = fieldValidation === 'Strict' ? undefined : mergedMember(value, document?.repeated);
  const alsoMerged = merged === undefined ? {} : { merged };
  if (fieldValidation === 'Ignore') return merged === undefined ? NOTHING : { ...NOTHING, ...alsoMerged };
  const keys = repeatedKeysOf(object, document);
  const { info, serving } = servedKind(apiVersion, kind);
  const isChecked = info !== undefined && serving === 'served';
  const fields = isChecked
    ? strictFaults(value, KIND_SCHEMAS[info.kind].shape, {
        sorted: document?.format === 'yaml',
        repeated: document?.repeated,
        minor,
      })
    : [];
  const unchecked =
    isChecked || isKnownGroup(object) ? {} : { unchecked: whyUnchecked(apiVersion, kind, info?.apiVersions[0]) };
  if (keys.length === 0 && fields.length === 0) return { ...NOTHING, ...unchecked, ...alsoMerged };
  if (isChecked && decodeObject(value, { unbounded: true }).outcome === 'invalid') return { ...NOTHING, ...alsoMerged };
  if (fieldValidation === 'Warn') return { warnings: [...keys, ...fields], ...unchecked, ...alsoMerged };
  const yaml = keys.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${keys.join('\n  ')}`];
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const message = `${kind} in version ${quoteGo(version)} cannot be handled as a ${kind}: strict decoding error: ${[...yaml, ...fields].join(', ')}`;
  return { warnings: [], refusal: { status: 400, message }, ...unchecked };
}

/** Whether all fields of a PodGroup are known. Others may be those of another version of its API. */
function isKnownGroup({ apiVersion, kind, value }: ManifestObject): boolean {
  const kept = kindOf(apiVersion, kind)?.kind;
  if (kept !== 'PodGroup' && kept !== 'CoschedulingPodGroup') return false;
  return (
    strictFaults(value, KIND_SCHEMAS[kept].shape, { sorted: false, repeated: undefined, minor: undefined }).length === 0
  );
}

function whyUnchecked(apiVersion: string, kind: string, newest: string | undefined): string {
  return newest === undefined
    ? `the fields of ${kind} in ${apiVersion} are not known, so none of them was checked`
    : `only the fields of ${kind} in ${newest} are known, so none in ${apiVersion} was checked`;
}

/** The keys that are there twice in the lines of an object, which may be an item of a List in YAML. */
function repeatedKeysOf({ source }: ManifestObject, document: ManifestDocument | undefined): readonly string[] {
  const keys = document?.repeatedKeys ?? [];
  if (keys.length === 0 || source.item === undefined || source.line === undefined)
    return keys.map(({ message }) => message);
  let end = Infinity;
  for (const line of document?.lines?.values() ?? []) if (line > source.line && line < end) end = line;
  const { line: start } = source;
  return keys.filter(({ line }) => line >= start && line < end).map(({ message }) => message);
}

interface Walk {
  /** YAML becomes JSON with sorted keys before it is decoded. */
  readonly sorted: boolean;
  readonly repeated: RepeatedMembers | undefined;
  readonly minor: number | undefined;
}

/** The unknown and duplicate fields, in the order and words of `UnmarshalStrict` of sigs.k8s.io/json: each once, the first 100. */
function strictFaults(value: JsonValue, shape: SchemaShape, walk: Walk): readonly string[] {
  const faults = new Set<string>();
  const visit = (inner: JsonValue, of: SchemaShape, path: string): void => {
    if (faults.size >= MOST_REPORTED || inner === null || typeof inner !== 'object') return;
    switch (of.type) {
      case 'refined':
        visit(inner, of.inner.shape, path);
        return;
      case 'list':
        if (Array.isArray(inner))
          for (const [index, item] of inner.entries()) visit(item, of.items.shape, `${path}[${index}]`);
        return;
      case 'object':
        if (isJsonObject(inner)) visitMembers(inner, path, (key) => of.fields.get(key));
        return;
      case 'map':
        if (isJsonObject(inner)) visitMembers(inner, path, () => ({ schema: of.values }));
        return;
      case 'string-map':
        if (isJsonObject(inner)) visitMembers(inner, path, () => ({}));
    }
  };
  const visitMembers = (
    object: JsonObject,
    path: string,
    fieldOf: (key: string) => Partial<SchemaField> | undefined,
  ): void => {
    const seen = new Set<string>();
    for (const [key, inner] of membersOf(object, walk)) {
      const at = path === '' ? key : `${path}.${key}`;
      const found = fieldOf(key);
      const { isFormer, onlyMinor = walk.minor } = found?.schema ?? {};
      const isGone = isFormer === true || (walk.minor !== undefined && onlyMinor !== walk.minor);
      const field = isGone ? undefined : found;
      if (field === undefined || seen.has(key)) {
        if (faults.size < MOST_REPORTED)
          faults.add(`${field === undefined ? 'unknown' : 'duplicate'} field ${quoteGo(at)}`);
      }
      seen.add(key);
      if (field?.schema !== undefined) visit(inner, field.schema.shape, at);
    }
  };
  visit(value, shape, '');
  return [...faults];
}

function membersOf(object: JsonObject, { sorted, repeated }: Walk): readonly (readonly [string, JsonValue])[] {
  const members = repeated?.get(object) ?? Object.entries(object);
  return sorted ? [...members].sort(([one], [other]) => compareBytes(one, other)) : members;
}

/** Go compares strings by their bytes in UTF-8, which is the order of their code points. */
function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a === b) continue;
    // A surrogate stands for a code point beyond all others.
    const [isHighA, isHighB] = [a >= 0xd800 && a <= 0xdfff, b >= 0xd800 && b <= 0xdfff];
    return isHighA === isHighB ? a - b : isHighA ? 1 : -1;
  }
  return one.length - other.length;
}

/**
 * A member that is there twice and of which both values count, since Go decodes the second into what the first has left. Of
 * scalars, the last counts.
 */
function mergedMember(value: JsonObject, repeated: RepeatedMembers | undefined): string | undefined {
  if (repeated === undefined || repeated.size === 0) return undefined;
  const find = (inner: JsonValue, path: string): string | undefined => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    if (Array.isArray(inner)) return first(inner.entries(), ([index, item]) => find(item, `${path}[${index}]`));
    const members = repeated.get(inner) ?? Object.entries(inner);
    const scalars = new Map<string, boolean>();
    return first(members, ([key, member]) => {
      const at = path === '' ? key : `${path}.${key}`;
      const isScalar = typeof member !== 'object';
      const before = scalars.get(key);
      scalars.set(key, isScalar && before !== false);
      return before !== undefined && !(before && isScalar) ? at : find(member, at);
    });
  };
  return find(value, '');
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
