import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { templatePath } from '../../kubernetes/pod-template.js';

/** An own member; null and absent are the same to the API server. */
export function memberOf(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
}

/** A copy in which a member has another value; undefined takes it out. */
export function withMember(value: JsonObject, name: string, member: JsonValue | undefined): JsonObject {
  const entries = Object.entries(value).filter(([other]) => other !== name || member !== undefined);
  const has = entries.some(([other]) => other === name);
  const changed = entries.map(([other, before]): [string, JsonValue] => [other, other === name ? member! : before]);
  return Object.fromEntries(has || member === undefined ? changed : [...changed, [name, member]]);
}

/** The value at a path; undefined if something on the way is no object. */
export function valueAt(value: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const name of path) {
    if (!isJsonObject(at)) return undefined;
    at = memberOf(at, name);
  }
  return at;
}

/** A copy with another value at a path; objects on the way that are missing are made. */
export function editedAt(
  value: JsonObject,
  path: readonly string[],
  edit: (before: JsonValue | undefined) => JsonValue | undefined,
): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const before = memberOf(value, name);
  if (rest.length === 0) return withMember(value, name, edit(before));
  return withMember(value, name, editedAt(isJsonObject(before) ? before : {}, rest, edit));
}

/** The pod of a manifest, or its template: an object with a `spec`. */
export function podPartOf(value: JsonObject, kind: string): JsonObject | undefined {
  const part = valueAt(value, templatePath({ kind }));
  return isJsonObject(part) && isJsonObject(memberOf(part, 'spec')) ? part : undefined;
}

/** A manifest with another pod or template. */
export function withPodPart(value: JsonObject, kind: string, edit: (part: JsonObject) => JsonObject): JsonObject {
  const part = podPartOf(value, kind);
  if (part === undefined) return value;
  const path = templatePath({ kind });
  return path.length === 0 ? edit(value) : editedAt(value, path, () => edit(part));
}
