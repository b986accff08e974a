import { defined } from '../../core/collections/defined.js';
import { RequestMethod } from '@nestjs/common';
import type { ErrorCode } from '../../contract/error-code.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { ERROR_TABLE } from '../error-table.js';
import { permissionRequirementOf, type PermissionRequirement } from '../require-permission.js';
import { operationOf, type OperationInfo } from '../operation.js';
import { problemType, PROBLEM_MEDIA_TYPE } from '../problem.js';
import { propertiesOf } from '../shapes/property.js';
import { ShapeSchemas } from './shape-schemas.js';

/** What any operation can answer, whatever its use case. */
const ALWAYS: readonly ErrorCode[] = ['invalid-request', 'database-unavailable', 'internal'];
const WITH_CALLER: readonly ErrorCode[] = [
  'unauthenticated',
  'rate-limited',
  'identity-provider-unavailable',
  'answer-too-large',
];
const WITH_BODY: readonly ErrorCode[] = [
  'malformed-json',
  'malformed-yaml',
  'json-reader-busy',
  'yaml-reader-busy',
  'body-too-large',
  'unsupported-media-type',
  'too-many-questions',
];

/** What the variables of the paths mean. */
const PATH_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['cluster', 'The name of the cluster, a DNS-1123 subdomain.'],
  ['node', 'The name of the node.'],
  ['namespace', 'The namespace.'],
  ['pod', 'The name of the pod.'],
  ['revision', 'The number of the revision, `head`, or a time (RFC 3339), which stands for the state as of then.'],
  ['key', 'The key of the taint.'],
]);

type ControllerClass = abstract new (...args: never[]) => object;

/** The OpenAPI 3.1 document of these controllers: operations with an `Operation` decorator, in the order of their code. */
export function buildOpenApi(controllers: readonly ControllerClass[], version: string, publicUrl = '/'): JsonObject {
  const schemas = new ShapeSchemas();
  const paths = new Map<string, JsonObject>();
  for (const controller of controllers) {
    for (const found of operationsOf(controller)) {
      const { path, method, name } = found;
      const item = paths.get(path) ?? {};
      item[method] = describe(found, operationId(controller, name), tagOf(controller), schemas);
      paths.set(path, item);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'kube-placement',
      version,
      description:
        'Stores snapshots of Kubernetes clusters and answers, exactly as Kubernetes would: where can this pod go, and ' +
        'why not elsewhere. The same use cases are at `/graphql`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(controllers.filter((controller) => operationsOf(controller).length > 0).map(tagOf))].map(
      (name) => ({
        name,
      }),
    ),
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { ...schemas.all(), Problem: PROBLEM_SCHEMA },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the service, or a JWT of its identity provider; none where authentication is off.',
        },
      },
    },
  };
}

interface FoundOperation {
  readonly path: string;
  readonly method: string;
  readonly name: string;
  readonly operation: OperationInfo;
  readonly need: PermissionRequirement | undefined;
}

function operationsOf(controller: ControllerClass): FoundOperation[] {
  const base = String(Reflect.getMetadata('path', controller));
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    const operation = typeof handler === 'function' ? operationOf(handler) : undefined;
    if (operation === undefined || handler === undefined) return [];
    const method = RequestMethod[Reflect.getMetadata('method', handler) as number]!.toLowerCase();
    const own = String(Reflect.getMetadata('path', handler));
    const path = `/${[base, own]
      .map((part) => part.replace(/^\/+|\/+$/g, ''))
      .filter(Boolean)
      .join('/')}`;
    return [{ path: path.replace(/:(\w+)/g, '{$1}'), method, name, operation, need: permissionRequirementOf(handler) }];
  });
}

function describe(
  { operation, path, need }: FoundOperation,
  id: string,
  tag: string,
  schemas: ShapeSchemas,
): JsonObject {
  const { body } = operation;
  const open = need?.permission === 'nobody';
  return {
    operationId: id,
    tags: [tag],
    summary: operation.summary,
    description: [operation.description, needText(need)].filter(Boolean).join('\n\n'),
    ...(open ? {} : { security: [{}, { token: [] }] }),
    parameters: [
      ...pathParameters(path, operation),
      ...queryParameters(operation, schemas),
      ...headerParameters(operation),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: responses(operation, need, schemas),
  };
}

function needText(need: PermissionRequirement | undefined): string {
  if (need === undefined || need.permission === 'nobody' || need.permission === 'inherited') return '';
  if (!('place' in need)) return 'Needs a caller with a name, where authentication is on.';
  const whose = need.place === 'each' ? 'each cluster' : need.place === 'all' ? 'all clusters' : 'the cluster';
  return need.unlessDryRun === undefined
    ? `Needs the right \`${need.permission}\` to ${whose}.`
    : `Needs the right \`${need.unlessDryRun}\` to ${whose}; for a dry run \`${need.permission}\`.`;
}

function pathParameters(path: string, { parameters }: OperationInfo): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS.get(name) ?? name,
    schema: { type: 'string' },
    example: parameters?.[name] ?? name,
  }));
}

