import { defined } from '../../core/collections/defined.js';
import { RequestMethod } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from './idempotent-operation.js';
import { operationOf, type OperationInfo } from './operation.js';
import { permissionRequirementOf, type PermissionRequirement } from '../access/require-permission.js';
import { propertiesOf } from '../contract/field-decorators.js';
import { ComponentStore } from './component-store.js';
import { operationIdOf } from './operation-ids.js';
import { pascalCase } from './pascal-case.js';
import type { ErrorCode } from '../../contract/error-code.js';
import {
  commonResponse,
  errorsByStatus,
  isCommon,
  namesOfCommon,
  namesOfErrors,
  PROBLEM_EXAMPLES,
  PROBLEM_SCHEMAS,
  problemResponse,
} from './problem-responses.js';
import { HEADERS, headersNamed } from './response-headers.js';
import { shareExamples } from './share-examples.js';
import { ObjectSchemas } from './object-schemas.js';
import { furtherFormats, OTHER_FORMATS, textMedia } from './stream-schemas.js';

/** Descriptions of the path variables. */
const PATH_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['cluster', 'Name of the cluster, a DNS-1123 subdomain.'],
  ['node', 'Name of the node.'],
  ['namespace', 'Namespace of the object.'],
  ['pod', 'Name of the pod.'],
  ['revision', 'A revision number, `head`, or a time (RFC 3339), which selects the state at that time.'],
  ['key', 'Key of the taint.'],
]);

const JSON_TYPE = 'application/json';

/** The metadata key under which Nest stores the options of a route. */
const FASTIFY_ROUTE_CONFIG_METADATA = '__fastify_route_config__';

type ControllerClass = abstract new (...args: never[]) => object;

/** Components that operations share. */
interface Components {
  readonly schemas: ObjectSchemas;
  readonly parameters: ComponentStore;
  readonly responses: ComponentStore;
}

/** Builds the OpenAPI 3.1 document of these controllers: all methods with an `Operation` decorator, in source order. */
export function buildOpenApi(controllers: readonly ControllerClass[], version: string, publicUrl = '/'): JsonObject {
  const components: Components = {
    schemas: new ObjectSchemas(),
    parameters: new ComponentStore('parameters'),
    responses: new ComponentStore('responses'),
  };
  const paths = new Map<string, JsonObject>();
  for (const controller of controllers) {
    for (const found of operationsOf(controller)) {
      const { path, method } = found;
      const item = paths.get(path) ?? {};
      item[method] = describe(found, tagOf(controller), components);
      paths.set(path, item);
    }
  }
  const examples = shareExamples(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'kube-placement',
      version,
      description:
        'Stores snapshots of Kubernetes clusters and reports, exactly as Kubernetes would decide, where a pod can be scheduled ' +
        'and why not on the other nodes. GraphQL offers the same operations at `/graphql`.\n\nEvery response has an ' +
        '`X-Request-Id`. Rate-limited responses have `RateLimit` and `RateLimit-Policy`. A page of a list that is read with ' +
        'GET links to the next page (`Link` with `rel="next"`) unless the URL is too long for a header.',
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
      schemas: { ...components.schemas.all(), ...PROBLEM_SCHEMAS, KubernetesObject: KUBERNETES_OBJECT },
      parameters: components.parameters.all(),
      responses: {
        ...components.responses.all(),
        NotModified: {
          description: 'The response named in `If-None-Match` is still current.',
          ...headersNamed(['ETag']),
        },
      },
      headers: HEADERS,
      examples: { ...PROBLEM_EXAMPLES, ...examples },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the service, or a JWT of its identity provider. Not used if authentication is off.',
        },
      },
    },
  };
}

interface FoundOperation {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly operation: OperationInfo;
  readonly requirement: PermissionRequirement | undefined;
  readonly beyondRevision: boolean;
}

function operationsOf(controller: ControllerClass): FoundOperation[] {
  const base = String(Reflect.getMetadata('path', controller));
  const prototype = controller.prototype as Record<string, object>;
  const tag = tagOf(controller);
  const topic = `${tag.charAt(0).toLowerCase()}${tag.slice(1)}`;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    const operation = typeof handler === 'function' ? operationOf(handler) : undefined;
    if (operation === undefined || handler === undefined) return [];
    const method = RequestMethod[Reflect.getMetadata('method', handler) as number]!.toLowerCase();
    const own = String(Reflect.getMetadata('path', handler));
    const path = `/${[base, own]
      .map((part) => part.replace(/^\/+|\/+$/g, ''))
      .filter(Boolean)
      .join('/')}`.replace(/:(\w+)/g, '{$1}');
    const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as
      { beyondRevision?: boolean } | undefined;
    return [
      {
        id: operationIdOf(topic, name),
        path,
        method,
        operation,
        requirement: permissionRequirementOf(handler),
        beyondRevision: config?.beyondRevision === true,
      },
    ];
  });
}

