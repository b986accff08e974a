import { describe, expect, it } from '@jest/globals';
import {
  documentedResponses,
  type DocumentedParameter,
  type MediaType,
  piecesOf,
} from '../support/documented-responses.js';

const documented = documentedResponses();
const { paths, components } = documented.document;
const operations = Object.values(paths).flatMap((item) => Object.values(item));

/** Why the examples of a body do not fit its schema. */
function faultsOfMedia(media: MediaType, mediaType: string): string[] {
  const examples = Object.values(media.examples ?? {}).map(
    (example) => documented.resolved<{ value: unknown }>(example as { value: unknown })?.value,
  );
  if (media.example !== undefined) examples.push(media.example);
  return examples.flatMap((example) => {
    const faults = documented.differences(media.schema, example);
    const item = media['x-item-schema'];
    if (item === undefined) return faults;
    const { pieces, rest } = piecesOf(example as string, mediaType);
    if (pieces.length === 0 || rest !== '') faults.push('is no whole stream');
    return [...faults, ...pieces.flatMap((piece) => documented.differences(item, piece))];
  });
}

/** In a query, JSON is text. */
function faultsOfParameter({ schema, example }: DocumentedParameter): string[] {
  if (example === undefined) return [];
  const faults = documented.differences(schema, example);
  if (schema.contentSchema === undefined) return faults;
  return [...faults, ...documented.differences(schema.contentSchema, JSON.parse(example as string))];
}

function faultsOfContent(content: Readonly<Record<string, MediaType>> = {}): string[] {
  return Object.entries(content).flatMap(([type, media]) =>
    faultsOfMedia(media, type).map((fault) => `${type}: ${fault}`),
  );
}

describe('the examples in the OpenAPI document match their schemas', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))('of %s', (_, operation) => {
    const parameters = operation.parameters.flatMap((reference) => {
      const parameter = documented.resolved<DocumentedParameter>(reference);
      if (parameter === undefined) return [`${reference.$ref} is missing`];
      return faultsOfParameter(parameter).map((fault) => `the parameter ${parameter.name}: ${fault}`);
    });
    const body = faultsOfContent(operation.requestBody?.content).map((fault) => `the body as ${fault}`);
    const responses = Object.entries(operation.responses).flatMap(([status, reference]) => {
      const response = documented.resolved(reference);
      const faults = faultsOfContent({ ...response?.content, ...response?.['x-other-formats'] });
      return faults.map((fault) => `${status} as ${fault}`);
    });
    expect([...parameters, ...body, ...responses]).toEqual([]);
  });

  interface DocumentedMember {
    readonly examples?: readonly unknown[];
  }

  it('of the members of requests', () => {
    const members = Object.entries(components.schemas).flatMap(([name, schema]) =>
      Object.entries(
        (schema as { readonly properties?: Readonly<Record<string, DocumentedMember>> }).properties ?? {},
      ).map(([member, own]) => ({ place: `${name}.${member}`, own })),
    );
    const examples = members.flatMap(({ place, own }) =>
      (own.examples ?? []).map((example) => ({ place, own, example })),
    );
    expect(examples.length).toBeGreaterThan(100);
    const faults = examples.flatMap(({ place, own, example }) =>
      documented.differences(own, example).map((fault) => `${place}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });
});

describe('a response that the OpenAPI document lacks is detected', () => {
  const pools = { method: 'GET', path: '/api/v1/clusters/c/pools?limit=1', isWhole: true };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const list = { items: [], continue: null, remainingItemCount: 0 };
  it.each([
    ['a status', { status: 299, headers: json, text: '{}' }, /299 is not documented/],
    [
      'a content type',
      { status: 200, headers: { 'content-type': 'text/html' }, text: '' },
      /text\/html is not documented/,
    ],
    ['a header', { status: 200, headers: { ...json, 'x-other': '1' }, text: '{}' }, /header x-other: 1 is not/],
    ['a member', { status: 200, headers: json, text: JSON.stringify({ ...list, other: 1 }) }, /additional.*"other"/],
    ['a missing member', { status: 200, headers: json, text: '{}' }, /required property 'items'/],
  ])('by %s', (_, response, message) => {
    expect(() => documented.check({ ...pools, ...response })).toThrow(message);
  });
});
