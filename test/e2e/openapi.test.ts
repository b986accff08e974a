import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { CONTROLLERS } from '../../src/api/rest/controllers.js';
import { buildOpenApi } from '../../src/api/docs/build-openapi.js';
import { inOpenApi30 } from '../../src/api/docs/openapi-30.js';
import { openapiYaml } from '../../src/api/docs/openapi-yaml.js';
import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { parse } from 'yaml';

interface Media {
  schema?: object;
  example?: unknown;
  examples?: object;
}
interface Parameter {
  name: string;
  in: string;
  description: string;
  required: boolean;
  schema: { default?: unknown; contentMediaType?: string };
  example?: unknown;
}
interface Reference {
  $ref: string;
}
interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  parameters: Reference[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> } | Reference>;
}

const document = buildOpenApi(CONTROLLERS, '0.0.0');

/** What a reference within the document leads to. */
function resolved<Found>(found: Found | Reference): Found {
  if (typeof found !== 'object' || found === null || !('$ref' in found)) return found;
  return found.$ref
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (at as Record<string, unknown>)[key], document) as Found;
}
const operations = Object.entries(
  document['paths'] as unknown as Record<string, Record<string, OpenApiOperation>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
);

describe('the OpenAPI document', () => {
  it('gives every operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it.each(operations)('describes $name with an example and its errors', ({ path, operation }) => {
    expect(operation.summary.length).toBeGreaterThan(3);
    expect(operation.description.length).toBeGreaterThan(20);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = operation.parameters.map((one) => resolved<Parameter>(one));
    expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath);
    for (const parameter of parameters) {
      expect(parameter.description).not.toBe('');
      if (parameter.required) expect(parameter.schema).not.toHaveProperty('default');
      if (parameter.name === 'scenario') {
        expect(parameter.schema).toMatchObject({ type: 'string', contentMediaType: 'application/json' });
      }
    }
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
      expect(media.schema).not.toEqual({});
      if (type !== 'application/yaml') expect(media.example).toBeDefined();
    }
    const statuses = Object.keys(operation.responses);
    expect(statuses).toEqual(expect.arrayContaining(['default']));
    for (const response of Object.values(operation.responses)) {
      const { description, content } = resolved<{ description: string; content?: Record<string, Media> }>(response);
      expect(description).not.toBe('');
      for (const media of Object.values(content ?? {})) {
        expect(media.schema).not.toEqual({});
        expect(media.example ?? media.examples).toBeDefined();
      }
    }
  });

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, $ref = '']) => $ref);
    expect(references.length).toBeGreaterThan(0);
    for (const $ref of references)
      expect({ $ref, found: resolved({ $ref }) !== undefined }).toEqual({ $ref, found: true });
  });

  it('describes every schema and the members of every object, and gives required members no default', () => {
    const { schemas } = document['components'] as { schemas: Record<string, Record<string, unknown>> };
    for (const [name, schema] of Object.entries(schemas)) {
      expect({ name, isDescribed: typeof schema['description'] === 'string' && schema['description'] !== '' }).toEqual({
        name,
        isDescribed: true,
      });
      expect(name).not.toMatch(/RequestRequest$/);
      for (const property of Object.values(schema['properties'] ?? {}) as object[]) {
        expect({ name, ...property }).not.toHaveProperty('default');
      }
    }
  });

  it('states an error that operations share once', () => {
    const { responses } = document['components'] as { responses: Record<string, object> };
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['Error', 'ErrorOfBody', 'ErrorOfWrite', 'ErrorWithoutCaller', 'NotModified']),
    );
    const inlined = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status, response]) => Number(status) >= 400 && !('$ref' in response))
        .map(([status]) => `${status} ${name}`),
    );
    expect(inlined).toEqual(['503 get /readyz']);
  });

  it('is read correctly by YAML 1.1 parsers', () => {
    const text = openapiYaml(document);
    expect(parse(text, { version: '1.1', schema: 'yaml-1.1' })).toEqual(JSON.parse(JSON.stringify(document)));
    // What is said once does not grow with the number of operations: with 89 of them, each took 7,855 bytes.
    expect(text.length / operations.length).toBeLessThan(7_500);
  });
});

describe('as OpenAPI 3.0, the document', () => {
  const in30 = inOpenApi30(document);

  /** Keywords of schemas that OpenAPI 3.0 lacks, or that have another form there. */
  function strangersIn(value: JsonValue, at = ''): string[] {
    if (typeof value !== 'object' || value === null) return [];
    const object = value as JsonObject;
    const own = [
      ...('$ref' in object && Object.keys(object).length > 1 ? ['$ref with others'] : []),
      ...('type' in object && object['type'] === 'null' ? ['the type null'] : []),
      ...(Array.isArray(object['type']) && object['type'].every((type) => typeof type === 'string') ? ['types'] : []),
      ...('contentSchema' in object || 'contentMediaType' in object ? ['content'] : []),
      ...(Array.isArray(object['examples']) ? ['examples'] : []),
    ];
    const inner = Object.entries(object).filter(([key]) => !['example', 'examples', 'enum'].includes(key));
    return [
      ...own.map((keyword) => `${at}: ${keyword}`),
      ...inner.flatMap(([key, one]) => strangersIn(one, `${at}/${key}`)),
    ];
  }

  it('has no keyword of JSON Schema that 3.0 lacks', () => {
    expect(strangersIn(document).length).toBeGreaterThan(100);
    expect(strangersIn(in30)).toEqual([]);
    expect(in30).toMatchObject({ openapi: '3.0.3', info: { license: { name: 'Apache-2.0' } } });
  });

  it('has the same types', async () => {
    const typesOf = async (one: JsonObject): Promise<string> => {
      const types = astToString(await openapiTypes(structuredClone(one) as unknown as OpenAPI3));
      return types.replaceAll(/\/\*\*[^]*?\*\/\s*/g, '');
    };
    const [types, types30] = await Promise.all([typesOf(document), typesOf(in30)]);
    // Unions of which generators for Go make no type.
    const expected = types
      .replace(/(GivenAmounts: \{\s*\[key: string\]: )string \| number/, '$1unknown')
      .replace(/LabelEdits: string\[\] \| \{[^}]*\}/, 'LabelEdits: unknown');
    expect(types30.split('\n')).toEqual(expected.split('\n'));
  });
});
