import 'reflect-metadata';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OutgoingHttpHeaders } from 'node:http';
import { ERROR_TABLE } from '../../src/api/errors/error-table.js';
import type { ErrorCode } from '../../src/contract/error-code.js';
import { CONTROLLERS } from '../../src/api/rest/controllers.js';
import { buildOpenApi } from '../../src/api/docs/build-openapi.js';
import { ITEM_SCHEMA, OTHER_FORMATS } from '../../src/api/docs/stream-schemas.js';

/** Headers by their lower-case names. */
export type Headers = OutgoingHttpHeaders;

/** A response, as far as the OpenAPI document describes it. */
export interface ReceivedResponse {
  readonly method: string;
  /** With or without the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** False while more data is expected, or if the connection was closed early. */
  readonly isWhole: boolean;
}

interface Reference {
  readonly $ref: string;
}

export interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly [ITEM_SCHEMA]?: object;
}

interface DocumentedHeader {
  readonly required?: boolean;
  readonly schema: object;
}

interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, DocumentedHeader | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly [OTHER_FORMATS]?: Readonly<Record<string, MediaType>>;
}

export interface DocumentedParameter {
  readonly name: string;
  readonly schema: { readonly contentSchema?: object };
  readonly example?: unknown;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly Reference[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const ROOT = 'openapi';
/** The document without required members: `fields` can leave out those that a schema requires. */
const SPARSE_ROOT = 'sparse';
const PROBLEM = { $ref: '#/components/schemas/Problem' };
const PROBLEM_TYPE = 'application/problem+json';

/** Headers of HTTP and browsers, and those that the document describes for all responses. */
const COMMON_HEADERS =
  /^(cache-control|connection|content-encoding|content-length|content-type|date|keep-alive|transfer-encoding|vary|x-content-type-options|x-accel-buffering|cross-origin-.*|access-control-.*|idempotency-replayed|x-request-id|ratelimit|ratelimit-policy)$/;

const FORMATS = {
  // A value beyond 2^53 has already lost digits when it is read here.
  int64: { type: 'number', validate: Number.isInteger },
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
} as const;

let compiled: DocumentedResponses | undefined;

/** One for all services of a test file. */
export function documentedResponses(): DocumentedResponses {
  return (compiled ??= new DocumentedResponses(asJson(buildOpenApi(CONTROLLERS, '0.0.0'))));
}

/**
 * Compares responses of the service with its OpenAPI document. Objects are closed: a property that is missing from the
 * document is an error, although clients must accept new ones.
 */
export class DocumentedResponses {
  /** With closed objects. */
  readonly document: OpenApiDocument;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  private readonly validators = new Map<object, ValidateFunction>();
  private readonly sparseValidators = new Map<object, ValidateFunction>();
  private readonly routes;

  constructor(document: object) {
    this.document = closed(document) as OpenApiDocument;
    this.routes = Object.entries(this.document.paths)
      .map(([path, operations]) => ({
        pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`),
        operations,
        variables: path.split('{').length,
      }))
      // A path without a variable takes precedence over one with a variable.
      .sort((a, b) => a.variables - b.variables);
    this.ajv.addSchema({ $id: ROOT, ...this.document });
    this.ajv.addSchema({ $id: SPARSE_ROOT, ...(withoutRequired(this.document) as object) });
  }

  /**
   * @returns the beginning of a piece whose end has not arrived
   * @throws {Error} naming the operation, and the JSON pointer of each difference
   */
  check(received: ReceivedResponse): string {
    const { method, path, status, headers, text, isWhole } = received;
    const pathname = path.replace(/[?#].*/s, '');
    const mediaType = mediaTypeOf(headers);
    const operation = this.operationAt(method, pathname);
    if (operation === undefined) {
      // For pages, GraphQL and unknown paths, only the form of errors is documented.
      if (mediaType === PROBLEM_TYPE && method !== 'HEAD' && isWhole)
        this.compare(PROBLEM, JSON.parse(text), `${method} ${pathname}`, 'an error');
      return '';
    }
    const name = `${operation.operationId} (${method} ${pathname})`;
    // The default is for errors alone.
    const documented =
      operation.responses[String(status)] ?? (status >= 400 ? operation.responses['default'] : undefined);
    const response = this.resolved<DocumentedResponse>(documented);
    if (response === undefined) throw new Error(`${name}: ${status} is not documented: ${text.slice(0, 500)}`);
    this.checkHeaders(response, headers, `${name}: ${status}`);
    if (status === 401 && headers['www-authenticate'] === undefined)
      throw new Error(`${name}: 401 without WWW-Authenticate`);
    const { content } = response;
    if (content === undefined) {
      if (text !== '') throw new Error(`${name}: ${status} is documented without a body: ${text.slice(0, 500)}`);
      return '';
    }
    const media = { ...content, ...response[OTHER_FORMATS] }[mediaType];
    if (media === undefined) throw new Error(`${name}: ${status} as ${mediaType} is not documented`);
    if (method === 'HEAD') return '';
    const common = this.resolved<DocumentedResponse>(operation.responses['default'])?.description ?? '';
    return this.checkBody(`${response.description} ${common}`, media, mediaType, received, name);
  }

  /** @returns why a value does not match a schema of the document; empty if it does */
  differences(schema: object, value: unknown, isSparse = false): string[] {
    const validators = isSparse ? this.sparseValidators : this.validators;
    let validate = validators.get(schema);
    if (validate === undefined) {
      validate = this.ajv.compile(absolute(schema, isSparse ? SPARSE_ROOT : ROOT));
      validators.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  private checkBody(
    description: string,
    media: MediaType,
    mediaType: string,
    { path, status, text, isWhole }: ReceivedResponse,
    name: string,
  ): string {
    const isSparse = /[?&]fields=/.test(path);
    if (/\bjson$/.test(mediaType) && !mediaType.endsWith('ndjson')) {
      if (!isWhole) return text;
      const body = JSON.parse(text) as unknown;
      this.compare(media.schema, body, name, String(status), isSparse && status === 200);
      if (mediaType === PROBLEM_TYPE) checkCode(description, media, body as { readonly code: ErrorCode }, status, name);
      return '';
    }
    const item = media[ITEM_SCHEMA];
    if (item !== undefined) {
      const { pieces, rest } = piecesOf(text, mediaType);
      for (const piece of pieces) this.compare(item, piece, name, 'a piece');
      if (isWhole && rest !== '') throw new Error(`${name}: the last piece has no end: ${rest.slice(0, 500)}`);
      return rest;
    }
    if (mediaType === 'text/csv') checkHeadOfTable(this.exampleOf(media), text, isSparse, name);
    return '';
  }

  private checkHeaders({ headers: documented = {} }: DocumentedResponse, headers: Headers, name: string): void {
    const known = Object.fromEntries(Object.entries(documented).map(([key, value]) => [key.toLowerCase(), value]));
    for (const [key, value] of Object.entries(headers)) {
      if (value === undefined || COMMON_HEADERS.test(key)) continue;
      const header = this.resolved<DocumentedHeader>(known[key]);
      if (header === undefined) throw new Error(`${name}: the header ${key}: ${String(value)} is not documented`);
      const isNumber = (header.schema as { readonly type?: unknown }).type === 'integer';
      this.compare(header.schema, isNumber ? Number(value) : value, name, `the header ${key}`);
    }
    for (const [key, header] of Object.entries(known)) {
      const isMissing = this.resolved<DocumentedHeader>(header)?.required === true && headers[key] === undefined;
      if (isMissing) throw new Error(`${name}: the header ${key} is missing`);
    }
  }

  private operationAt(method: string, pathname: string): DocumentedOperation | undefined {
    const route = this.routes.find(({ pattern }) => pattern.test(pathname));
    return route?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  /** The target of a reference within the document. */
  resolved<Found extends object>(found: Found | Reference | undefined): Found | undefined {
    if (found === undefined || !('$ref' in found)) return found;
    return found.$ref
      .split('/')
      .slice(1)
      .reduce((at: unknown, key) => (at as Record<string, unknown>)[key], this.document) as Found;
  }

  private exampleOf({ example, examples = {} }: MediaType): unknown {
    const [shared] = Object.values(examples);
    return example ?? this.resolved(shared as { readonly value: unknown } | undefined)?.value;
  }

  private compare(schema: object, value: unknown, name: string, what: string, isSparse = false): void {
    const differences = this.differences(schema, value, isSparse);
    if (differences.length === 0) return;
    const listed = differences.slice(0, 8).map((line) => `\n  ${line}`);
    throw new Error(`${name}: ${what} differs from its documentation${listed.join('')}`);
  }
}

function mediaTypeOf(headers: Headers): string {
  return String(headers['content-type'] ?? 'nothing')
    .replace(/;.*/s, '')
    .trim()
    .toLowerCase();
}

/** The codes of a response are in its description and its examples. */
function checkCode(
  description: string,
  { examples = {} }: MediaType,
  { code }: { readonly code: ErrorCode },
  status: number,
  name: string,
): void {
  if (!(code in examples) && !description.includes(`\`${code}\``))
    throw new Error(`${name}: the error ${code} is not documented`);
  if (ERROR_TABLE[code].status !== status) throw new Error(`${name}: ${status} is not the status of ${code}`);
}

/** The columns are those of the example, or with `fields` some of them. */
function checkHeadOfTable(example: unknown, text: string, isSparse: boolean, name: string): void {
  const [head = '', wanted = ''] = [text, String(example)].map((table) => table.replace(/\r\n.*/s, ''));
  const known = wanted.split(',');
  const fits = isSparse ? head.split(',').every((column) => known.includes(column)) : head === wanted;
  if (!fits) throw new Error(`${name}: the columns are ${head}; those of the documentation are ${wanted}`);
}

/** The lines of NDJSON, or the data of the events of a stream. */
export function piecesOf(text: string, mediaType: string): { readonly pieces: unknown[]; readonly rest: string } {
  const isStream = mediaType === 'text/event-stream';
  const parts = text.split(isStream ? '\n\n' : '\n');
  const rest = parts.pop() ?? '';
  const pieces = isStream ? parts.flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? []) : parts;
  return { pieces: pieces.map((piece) => JSON.parse(piece) as unknown), rest };
}

/** As it is sent: a time becomes text. */
function asJson(document: object): object {
  return JSON.parse(JSON.stringify(document)) as object;
}

/** The same, with references that are valid outside the document. */
function absolute(schema: unknown, root: string): object {
  return mapped(schema, (key, value) => (key === '$ref' ? `${root}${String(value)}` : value)) as object;
}

/** The same, without required members. */
function withoutRequired(schema: unknown): unknown {
  return mapped(schema, (key, value) => (key === 'required' && Array.isArray(value) ? [] : value));
}

/** The same, without additional properties. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('discriminator' in schema && 'oneOf' in schema) return discriminated(schema as Union);
  const { type, properties } = schema as { readonly type?: unknown; readonly properties?: unknown };
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const isOpen = isObject && typeof properties === 'object' && !('additionalProperties' in schema);
  return {
    ...Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [
        key,
        key === 'example' || key === 'examples' ? (value as unknown) : closed(value),
      ]),
    ),
    ...(isOpen && { additionalProperties: false }),
  };
}

interface Union {
  readonly discriminator: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

/** The form that the discriminator names, so that differences are reported against that form only. */
function discriminated({ discriminator: { propertyName, mapping } }: Union): object {
  return {
    required: [propertyName],
    properties: { [propertyName]: { enum: Object.keys(mapping) } },
    allOf: Object.entries(mapping).map(([value, $ref]) => ({
      if: { properties: { [propertyName]: { const: value } } },
      then: { $ref },
    })),
  };
}

function mapped(value: unknown, map: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(map(key, one), map)]));
}
