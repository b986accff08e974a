import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { CONTROLLERS } from '../../src/api/controllers.js';
import { buildOpenApi } from '../../src/api/docs/build-openapi.js';

interface Media {
  schema?: object;
  example?: unknown;
  examples?: object;
}
interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: string; description: string; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

const document = buildOpenApi(CONTROLLERS, '0.0.0');
const operations = Object.entries(
  document['paths'] as unknown as Record<string, Record<string, OpenApiOperation>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
);

describe('the OpenAPI document', () => {
  it('gives every operation an id of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(5);
  });

  it.each(operations)('describes $name with an example and its errors', ({ path, operation }) => {
    expect(operation.summary.length).toBeGreaterThan(3);
    expect(operation.description.length).toBeGreaterThan(20);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath);
    for (const parameter of operation.parameters) expect(parameter.description).not.toBe('');
    for (const media of Object.values(operation.requestBody?.content ?? {})) expect(media.example).toBeDefined();
    const statuses = Object.keys(operation.responses);
    expect(statuses).toEqual(expect.arrayContaining(['400', '500', '503']));
    for (const { description, content } of Object.values(operation.responses)) {
      expect(description).not.toBe('');
      for (const media of Object.values(content ?? {})) expect(media.example ?? media.examples).toBeDefined();
    }
  });

  it('refers only to what it holds', () => {
    const { schemas } = document['components'] as { schemas: object };
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, name = ''] of references) expect(Object.keys(schemas)).toContain(name);
  });
});