function describe(found: FoundOperation, tag: string, components: Components): JsonObject {
  const { operation, path, requirement, id } = found;
  const { body } = operation;
  const parameters = [
    ...pathParameters(path, operation),
    ...queryParameters(operation, components.schemas),
    ...headerParameters(operation),
    ...(hasEtag(found) ? [IF_NONE_MATCH] : []),
    ...(takesIdempotencyKey(found.method, operation, requirement) ? [IDEMPOTENCY_KEY_HEADER] : []),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary: operation.summary,
    description: [operation.description, requirementText(requirement)].filter(Boolean).join(' '),
    security: security(requirement),
    parameters: parameters.map((parameter) => {
      const name = pascalCase(parameter['name'] as string);
      return components.parameters.reference(parameter, [name, `${tag}${name}`, `${pascalCase(id)}${name}`]);
    }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, components) }),
    responses: responses(found, components),
  };
}

/** No security requirement if authentication is off; otherwise a token, with the permission as its role. */
function security(requirement: PermissionRequirement | undefined): JsonValue {
  if (requirement?.permission === 'nobody') return [];
  const role = requirement !== undefined && 'place' in requirement ? [requirement.permission] : [];
  return [{}, { token: role }];
}

function requirementText(requirement: PermissionRequirement | undefined): string {
  if (requirement === undefined || requirement.permission === 'nobody' || requirement.permission === 'inherited')
    return '';
  if (!('place' in requirement)) return 'Requires an authenticated caller, if authentication is on.';
  const whose =
    requirement.place === 'each' ? ' for each cluster' : requirement.place === 'all' ? ' for all clusters' : '';
  return requirement.unlessDryRun === undefined
    ? `Permission: \`${requirement.permission}\`${whose}.`
    : `Permission: \`${requirement.unlessDryRun}\`${whose}; \`${requirement.permission}\` for a dry run.`;
}

function pathParameters(path: string, { parameters }: OperationInfo): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS.get(name) ?? name,
    schema: { type: 'string' },
    example: String(parameters?.[name] ?? name),
  }));
}

function queryParameters({ query, parameters }: OperationInfo, schemas: ObjectSchemas): JsonObject[] {
  return (query === undefined ? [] : propertiesOf(query)).map((property) => {
    const { name, type, optional, description, list, maximumLength, defaultsTo } = property;
    const isRequired = optional !== true;
    const schema: JsonObject =
      typeof type === 'function'
        ? {
            type: 'string',
            ...defined({ maxLength: maximumLength }),
            contentMediaType: 'application/json',
            contentSchema: schemas.reference(type(), 'request'),
          }
        : schemas.ofProperty(property);
    const example = parameters?.[name];
    return {
      name,
      in: 'query',
      ...(isRequired && { required: true }),
      description: typeof type === 'function' ? `${description} Encoded as JSON text.` : description,
      schema: { ...schema, ...(isRequired ? {} : defined({ default: defaultsTo })) },
      ...(list === true ? { style: 'form', explode: false } : {}),
      ...defined({ example: exampleOfParameter(schema, example) }),
    };
  });
}

/** The example as the parameter's schema types it, whatever the type of the given value. */
function exampleOfParameter(
  { type }: JsonObject,
  example: string | number | boolean | undefined,
): JsonValue | undefined {
  if (example === undefined) return undefined;
  if (type === 'array') return [example];
  return type === 'string' ? String(example) : example;
}

function headerParameters({ headers = [] }: OperationInfo): JsonObject[] {
  return headers.map(({ name, description }) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));
}

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of a cached response; the server returns 304 without a body if it is still current.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY_HEADER: JsonObject = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'A unique key for this request. A retry with the same key within 24 hours returns the first response, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', maxLength: 255 },
};

const MANIFEST: JsonObject = { $ref: '#/components/schemas/KubernetesObject' };

/** The schema of request bodies that hold native Kubernetes objects. */
const OWN_FORM: Readonly<Record<string, JsonObject>> = { 'application/json': MANIFEST, 'application/yaml': MANIFEST };

/**
 * Media types that are described in text only: if listed beside JSON, generated clients would send the bytes of an
 * object that they do not serialize as JSON, or would not declare which of the types they send.
 */
const DESCRIBED_MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['application/x-ndjson', 'As application/x-ndjson, each line contains one object.'],
  [
    'application/octet-stream',
    'Any of these formats may also be sent as application/octet-stream, gzip-compressed or not.',
  ],
]);

const KUBERNETES_OBJECT: JsonObject = {
  type: 'object',
  description: 'A Kubernetes object in its native format, for example a List.',
  required: ['apiVersion', 'kind'],
  properties: {
    apiVersion: { type: 'string', description: 'API group and version.' },
    kind: { type: 'string', description: 'Kind of the object.' },
  },
  additionalProperties: true,
};