function queryParameters({ query, parameters }: OperationInfo, schemas: ShapeSchemas): JsonObject[] {
  return (query === undefined ? [] : propertiesOf(query)).map((property) => {
    const example = parameters?.[property.name];
    return {
      name: property.name,
      in: 'query',
      required: property.optional !== true,
      description: property.description,
      // What holds other members is JSON text.
      ...(typeof property.type === 'function'
        ? { content: { 'application/json': { schema: schemas.reference(property.type(), 'request') } } }
        : { schema: schemas.ofProperty(property) }),
      ...(property.list === true ? { style: 'form', explode: false } : {}),
      ...defined({ example }),
    };
  });
}

function headerParameters({ headers = [] }: OperationInfo): JsonObject[] {
  return headers.map(({ name, description }) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function requestBody(body: NonNullable<OperationInfo['body']>, schemas: ShapeSchemas): JsonObject {
  const media: JsonObject = {
    schema: body.shape === undefined ? {} : schemas.reference(body.shape, 'request'),
    example: body.example as JsonValue,
  };
  const types = body.mediaTypes ?? ['application/json', 'application/yaml'];
  return {
    required: body.required !== false,
    description: body.description,
    content: Object.fromEntries(types.map((type) => [type, media])),
  };
}

function responses(
  operation: OperationInfo,
  need: PermissionRequirement | undefined,
  schemas: ShapeSchemas,
): JsonObject {
  const found = new Map<number, JsonObject>();
  for (const { status, description, shape, example, mediaType } of operation.answers) {
    const schema = shape === undefined ? { type: 'string' } : schemas.reference(shape, 'answer');
    const hasBody = shape !== undefined || mediaType !== undefined;
    const content = { [mediaType ?? 'application/json']: { schema, example: (example ?? null) as JsonValue } };
    // An answer may come in several formats, the first of which describes it.
    const first = found.get(status);
    if (first === undefined) found.set(status, { description, ...(hasBody && { content }) });
    else first['content'] = { ...(first['content'] as JsonObject), ...content };
  }
  for (const [status, codes] of errorsByStatus(operation, need)) {
    const problem = problemResponse(status, codes);
    const own = found.get(status);
    if (own === undefined) found.set(status, problem);
    else own['content'] = { ...(own['content'] as JsonObject), ...(problem['content'] as JsonObject) };
  }
  return Object.fromEntries(
    [...found].sort(([a], [b]) => a - b).map(([status, response]) => [String(status), response]),
  );
}

function errorsByStatus(operation: OperationInfo, need: PermissionRequirement | undefined): Map<number, ErrorCode[]> {
  const codes = new Set([...operation.errors, ...ALWAYS, ...(operation.body === undefined ? [] : WITH_BODY)]);
  if (need?.permission !== 'nobody') for (const code of WITH_CALLER) codes.add(code);
  if (need !== undefined && 'place' in need && need.place !== 'each') codes.add('forbidden');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const { status } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function problemResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TABLE[code].description}`).join('\n\n'),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleProblem(status, code) }])),
      },
    },
  };
}

function exampleProblem(status: number, code: ErrorCode): JsonObject {
  const { title, description } = ERROR_TABLE[code];
  return { type: problemType(code), title, status, detail: description, code, requestId: 'a-request-id', errors: [] };
}

const text = (description: string): JsonObject => ({ type: 'string', description });

const PROBLEM_SCHEMA: JsonObject = {
  type: 'object',
  description: 'An error (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'],
  properties: {
    type: text('Where the code is explained.'),
    title: text('The same for every error of this code.'),
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: text('What is wrong this time.'),
    code: { type: 'string', enum: Object.keys(ERROR_TABLE).sort(), description: 'Stable, for programs.' },
    instance: text('The path of the request.'),
    requestId: text('What the log of the service has the request under; also in the X-Request-Id header.'),
    errors: {
      type: 'array',
      description: 'Everything that is wrong, all at once.',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          pointer: text(
            'The place in the body as a JSON pointer (RFC 6901), or in a snapshot the place in the object that is named ' +
              'beside it; absent for query parameters, but for those that hold JSON.',
          ),
          field: text('The same place as people write it, or the name of the parameter.'),
          code: text("What kind of fault; Kubernetes' own causes where Kubernetes validates."),
          message: text('In words.'),
          item: { type: 'integer', description: 'In a snapshot: the position of the object in the stream, from 0.' },
          kind: text('In a snapshot: the kind of the object.'),
          namespace: text('In a snapshot: its namespace; absent where it has none.'),
          name: text('In a snapshot: its name.'),
          line: { type: 'integer', description: 'In a snapshot: the line where reading stopped, from 1.' },
          column: { type: 'integer', description: 'In a snapshot: the column where reading stopped, from 1.' },
          offset: { type: 'integer', description: 'In a snapshot: the unpacked byte where reading stopped, from 0.' },
        },
      },
    },
  },
};

function tagOf(controller: ControllerClass): string {
  return controller.name.replace(/Controller$/, '');
}

function operationId(controller: ControllerClass, name: string): string {
  const tag = tagOf(controller);
  return `${tag.charAt(0).toLowerCase()}${tag.slice(1)}.${name}`;
}
