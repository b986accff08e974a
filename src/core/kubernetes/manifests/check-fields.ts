import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { decodeObject } from '../decode.js';
import { quoteGo } from '../go-text.js';
import { kindOf } from '../kinds.js';
import { newerVersionOf, type ManifestServer } from '../cluster-version.js';
import { NEWEST_MINOR, OLDEST_MINOR } from '../kubernetes-rules.js';
import { KIND_SCHEMAS } from '../schema/kind-schemas.js';
import { isKnownIn, type Schema, type SchemaField, type SchemaShape } from '../schema/schema.js';
import { shapeOf } from '../schema/served-shapes.js';
import type { ManifestDocument, RepeatedMembers } from './manifest-document.js';
import type { ManifestObject } from './manifest-object.js';
import { kindScope } from './served-kinds.js';

/**
 * What the API server does about fields that it does not know, and about fields that are there twice (`fieldValidation`,
 * metav1.CreateOptions): it refuses the object, warns, or says nothing. Its own default is `Warn`, that of kubectl `Strict`.
 */
export const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;
export type FieldValidation = (typeof FIELD_VALIDATIONS)[number];

/** A fault that the API server finds in the fields of an object, in its words. */
interface FieldFault {
  /** Whether Kubernetes does not have the field, or the object has it twice. */
  readonly kind: 'unknown' | 'duplicate';
  readonly text: string;
  /** The minor versions of Kubernetes whose API server finds it; all if absent. */
  readonly minors?: readonly number[];
}

/**
 * What is found in the fields of an object when it is read, before the version of the API server is known: plain JSON, since it is recorded
 * with a question, and no longer depends on the text.
 */
export interface FieldFindings {
  /** Unknown and duplicate fields, in the order of the text. */
  readonly faults: readonly FieldFault[];
  /** Keys that YAML has twice. */
  readonly keys: readonly string[];
  /** A field that stands twice with values that the API server would merge, which is not computed. */
  readonly merged?: string;
}

export interface FieldCheck {
  /** The texts of the API server's `Warning` headers: `unknown field "spec.foo"`. */
  readonly warnings: readonly string[];
  /** The API server's answer, a `BadRequest`: nothing is created. */
  readonly refusal?: { readonly status: 400; readonly message: string };
  /** Why unknown fields could not be found, as a sentence without its full stop. */
  readonly unchecked?: string;
  /**
   * The fields that no known version has, if the API server is newer than these, as a sentence without its full stop: it may have them, so they are
   * neither refused nor warned of.
   */
  readonly doubt?: string;
  /** As in the findings, where the API server merges them: with `Strict` it refuses them. */
  readonly merged?: string;
}

/** Upstream reports at most this many fields (`saveStrictError`). */
const MOST_REPORTED = 100;
const NOTHING: FieldCheck = { warnings: [] };

/**
 * Finds the fields of an object that the API server of each known version would report.
 *
 * Source: k8s.io/apimachinery v0.36.2 (pkg/runtime/serializer/json, `unmarshal`) and sigs.k8s.io/json; the fields are those of k8s.io/api
 * v0.31 to v0.36.
 *
 * @param document the document that the object comes from; fields that are there twice are only known from it
 */
export function findFields(object: ManifestObject, document: ManifestDocument | undefined): FieldFindings {
  const { apiVersion, kind, value } = object;
  const shape = shapeOf(apiVersion, kind);
  const merged = mergedMember(value, document?.repeated);
  return {
    faults:
      shape === undefined
        ? []
        : strictFaults(value, shape, { sorted: document?.format === 'yaml', repeated: document?.repeated }),
    keys: repeatedKeysOf(object, document),
    ...(merged !== undefined && { merged }),
  };
}

/**
 * Checks the fields of an object as the API server of a version would when it is created. An object that cannot be decoded has no unknown
 * fields: the API server then reports the first field of a wrong type instead.
 *
 * Source: k8s.io/apiserver v0.36.2 (pkg/endpoints/handlers, `fieldValidation`, `addStrictDecodingWarnings`, `transformDecodeError`).
 *
 * @param findings of the object, or of what it was before it was changed
 * @param server the API server that gets the object
 */