function requestBody(body: NonNullable<OperationInfo['body']>, { schemas }: Components): JsonObject {
  const { schema, example } = body;
  const types = body.mediaTypes ?? ['application/json', 'application/yaml'];
  const own =
    schema &&
    (body.takesManifests === true ? schemas.requestOrManifest(schema, MANIFEST) : schemas.reference(schema, 'request'));
  const media = (type: string): JsonObject => ({
    schema: own === undefined ? (OWN_FORM[type] ?? { type: 'string' }) : own,
    // YAML has the same schema.
    ...(type === 'application/yaml' ? {} : { example: example as JsonValue }),
  });
  return {
    required: body.required !== false,
    description: [body.description, ...types.flatMap((type) => DESCRIBED_MEDIA_TYPES.get(type) ?? [])].join(' '),
    content: Object.fromEntries(
      types.filter((type) => !DESCRIBED_MEDIA_TYPES.has(type)).map((type) => [type, media(type)]),
    ),
  };
}

/** The headers of a complete response, as returned for GET. */
function headersOfAnswer(found: FoundOperation): readonly string[] {
  const { operation, method } = found;
  const isPaged =
    method === 'get' &&
    operation.query !== undefined &&
    propertiesOf(operation.query).some(({ name }) => name === 'continue');
  return [...(operation.responseHeaders ?? []), ...(isPaged ? ['Link'] : []), ...(hasEtag(found) ? ['ETag'] : [])];
}

function responses(found: FoundOperation, { schemas, responses: components }: Components): JsonObject {
  const { id, operation } = found;
  const byStatus = new Map<number, JsonObject>();
  const json = operation.answers.find(({ status, schema }) => status === 200 && schema !== undefined)?.schema;
  const own = json === undefined ? undefined : schemas.reference(json, 'answer');
  for (const { status, description, schema, example, mediaType } of operation.answers) {
    const hasBody = schema !== undefined || mediaType !== undefined;
    const media =
      schema === undefined
        ? textMedia(id, mediaType ?? '', own, schemas)
        : { schema: schemas.reference(schema, 'answer') };
    const content = { [mediaType ?? 'application/json']: { ...media, example: (example ?? null) as JsonValue } };
    // A response may have several formats; the first one describes it.
    const first = byStatus.get(status);
    if (first === undefined) {
      byStatus.set(status, {
        description,
        ...headersNamed(status === 200 ? headersOfAnswer(found) : (operation.responseHeaders ?? [])),
        ...(hasBody && { content }),
      });
    } else first['content'] = { ...(first['content'] as JsonObject), ...content };
  }
  const success = byStatus.get(200);
  if (success !== undefined) {
    const further = Object.entries(furtherFormats(id)).map(([type, example]) => [
      type,
      { ...textMedia(id, type, own, schemas), example },
    ]);
    const formats = { ...(Object.fromEntries(further) as JsonObject), ...(success['content'] as JsonObject) };
    byStatus.set(200, { ...success, ...contentOf(formats, success['description'] as string) });
  }
  if (hasEtag(found) && success !== undefined) {
    byStatus.set(304, { $ref: '#/components/responses/NotModified' });
  }
  const common: ErrorCode[] = [];
  for (const [status, codes] of errorsByStatus(found)) {
    common.push(...codes.filter(isCommon));
    if (!byStatus.has(status) && codes.every(isCommon)) continue;
    const problem = problemResponse(status, codes);
    const answer = byStatus.get(status);
    if (answer === undefined) byStatus.set(status, components.reference(problem, namesOfErrors(status, codes)));
    else answer['content'] = { ...(answer['content'] as JsonObject), ...(problem['content'] as JsonObject) };
  }
  return {
    ...Object.fromEntries(
      [...byStatus].sort(([a], [b]) => a - b).map(([status, response]) => [String(status), response]),
    ),
    default: components.reference(commonResponse(common), namesOfCommon(common)),
  };
}

/**
 * The members of a response that describe its formats. Formats other than JSON are described in text, and for tools in
 * an extension: a generated client would otherwise type every response as JSON or text.
 */
function contentOf(formats: JsonObject, description: string): JsonObject {
  const { [JSON_TYPE]: json, ...others } = formats;
  const types = Object.keys(others);
  if (json === undefined || types.length === 0) return { content: formats };
  return {
    description: `${description} Also available as ${types.map((type) => `\`${type}\``).join(', ')}, selected with \`Accept\`.`,
    content: { [JSON_TYPE]: json },
    [OTHER_FORMATS]: others,
  };
}

/** Responses that depend on a single revision have an ETag; see etag.ts. */
function hasEtag({ method, operation, beyondRevision }: FoundOperation): boolean {
  const { schema } = operation.answers[0] ?? {};
  const isBased = schema !== undefined && propertiesOf(schema).some(({ name }) => name === 'basis');
  return method === 'get' && !beyondRevision && isBased;
}

function tagOf(controller: ControllerClass): string {
  return controller.name.replace(/Controller$/, '');
}
