import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { defined } from '../../core/collections/defined.js';
import { ACROSS_LIMIT, ACROSS_MEMBERS } from '../../contract/common/across.js';
import { CONTINUE, FIELDS, LIMIT, TOTAL_COUNT } from '../../contract/common/page.js';
import { partError } from '../../contract/common/part-error.js';
import { SCENARIO_TEXT } from '../../contract/common/revision.js';
import {
  isWrite,
  listOf,
  viewOfItems,
  type AcrossType,
  type ListType,
  type Question,
} from '../../contract/question.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import { object, type Members, type MemberType, type ObjectType } from '../../contract/schema.js';
import { Ctx } from '../http/request-context.decorator.js';
import { linkNext } from '../http/page-links.js';
import { warningHeader } from '../http/warning-header.js';
import { acceptedType } from '../http/preferred-type.js';
import { noteResponseType } from '../masking/install-masking.js';
import { pruneAnswer } from '../http/sparse-responses.js';
import { WrittenBody, writtenBy } from '../http/written-body.js';
import { Operation } from '../docs/operation.js';
import { API_PREFIX } from '../rest/api-prefix.js';
import type { Plain } from './plain.js';
import { pageRequest, type PageQuery } from '../rest/page-query.js';
import type { ManifestPlace } from '../envelope/manifest-envelope.js';
import { readRequest } from '../envelope/read-request.js';
import { readAtOf, type GivenReadAt } from '../../app/reads/given-read-at.js';
import { prepareScenario } from '../../app/reads/given-scenario.js';
import type { ObjectClass } from './field-type.js';
import { askUseCase, type AnyAnswered, type OtherFormat, type UseCaseClass } from './answered-by.js';
import { headerMembers, revisionMembers } from './request-members.js';
import { authorizeRequest, RequirePermissionOf } from './permission.js';
import { exampleOf } from '../../contract/example-of.js';
import { renderedAnswer } from './rendered-response.js';
import { csvFormat } from './list-csv.js';
import { fieldFaults, pickFields, readFields, type FieldSelection } from './sparse-fields.js';
import { extendedRequestClass, requestClass, responseClass, restClass } from './object-classes.js';

const METHODS = { GET: Get, POST: Post, PUT: Put, DELETE: Delete };

interface WithUseCases {
  readonly useCases: readonly object[];
}

type ControllerClass = new (...useCases: object[]) => WithUseCases;

/** Nest controllers for these questions: one for each topic, with one method for each question. */
export function restControllers(answered: readonly AnyAnswered[]): ControllerClass[] {
  const topics = new Map<string, AnyAnswered[]>();
  for (const one of answered) {
    const [topic = ''] = (one.question as Question).id.split('.');
    topics.set(topic, [...(topics.get(topic) ?? []), one]);
  }
  return [...topics].map(([topic, questions]) => controllerOf(topic, questions));
}

function controllerOf(topic: string, answered: readonly AnyAnswered[]): ControllerClass {
  const useCases = [...new Set(answered.map(({ useCase }) => useCase as UseCaseClass))];
  const made = class implements WithUseCases {
    readonly useCases: readonly object[];
    constructor(...given: object[]) {
      this.useCases = given;
    }
  };
  Object.defineProperty(made, 'name', { value: `${topic.charAt(0).toUpperCase()}${topic.slice(1)}Controller` });
  Reflect.defineMetadata('design:paramtypes', useCases, made);
  Controller(API_PREFIX)(made);
  for (const one of answered) addHandler(made, one, useCases.indexOf(one.useCase as UseCaseClass));
  return made;
}