export function checkFields(
  { apiVersion, kind, value }: Pick<ManifestObject, 'apiVersion' | 'kind' | 'value'>,
  { faults, keys, merged }: FieldFindings,
  fieldValidation: FieldValidation,
  server: ManifestServer,
): FieldCheck {
  const { minor } = server.rules;
  const found = faults.filter(({ minors }) => minors?.includes(minor) !== false);
  const newer = newerVersionOf(server);
  const unsure = newer === undefined ? [] : found.filter((fault) => fault.kind === 'unknown');
  const besides = {
    ...(merged !== undefined && fieldValidation !== 'Strict' && { merged }),
    ...(unsure.length > 0 && { doubt: whetherNewerHas(unsure, minor, newer!) }),
  };
  if (fieldValidation === 'Ignore') return { ...NOTHING, ...besides };
  const shape = shapeOf(apiVersion, kind);
  const fields = found
    .filter((fault) => !unsure.includes(fault))
    .slice(0, MOST_REPORTED)
    .map(({ text }) => text);
  const isChecked = shape !== undefined || hasKnownFieldsOnly(apiVersion, kind, value);
  const unchecked = isChecked ? {} : { unchecked: whyUnchecked(apiVersion, kind) };
  if (keys.length === 0 && fields.length === 0) return { ...NOTHING, ...unchecked, ...besides };
  if (shape !== undefined && decodeObject(value, { unbounded: true, minor }).outcome === 'invalid')
    return { ...NOTHING, ...besides };
  if (fieldValidation === 'Warn') return { warnings: [...keys, ...fields], ...unchecked, ...besides };
  const yaml = keys.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${keys.join('\n  ')}`];
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const message = `${kind} in version ${quoteGo(version)} cannot be handled as a ${kind}: strict decoding error: ${[...yaml, ...fields].join(', ')}`;
  return { warnings: [], refusal: { status: 400, message }, ...unchecked, ...besides };
}

function whetherNewerHas(fields: readonly FieldFault[], minor: number, version: string): string {
  const texts = fields.slice(0, MOST_REPORTED).map(({ text }) => text);
  const them = texts.length === 1 ? 'it' : 'them';
  return `${texts.join(', ')} in 1.${minor}; whether Kubernetes ${version} has ${them} is not known`;
}

/** The findings of a changed object: of those of the former one, what only its text told still holds. */
export function findingsOfChanged(
  changed: ManifestObject,
  former: ManifestObject,
  ofFormer: FieldFindings,
): FieldFindings {
  const inValue = new Set(findFields(former, undefined).faults.map(({ text }) => text));
  const ofText = ofFormer.faults.filter(({ text }) => !inValue.has(text));
  const { faults } = findFields(changed, undefined);
  return { ...ofFormer, faults: [...faults, ...ofText] };
}

/** Of a PodGroup of the coscheduling plugin, whose other fields may be those of another version of its API. */
function hasKnownFieldsOnly(apiVersion: string, kind: string, value: JsonObject): boolean {
  if (kindOf(apiVersion, kind)?.kind !== 'CoschedulingPodGroup') return false;
  const { shape } = KIND_SCHEMAS.CoschedulingPodGroup;
  return strictFaults(value, shape, { sorted: false, repeated: undefined }).length === 0;
}

function whyUnchecked(apiVersion: string, kind: string): string {
  const { info } = kindScope(apiVersion, kind);
  return info === undefined
    ? `the fields of ${kind} in ${apiVersion} are not known, so none of them was checked`
    : `only the fields of ${kind} in ${info.apiVersions[0]} are known, so none in ${apiVersion} was checked`;
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
}

const MINORS = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => OLDEST_MINOR + index);

/**
 * The unknown and duplicate fields, in the order and words of `UnmarshalStrict` of sigs.k8s.io/json, each once: for each version the first
 * 100. What is below a field that a version does not know, it does not look at.
 */
function strictFaults(value: JsonValue, shape: SchemaShape, walk: Walk): readonly FieldFault[] {
  if ((walk.repeated?.size ?? 0) === 0 && hasCommonFields(value, shape)) return [];
  const faults = new Map<string, { readonly kind: FieldFault['kind']; readonly minors: Set<number> }>();
  const counts = new Map(MINORS.map((minor) => [minor, 0]));
  const report = (kind: FieldFault['kind'], at: string, minors: readonly number[]): void => {
    const text = `${kind} field ${quoteGo(at)}`;
    for (const minor of minors) {
      const count = counts.get(minor)!;
      const of = faults.get(text)?.minors;
      if (count >= MOST_REPORTED || of?.has(minor) === true) continue;
      if (of === undefined) faults.set(text, { kind, minors: new Set([minor]) });
      else of.add(minor);
      counts.set(minor, count + 1);
    }
  };
  const visit = (inner: JsonValue, of: SchemaShape, path: string, minors: readonly number[]): void => {
    if (inner === null || typeof inner !== 'object') return;
    switch (of.type) {
      case 'refined':
        visit(inner, of.inner.shape, path, minors);
        return;
      case 'list':
        if (Array.isArray(inner))
          for (const [index, item] of inner.entries()) visit(item, of.items.shape, `${path}[${index}]`, minors);
        return;
      case 'object':
        if (isJsonObject(inner)) visitMembers(inner, path, minors, (key) => of.fields.get(key));
        return;
      case 'map':
        if (isJsonObject(inner)) visitMembers(inner, path, minors, () => ({ schema: of.values }));
        return;
      case 'string-map':
        if (isJsonObject(inner)) visitMembers(inner, path, minors, () => ({}));
    }
  };
  const visitMembers = (
    object: JsonObject,
    path: string,
    minors: readonly number[],
    fieldOf: (key: string) => Partial<SchemaField> | undefined,
  ): void => {
    const left = minors.filter((minor) => counts.get(minor)! < MOST_REPORTED);
    if (left.length === 0) return;
    const seen = new Set<string>();
    for (const [key, inner] of membersOf(object, walk)) {
      const at = path === '' ? key : `${path}.${key}`;
      const field = fieldOf(key);
      const { schema } = field ?? {};
      const knowing =
        field === undefined ? [] : schema === undefined ? left : left.filter((minor) => isKnownIn(minor, schema));
      if (knowing.length < left.length) {
        report(
          'unknown',
          at,
          left.filter((minor) => !knowing.includes(minor)),
        );
      }
      if (seen.has(key)) report('duplicate', at, knowing);
      seen.add(key);
      if (schema !== undefined && knowing.length > 0) visit(inner, schema.shape, at, knowing);
    }
  };
  visit(value, shape, '', MINORS);
  return [...faults].map(([text, { kind, minors }]) =>
    minors.size === MINORS.length ? { kind, text } : { kind, text, minors: [...minors].sort() },
  );
}

/** Whether a value has only fields that every known version has: most do, and then no path has to be written to say so. */
function hasCommonFields(value: JsonValue, shape: SchemaShape): boolean {
  if (value === null || typeof value !== 'object') return true;
  switch (shape.type) {
    case 'refined':
      return hasCommonFields(value, shape.inner.shape);
    case 'list':
      if (!Array.isArray(value)) return true;
      for (const item of value) if (!hasCommonFields(item, shape.items.shape)) return false;
      return true;
    case 'object':
      if (!isJsonObject(value)) return true;
      for (const key of Object.keys(value)) {
        const schema = shape.fields.get(key)?.schema;
        if (schema === undefined || !isKnownInAll(schema) || !hasCommonFields(value[key]!, schema.shape)) return false;
      }
      return true;
    case 'map':
      if (!isJsonObject(value)) return true;
      for (const key of Object.keys(value)) {
        if (!isKnownInAll(shape.values) || !hasCommonFields(value[key]!, shape.values.shape)) return false;
      }
      return true;
    default:
      return true;
  }
}

const isKnownInAll = ({ since = 0, before = Infinity }: Schema<unknown>): boolean =>
  since <= OLDEST_MINOR && NEWEST_MINOR < before;

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
