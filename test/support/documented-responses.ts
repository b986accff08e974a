import 'reflect-metadata';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { CONTROLLERS } from '../../src/api/controllers.js';
import { buildOpenApi } from '../../src/api/docs/build-openapi.js';
import { ITEM_SCHEMA } from '../../src/api/docs/stream-schemas.js';

/** What came back from the service, as far as the OpenAPI document describes it. */
export interface ReceivedResponse {
  readonly method: string;
  /** With its query or without. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

interface MediaType {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly [ITEM_SCHEMA]?: object;
}

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedResponse | { readonly $ref: string }>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, DocumentedResponse>>>>;
}

const ROOT = 'openapi';
const PROBLEM = { $ref: '#/components/schemas/Problem' };
const PROBLEM_TYPE = 'application/problem+json';

let compiled: DocumentedResponses | undefined;

/** One for all services of a test file. */
export function documentedResponses(): DocumentedResponses {
  return (compiled ??= new DocumentedResponses());
}

/**
 * Compares responses of the service with its OpenAPI document. Objects are closed: a property that the document does not have is an error,
 * although clients must put up with new ones.
 */
class DocumentedResponses {
  private readonly document = closed(buildOpenApi(CONTROLLERS, '0.0.0')) as OpenApiDocument;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  private readonly validators = new Map<object, ValidateFunction>();
  private readonly routes = Object.entries(this.document.paths)
    .map(([path, operations]) => ({
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      operations,
      variables: path.split('{').length,
    }))
    // A path without a variable is meant before one that has it.
    .sort((a, b) => a.variables - b.variables);

  constructor() {
    this.ajv.addSchema({ $id: ROOT, ...this.document });
  }

  /** @throws {Error} naming the operation, and the JSON pointer of each difference */
  check({ method, path, status, contentType, text }: ReceivedResponse): void {
    const pathname = path.replace(/[?#].*/s, '');
    const route = this.routes.find(({ pattern }) => pattern.test(pathname));
    const mediaType = contentType?.replace(/;.*/s, '').trim().toLowerCase();
    const operation = route?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (operation === undefined) {
      // Pages, GraphQL, and what is served nowhere: only the form of an error is known.
      if (mediaType === PROBLEM_TYPE && method !== 'HEAD')
        this.compare(PROBLEM, JSON.parse(text), `${method} ${pathname}`, 'of an error');
      return;
    }
    const name = `${operation.operationId} (${method} ${pathname})`;
    const response = this.resolve(operation.responses[String(status)]);
    if (response === undefined)
      throw new Error(`${name} answered ${status}, which its documentation lacks: ${text.slice(0, 500)}`);
    const { content } = response;
    if (method === 'HEAD' || text === '') {
      return;
    }
    const media = content?.[mediaType ?? ''];
    if (media === undefined)
      throw new Error(`${name} answered ${status} as ${String(mediaType)}, which its documentation lacks`);
    if (/\bjson$/.test(mediaType ?? '')) {
      const body = JSON.parse(text) as unknown;
      this.compare(media.schema, body, name, String(status));
      if (mediaType === PROBLEM_TYPE) checkCode(media, body as { readonly code: string }, name);
      return;
    }
    const item = media[ITEM_SCHEMA];
    if (item !== undefined) for (const piece of piecesOf(text, mediaType)) this.compare(item, piece, name, 'a piece');
  }

  /** One event of a stream, or one line of it. */
  checkItem(operationId: string, mediaType: string, item: unknown): void {
    const operation = Object.values(this.document.paths)
      .flatMap((operations) => Object.values(operations))
      .find((one) => one.operationId === operationId);
    const schema = this.resolve(operation?.responses['200'])?.content?.[mediaType]?.[ITEM_SCHEMA];
    if (schema === undefined) throw new Error(`${operationId} documents no ${mediaType}`);
    this.compare(schema, item, operationId, 'an item');
  }

  private resolve(response: DocumentedOperation['responses'][string] | undefined): DocumentedResponse | undefined {
    if (response === undefined || !('$ref' in response)) return response;
    return this.document.components['responses']?.[response.$ref.replace(/.*\//, '')];
  }

  private compare(schema: object, value: unknown, name: string, what: string): void {
    let validate = this.validators.get(schema);
    if (validate === undefined) {
      validate = this.ajv.compile(absolute(schema));
      this.validators.set(schema, validate);
    }
    if (validate(value)) return;
    const differences = (validate.errors ?? [])
      .slice(0, 8)
      .map(
        ({ instancePath, message, params }) => `  ${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
      );
    throw new Error(`${name}: ${what} differs from its documentation\n${differences.join('\n')}`);
  }
}

function checkCode({ examples = {} }: MediaType, { code }: { readonly code: string }, name: string): void {
  if (!(code in examples)) throw new Error(`${name} answered with the error ${code}, which its documentation lacks`);
}

/** The lines of NDJSON, or the data of the events of a stream. */
function piecesOf(text: string, mediaType: string | undefined): unknown[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const pieces =
    mediaType === 'text/event-stream'
      ? lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length))
      : lines;
  return pieces.map((piece) => JSON.parse(piece) as unknown);
}

/** The same, with references that hold wherever the schema stands. */
function absolute(schema: unknown): object {
  return mapped(schema, (key, value) => (key === '$ref' ? `${ROOT}${String(value)}` : value)) as object;
}

/** The same, with objects that take no other property than theirs. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, properties } = schema as { readonly type?: unknown; readonly properties?: unknown };
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const isOpen = isObject && typeof properties === 'object' && !('additionalProperties' in schema);
  return {
    ...Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [
        key,
        key.startsWith('example') ? (value as unknown) : closed(value),
      ]),
    ),
    ...(isOpen && { additionalProperties: false }),
  };
}

function mapped(value: unknown, map: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(map(key, one), map)]));
}