function addHandler(controller: ControllerClass, answered: AnyAnswered, useCaseIndex: number): void {
  const question = answered.question as Question;
  const prototype = controller.prototype as object;
  const name = question.id.slice(question.id.indexOf('.') + 1);
  Object.defineProperty(prototype, name, {
    configurable: true,
    writable: true,
    value: async function (this: WithUseCases, ...given: unknown[]): Promise<unknown> {
      const { documentErrors, pathErrors } = answered;
      const classes = { query: queryType, body, documentErrors, pathErrors };
      return respond(answered, this.useCases[useCaseIndex]!, classes, given);
    },
  });
  const query = queryMembers(answered);
  const queryType = Object.keys(query).length === 0 ? undefined : restClass(`${question.id}Query`, { members: query });
  if (queryType !== undefined && 'fields' in query) {
    const crossFieldErrors = ({ fields, view = 'groups' }: Selected): readonly ErrorDetail[] =>
      fieldFaults(selectableType(question.response, { view }), fields);
    Object.assign(queryType, { crossFieldErrors });
  }
  const body = bodyClass(question);
  const { statuses } = question;
  const decorators: MethodDecorator[] = [
    METHODS[question.method](question.path.replace(/\{(\w+)\}/g, ':$1')),
    HttpCode(Number(Object.keys(statuses)[0])),
    RequirePermissionOf(question, 'cluster'),
    Operation(operationOf(answered, queryType, body)),
  ];
  const routeConfig = {
    ...(question.beyondRevision === true && { beyondRevision: true }),
    ...(question.body?.manifest !== undefined && { takesManifests: true }),
  };
  if (Object.keys(routeConfig).length > 0) decorators.push(RouteConfig(routeConfig));
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)!;
  for (const decorate of decorators) decorate(prototype, name, descriptor);
  // In the order of the parameters of `respond`.
  const parameters: readonly (readonly [ParameterDecorator | undefined, unknown])[] = [
    [Param(), Object],
    [Query(), Object],
    [question.body && Body(), Object],
    [Headers(), Object],
    [Ctx(), Object],
    [Res({ passthrough: true }), Object],
  ];
  Reflect.defineMetadata(
    'design:paramtypes',
    parameters.map(([, type]) => type ?? Object),
    prototype,
    name,
  );
  parameters.forEach(([decorate], index) => decorate?.(prototype, name, index));
}

/**
 * The REST request body, if the service defines its format: includes the scenario and sometimes the page parameters.
 */
function bodyClass({ body, readsRevision, response }: Question): (new () => object) | undefined {
  if (body === undefined || body.whole !== undefined) return undefined;
  const more: Members = {
    ...(readsRevision === true && { scenario: SCENARIO }),
    ...viewMember(response),
    ...(body.hasPage === true && { limit: LIMIT, continue: CONTINUE }),
  };
  // A member's own description takes precedence.
  const missing = Object.entries(more).filter(([name]) => !(name in body.type.members));
  return missing.length > 0 ? extendedRequestClass(body.type, Object.fromEntries(missing)) : requestClass(body.type);
}

type Formats = Readonly<Record<string, OtherFormat<Question, object>>>;

const formatsOfLists = new WeakMap<AnyAnswered, Formats>();

/** The formats of a question besides JSON. */
function formatsOf(answered: AnyAnswered): Formats {
  const known = formatsOfLists.get(answered);
  if (known !== undefined) return known;
  const { csv } = answered.question as Question;
  const formats: Formats = { ...(csv !== undefined && { csv: csvFormat(answered) }), ...answered.formats };
  formatsOfLists.set(answered, formats);
  return formats;
}

function operationOf(
  answered: AnyAnswered,
  query: ObjectClass | undefined,
  bodyType: ObjectClass | undefined,
): Parameters<typeof Operation>[0] {
  const question = answered.question as Question;
  const { summary, description, body, examples, errors, statuses, response, readsRevision } = question;
  const formats = Object.values(formatsOf(answered));
  const schema = restResponseClass(response);
  return {
    summary,
    description,
    ...(query !== undefined && { query }),
    readsRequest: true,
    ...(examples.parameters !== undefined && { parameters: examples.parameters }),
    headers: headerMembers(question).map(({ header, description }) => ({ name: header, description })),
    ...(body !== undefined && {
      body: {
        ...(bodyType !== undefined && { schema: bodyType }),
        description: body.manifest === undefined ? body.description : `${body.description} ${MANIFEST_BODY}`,
        takesManifests: body.manifest !== undefined,
        example: examples.body,
        ...(body.required !== undefined && { required: body.required }),
      },
    }),
    answers: [
      ...Object.entries(statuses).map(([status, description]) => ({
        status: Number(status),
        description,
        schema,
        example: { ...exampleOf(restResponseType(response)), ...examples.response },
      })),
      ...formats.map(({ mediaType, example }) => ({
        status: 200,
        description: '',
        mediaType,
        example,
      })),
    ],
    responseHeaders: [
      ...(body?.manifest === undefined && readsRevision !== true ? [] : (['Warning'] as const)),
      ...(answered.location === undefined ? [] : (['Location'] as const)),
      ...(formats.some(({ fileName }) => fileName !== undefined) ? (['Content-Disposition'] as const) : []),
    ],
    errors: formats.length === 0 ? errors : [...errors, 'not-acceptable'],
  };
}

