import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { ITEM_SCHEMA } from './stream-schemas.js';

/**
 * The document as OpenAPI 3.0, for generators that do not read 3.1. Its schemas have `nullable` instead of the type null, and
 * one `example`; a reference has nothing beside it; the license has no identifier.
 */
export function inOpenApi30({ info, components, ...document }: JsonObject): JsonObject {
  const { license, ...about } = info as JsonObject;
  const { schemas, ...others } = components as JsonObject;
  return {
    ...(inside(document) as JsonObject),
    openapi: '3.0.3',
    info: { ...about, license: { name: (license as JsonObject)['name']! } },
    components: { ...(inside(others) as JsonObject), schemas: each(schemas as JsonObject, schemaOf) },
  };
}

const each = (object: JsonObject, convert: (value: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, convert(value as JsonObject)]));

/** What is no schema, but may contain some. */
function inside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key === 'schema' || key === ITEM_SCHEMA) return [key, schemaOf(member as JsonObject)];
      return [key, key === 'example' || key === 'examples' ? member : inside(member)];
    }),
  );
}

/** What describes text that is JSON. */
const NOT_IN_30 = ['contentMediaType', 'contentSchema'];

function schemaOf(schema: JsonObject): JsonObject {
  const { $ref: reference, type, anyOf, oneOf, examples, properties, items, additionalProperties, ...others } = schema;
  if (reference !== undefined) return { $ref: reference };
  const rest = Object.entries(others).filter(([keyword]) => !NOT_IN_30.includes(keyword));
  const types = [type ?? []].flat();
  const forms = (anyOf ?? []) as JsonObject[];
  const isNull = (form: JsonObject): boolean => form['type'] === 'null';
  const named = types.filter((one) => one !== 'null');
  return {
    ...Object.fromEntries(rest),
    ...(named.length === 1 && { type: named[0]! }),
    ...formsOf(forms.filter((form) => !isNull(form)).map(schemaOf)),
    ...(oneOf !== undefined && { oneOf: (oneOf as JsonObject[]).map(schemaOf) }),
    ...(properties !== undefined && { properties: each(properties as JsonObject, schemaOf) }),
    ...(items !== undefined && { items: schemaOf(items as JsonObject) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? schemaOf(additionalProperties as JsonObject) : additionalProperties,
    }),
    ...((types.includes('null') || forms.some(isNull)) && { nullable: true }),
    ...(Array.isArray(examples) && { example: examples[0]! }),
  };
}

/** The forms of a value. Go clients name the members of a union after its types; `[]string` is no name, so a union with lists or maps is any value. */
function formsOf(forms: readonly JsonObject[]): JsonObject {
  if (forms.length < 2) return forms.length === 0 ? {} : { allOf: [...forms] };
  const areNamed = forms.every(
    ({ type, additionalProperties }) => type !== 'array' && typeof additionalProperties !== 'object',
  );
  return areNamed ? { anyOf: [...forms] } : {};
}