const MANIFEST_BODY =
  'Or a manifest as it is, an object with `apiVersion` and `kind`; query parameters then have the other members.';

/** True for a list without a total count. */
const isUncounted = (response: Question['response']): boolean => response.kind === 'list' && response.counted === false;

function queryMembers(answered: AnyAnswered): Members {
  const question = answered.question as Question;
  const { readsRevision, body, query = {}, restQuery = {}, response, id } = question;
  const names = Object.entries(formatsOf(answered)).flatMap(([name, { byAcceptAlone }]) =>
    byAcceptAlone === true ? [] : [name],
  );
  const hasEnvelope = body !== undefined && body.whole === undefined;
  return {
    ...itemScalars(question),
    ...(body?.manifest !== undefined && scalarMembers(body.type)),
    ...viewMember(response),
    ...(response.kind === 'list' && { limit: LIMIT, continue: CONTINUE }),
    ...(response.kind === 'across' && { ...ACROSS_MEMBERS, limit: ACROSS_LIMIT, continue: CONTINUE }),
    ...(response.kind !== 'object' && !isUncounted(response) && { totalCount: TOTAL_COUNT }),
    ...(!isWrite(question) && { fields: FIELDS }),
    ...(readsRevision === true && {
      ...revisionMembers(question),
      ...(!hasEnvelope && { scenario: SCENARIO_TEXT }),
    }),
    ...query,
    ...restQuery,
    ...(names.length > 0 && { format: formatMember(id, names) }),
  };
}

/** The members of a body that query parameters can hold. */
function scalarMembers({ members }: ObjectType): Members {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) =>
      isScalar(member.type) ? [[name, { ...member, optional: true }]] : [],
    ),
  );
}

function manifestPlace(question: Question): ManifestPlace | undefined {
  const { manifest } = question.body ?? {};
  if (manifest === undefined) return undefined;
  let place = manifestPlaces.get(question);
  if (place === undefined) {
    place = { ...manifest, itemScalars: new Set(Object.keys(itemScalars(question))) };
    manifestPlaces.set(question, place);
  }
  return place;
}

const manifestPlaces = new Map<Question, ManifestPlace>();

/** If each manifest is an item of a list: the members of items that query parameters can hold, the same for all. */
function itemScalars({ body }: Question): Members {
  const { list } = body?.manifest ?? {};
  if (list === undefined) return {};
  const members = scalarMembers(body!.type.members[list]!.type as ObjectType);
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== 'id'));
}

const NOT_SCALAR: readonly MemberType[] = ['kubernetesObject', 'json', 'labels'];

const isScalar = (type: MemberType): boolean =>
  typeof type === 'string' ? !NOT_SCALAR.includes(type) : typeof type === 'object' && type.kind === 'enum';

/** The `view` parameter of a grouped list. */
function viewMember(response: Question['response']): Members {
  const view = listOf(response)?.groups?.view;
  if (view === undefined) return {};
  return { view: { type: view, optional: true, defaultsTo: 'groups', description: view.description } };
}

function formatMember(id: string, names: readonly string[]): Members[string] {
  const name = `${id.replace(/(^|\.)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Format`;
  return {
    type: { kind: 'enum', name, description: 'The format of the response.', values: ['json', ...names] },
    optional: true,
    description: 'The format of the response; by default negotiated with `Accept`.',
  };
}

/** The requested part of a response. */
interface Selected {
  readonly fields?: readonly string[];
  readonly totalCount?: boolean;
  readonly view?: string;
}

async function respond(
  answered: AnyAnswered,
  useCase: object,
  classes: Parameters<typeof readRequest>[0],
  given: readonly unknown[],
): Promise<unknown> {
  const [variables, givenQuery, givenBody, headers, context, reply] = given as [
    Readonly<Record<string, string>>,
    Readonly<Record<string, unknown>>,
    unknown,
    Readonly<Record<string, string | undefined>>,
    RequestContext,
    FastifyReply,
  ];
  const read = await readRequest(
    classes,
    { query: givenQuery, body: givenBody, variables, manifest: manifestPlace(answered.question as Question) },
    context.now,
  );
  const sent = read.body;
  const { fields, totalCount, ...query } = read.query as GivenReadAt &
    Plain<PageQuery> &
    Selected &
    Readonly<Record<string, unknown>>;
  const question = answered.question as Question;
  const { variables: named = {}, readsRevision, response } = question;
  const whole = question.body?.whole;
  const body = (whole === undefined ? (sent ?? {}) : { [whole]: sent }) as Pick<GivenReadAt, 'scenario'> &
    Plain<PageQuery>;
  const groups = listOf(response)?.groups;
  const scenario = body.scenario ?? query.scenario;
  await prepareScenario(scenario);
  const asked = {
    ...query,
    ...body,
    ...(variables['cluster'] !== undefined && { cluster: variables['cluster'] }),
    ...Object.fromEntries(Object.entries(named).map(([name, { in: variable }]) => [name, variables[variable]])),
    ...Object.fromEntries(headerMembers(question).map(({ header, name }) => [name, headers[header.toLowerCase()]])),
    ...(readsRevision !== true && defined({ manifests: read.checks })),
    ...(readsRevision === true && {
      readAt: { ...readAtOf(query, scenario), ...defined({ manifests: read.checks }) },
    }),
    ...(response.kind !== 'object' && {
      page: pageRequest(question.body?.hasPage === true ? { ...body, ...defined(query) } : query),
    }),
    ...(hasView(question) && { view: viewOf(query, body) }),
    root: '',
  };
  authorizeRequest(question, asked, context);
  const formats = formatsOf(answered);
  const format = formatOf(formats, query['format'], headers['accept']);
  // Other formats have the items one by one.
  const request = format === undefined || groups === undefined ? asked : { ...asked, view: viewOfItems(groups) };
  const selection = fields === undefined ? undefined : readFields(selectableType(response, request), fields);
  if (Object.keys(formats).length > 0) {
    reply.header('vary', [reply.getHeader('vary'), 'accept'].filter((name) => name !== undefined).join(', '));
  }
  if (format !== undefined) {
    const text = await format.write(useCase, request as never, context, {
      selection,
      isWhole: query.limit === undefined && query.continue === undefined,
      continueWith: (token) => {
        linkNext(reply.request, reply, token);
      },
    });
    warnOf(read, reply);
    const { mediaType, mediaTypeParameters = mediaType.startsWith('text/') ? 'charset=utf-8' : '' } = format;
    reply.header('content-type', mediaTypeParameters === '' ? mediaType : `${mediaType}; ${mediaTypeParameters}`);
    const fileName = format.fileName?.(request as never);
    if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
    return typeof text === 'string' ? text : Readable.from(text, { objectMode: false });
  }
  if (selection !== undefined) pruneAnswer(reply.request, (answer) => pruned(response, answer, selection));
  const mayBeWritten = selection === undefined && !context.access.withholdsValues;
  const { answer, status = answered.status?.(answer) } = await askUseCase(answered, useCase, request, context, {
    mayBeWritten,
  });
  warnOf(read, reply);
  if (answer instanceof WrittenBody) return answer;
  if (status !== undefined) reply.code(status);
  const location = answered.location?.(answer, request);
  if (location !== undefined) reply.header('location', `/${API_PREFIX}/${location}`);
  noteResponseType(context, restResponseType(response));
  const rendered = await renderedAnswer(response, answer, request, totalCount === true);
  return answered.write === undefined ? rendered : writtenBy(rendered as object, answered.write as () => Buffer);
}

/** Not of a request that is refused: its errors say what is wrong. */
function warnOf({ warnings: common, checks }: Awaited<ReturnType<typeof readRequest>>, reply: FastifyReply): void {
  const warnings = [...common, ...(checks?.warnings ?? [])];
  if (warnings.length > 0) reply.header('warning', warningHeader(warnings));
}

const hasView = ({ response, restQuery = {} }: Question): boolean =>
  listOf(response)?.groups !== undefined || 'view' in restQuery;

function viewOf(query: object, body: object): string {
  const [ofQuery, ofBody] = [query, body] as readonly { readonly view?: string | null }[];
  return ofBody?.view ?? ofQuery?.view ?? 'groups';
}

/** @throws {ServiceError} `not-acceptable` */
function formatOf(
  formats: Formats,
  requested: unknown,
  accept: string | undefined,
): OtherFormat<Question, object> | undefined {
  const offered = Object.values(formats);
  if (offered.length === 0 || requested === 'json') return undefined;
  if (typeof requested === 'string') return formats[requested];
  const accepted = acceptedType(accept, ['application/json', ...offered.map(({ mediaType }) => mediaType)]);
  return offered.find(({ mediaType }) => mediaType === accepted);
}

/** The type that the paths of `fields` refer to. */
function selectableType(response: Question['response'], { view }: { readonly view?: string } = {}): ObjectType {
  if (response.kind === 'object') return response;
  if (response.kind === 'across') return acrossList(response).item;
  return view === 'groups' && response.groups !== undefined ? response.groups.item : response.item;
}

function pruned(response: Question['response'], answer: object, selection: FieldSelection): object {
  if (response.kind === 'object') return pickFields(answer, selection) as object;
  const names = response.kind === 'list' && response.groups !== undefined ? ['items', 'groups'] : ['items'];
  const lists = names.map((name) => [name, pickFields((answer as Readonly<Record<string, unknown>>)[name], selection)]);
  return { ...answer, ...(Object.fromEntries(lists) as object) };
}

const listTypes = new Map<ListType | AcrossType, ObjectType>();

function restResponseClass(response: Question['response']): ObjectClass {
  return responseClass(restResponseType(response));
}

function restResponseType(response: Question['response']): ObjectType {
  if (response.kind === 'object') return response;
  const known = listTypes.get(response);
  if (known !== undefined) return known;
  const {
    name,
    head,
    item,
    itemsDescription,
    groups,
    counted = true,
  }: Omit<ListType, 'connection' | 'kind'> = response.kind === 'list' ? response : acrossList(response);
  const made = object(
    name,
    '',
    {
      ...head,
      ...(groups !== undefined && {
        groups: { type: groups.item, list: true, description: groups.description },
      }),
      items: {
        type: item,
        list: true,
        description: itemsDescription,
        ...(groups !== undefined && {
          description: `${itemsDescription} Empty with \`view=groups\`.`,
          example: [],
        }),
      },
      continue: {
        type: 'identifier',
        optional: true,
        description: 'For the next page; null on the last one.',
        sharedAs: 'ContinueToken',
      },
      ...(counted && {
        remainingItemCount: {
          type: 'integer',
          description: 'Number of items after this page.',
          example: 0,
          sharedAs: 'RemainingItemCount',
        },
        totalCount: {
          type: 'integer',
          omittable: true,
          description: 'Number of all items, if `totalCount` asks.',
          sharedAs: 'TotalItemCount',
        },
      }),
    },
    { restOnly: true },
  );
  listTypes.set(response, made);
  return made;
}

function acrossList({
  name,
  each,
  cluster,
}: AcrossType): Pick<ListType, 'name' | 'head' | 'item' | 'itemsDescription'> {
  const result = restResponseType(each);
  const item = object(
    cluster.name,
    '',
    {
      cluster: { type: 'identifier', description: 'The cluster.', example: 'eks-prod' },
      result: {
        type: result,
        optional: true,
        description: 'The result of the cluster; null if it failed.',
        example: exampleOf(result),
      },
      error: { type: partError, optional: true, description: 'Why the cluster has no result; null if it succeeded.' },
    },
    { restOnly: true },
  );
  return { name, head: {}, item, itemsDescription: 'The clusters, sorted by name.' };
}
