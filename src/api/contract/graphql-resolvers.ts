import { Args, Field, ObjectType as GraphqlObject, Parent, Resolver } from '@nestjs/graphql';
import { serviceErrorOf } from '../../app/errors/service-error-of.js';
import type { RequestContext } from '../../app/request-context.js';
import { cluster } from '../../contract/clusters/cluster.js';
import { AFTER, FIRST } from '../../contract/common/page.js';
import { ACROSS_MEMBERS } from '../../contract/common/across.js';
import { partError } from '../../contract/common/part-error.js';
import type { Page, UncountedPage } from '../../contract/page.js';
import { trail } from '../../contract/taint-trail/trail.js';
import {
  listOf,
  viewOfItems,
  type AcrossType,
  type ClusterOutcome,
  type GraphqlField,
  type GroupedPages,
  type ListType,
  type Question,
} from '../../contract/question.js';
import { manifestChecksOf } from '../../app/manifests/manifest-checks.js';
import { defined } from '../../core/collections/defined.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import { object, type Members, type ObjectType, type Response } from '../../contract/schema.js';
import { Ctx } from '../http/request-context.decorator.js';
import { partErrorResponse } from './part-error-response.js';
import type { Plain } from './plain.js';
import {
  connection,
  ConnectionArguments,
  connectionOf,
  pageOfConnection,
  uncountedConnection,
  uncountedConnectionOf,
  type Connection,
} from '../graphql/connection.js';
import { originOf } from '../graphql/read-connection.js';
import { InheritPermission, type ClusterPlace } from '../access/require-permission.js';
import type { answerBasis } from '../../contract/common/basis.js';
import { readAtOf, type GivenReadAt } from '../../app/reads/given-read-at.js';
import { prepareScenario } from '../../app/reads/given-scenario.js';
import { SIMPLE_TYPES, type ObjectClass } from './field-type.js';
import { askUseCase, type AnyAnswered, type UseCaseClass } from './answered-by.js';
import { headerMembers, revisionMembers, variableMembers } from './request-members.js';
import { authorizeRequest, RequirePermissionOf } from './permission.js';
import { withOrigins } from './origins.js';
import { addMember, argumentsClass, responseClass, type DeclaredMember } from './object-classes.js';
import { below, readEnvelope } from '../envelope/read-envelope.js';
import { Mutation, Query, ResolveField } from '../graphql/fields.js';

interface WithUseCase {
  readonly useCase: object;
}

/** Nest resolvers for these questions, one each. */
export function graphqlResolvers(answered: readonly AnyAnswered[]): (new (useCase: object) => object)[] {
  return answered.flatMap((one) => {
    const { graphql, textField, response } = one.question as Question;
    const isGrouped = graphql !== undefined && response.kind === 'list' && response.groups !== undefined;
    return [
      ...(graphql === undefined ? [] : [resolverOf(one, graphql)]),
      ...(isGrouped ? [groupsResolverOf(response)] : []),
      ...(graphql?.alsoOnCluster === true ? [resolverOf(one, { ...graphql, on: 'Cluster' })] : []),
      ...(textField === undefined ? [] : [textResolverOf(one, textField)]),
    ];
  });
}

/** The types that have questions as fields, and the arguments that a field takes from its parent. */
const PARENTS = {
  Cluster: {
    type: (): unknown => responseClass(cluster),
    members: ({ name }: Response<typeof cluster>) => ({ cluster: name }),
  },
  Trail: {
    type: (): unknown => responseClass(trail),
    members: (parent: Response<typeof trail>) => ({ cluster: parent.cluster, trail: Number(parent.clusterId) }),
  },
};

/** The same question with a text as its response. */
function textResolverOf(
  answered: AnyAnswered,
  { format, ...field }: NonNullable<Question['textField']>,
): new (useCase: object) => object {
  const question = { ...(answered.question as Question), response: TEXT, body: undefined, query: undefined };
  // A scalar, not an object of the contract.
  const ask = ((useCase, request, context) =>
    answered.formats![format]!.write(useCase, request, context, {}) as unknown) as AnyAnswered['ask'];
  return resolverOf({ ...answered, question, ask }, { ...field, scalar: 'string' });
}

const TEXT = object('Text', '', {});

/** The field `groups` of a grouped list. */
function groupsResolverOf(response: ListType): new () => object {
  const { item, description } = response.groups!;
  const parent = graphqlResponseClass(response);
  const type = class extends connectionOf(responseClass(item), item.name) {};
  Object.defineProperty(type, 'name', { value: `${item.name}Connection` });
  GraphqlObject(`${item.name}Connection`, { description })(type);
  const made = class {
    async groups(list: GroupedParent, args: ConnectionArguments): Promise<Connection<unknown>> {
      return connection(await list.groups(pageOfConnection(args)), args, (group) => group);
    }
  };
  Object.defineProperty(made, 'name', { value: `${parent.name}GroupsResolver` });
  Resolver(() => parent)(made);
  Reflect.defineMetadata('design:paramtypes', [Object, ConnectionArguments], made.prototype, 'groups');
  Parent()(made.prototype, 'groups', 0);
  Args()(made.prototype, 'groups', 1);
  const decorators: MethodDecorator[] = [
    ResolveField(() => type, { description: `${description} A cursor of another revision requires \`revision\`.` }),
    InheritPermission(),
  ];
  const descriptor = Object.getOwnPropertyDescriptor(made.prototype, 'groups')!;
  for (const decorate of decorators) decorate(made.prototype, 'groups', descriptor);
  return made;
}

function resolverOf(answered: AnyAnswered, graphql: GraphqlField): new (useCase: object) => object {
  const question = answered.question as Question;
  const { on, name, description } = graphql;
  const isField = on === 'Cluster' || on === 'Trail';
  const made = class implements WithUseCase {
    constructor(readonly useCase: object) {}
  };
  Object.defineProperty(made, 'name', { value: `${on}${name}Resolver` });
  Reflect.defineMetadata('design:paramtypes', [answered.useCase as UseCaseClass], made);
  Resolver(isField ? PARENTS[on].type : undefined!)(made);
  Object.defineProperty(made.prototype, name, {
    configurable: true,
    writable: true,
    value: function (this: WithUseCase, ...given: unknown[]): unknown {
      return resolve(answered, graphql, this.useCase, argumentsType, given);
    },
  });
  const type = fieldType(question.response, graphql);
  const argumentsType = argumentsClass(`${on}${name}Arguments`, { members: argumentMembers(question, graphql) });
  Object.assign(argumentsType, { crossFieldErrors: inputErrors(answered), crossFieldMember: INPUT });
  const field = { Query, Mutation, Cluster: ResolveField, Trail: ResolveField }[on];
  const decorators: MethodDecorator[] = [
    field(() => type, { description }),
    on === 'Trail' ? InheritPermission() : RequirePermissionOf(question, clusterPlace(graphql)),
  ];
  const descriptor = Object.getOwnPropertyDescriptor(made.prototype, name)!;
  // In the order of the parameters of `resolve`.
  Reflect.defineMetadata('design:paramtypes', [Object, argumentsType, Object], made.prototype, name);
  if (isField) Parent()(made.prototype, name, 0);
  Args()(made.prototype, name, 1);
  Ctx()(made.prototype, name, 2);
  for (const decorate of decorators) decorate(made.prototype, name, descriptor);
  return made;
}

/** The check that finds further errors in `input`; a document is one of its members. */
function inputErrors({ question, crossFieldErrors, documentErrors }: AnyAnswered): AnyAnswered['crossFieldErrors'] {
  const whole = (question as Question).body?.whole;
  if (documentErrors === undefined || whole === undefined) return crossFieldErrors;
  return async (input: Readonly<Record<string, unknown>>, { invalid }) =>
    invalid.has(whole) ? [] : (await documentErrors(input[whole] as never)).map((error) => below(whole, error));
}

function clusterPlace({ on, cluster }: GraphqlField): ClusterPlace {
  if (on === 'Cluster') return 'parent';
  if (on === 'Mutation') return 'input.cluster';
  return cluster?.optional === true ? 'cluster if given' : (cluster?.argument ?? 'cluster');
}

/** What Nest takes as a type: a class, a list of one, or a scalar. */
function fieldType(response: Question['response'], { member, scalar }: GraphqlField): object {
  if (scalar !== undefined) return SIMPLE_TYPES[scalar].graphql;
  if (member === undefined || response.kind !== 'object') return graphqlResponseClass(response);
  const { type, list } = response.members[member]!;
  const one = responseClass(type as ObjectType);
  return list === true ? [one] : one;
}

function clusterMember({ permission, clusters = 'one' }: Question, { on, cluster }: GraphqlField): Members {
  if (clusters !== 'one' || permission === 'any caller' || on in PARENTS) return {};
  const { argument = 'cluster', description = 'The cluster.', optional = false } = cluster ?? {};
  return { [on === 'Mutation' ? 'cluster' : argument]: { type: 'string', optional, description } };
}

const INPUT = 'input';

/** A mutation takes `input` only; a question's body becomes `input`. */
function argumentMembers(question: Question, graphql: GraphqlField): Members {
  const { body, query = {} } = question;
  const {
    on,
    name,
    input: { description = body?.description ?? 'The object of the operation.', type, optional = false } = {},
  } = graphql;
  const read = readMembers(question);
  const own: Members = {
    ...clusterMember(question, graphql),
    ...variableMembers(question),
    ...query,
    ...Object.fromEntries(
      headerMembers(question).map(({ name, header }) => [
        name,
        { type: 'string', optional: true, description: `Same as the REST header \`${header}\`.` },
      ]),
    ),
  };
  // GraphQL checks the types of all items before any of them is read.
  const given: Members = {
    ...Object.fromEntries(
      Object.entries(body?.type.members ?? {}).map(([name, member]) => [name, { ...member, readApart: false }]),
    ),
    ...graphql.arguments,
  };
  const typeName = type ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const inputOf = (members: Members): Members => ({
    [INPUT]: { type: object(typeName, description, members), optional, description },
  });
  if (on === 'Mutation') {
    const all = { ...own, ...given };
    return Object.keys(all).length === 0 ? {} : inputOf(all);
  }
  if (body === undefined) return { ...read, ...own, ...given };
  const isOwnType = body.type.restOnly !== true && type === undefined && graphql.arguments === undefined;
  if (isOwnType) return { ...read, ...own, [INPUT]: { type: body.type, optional, description } };
  const { scenario, ...members } = given;
  const input = Object.keys(members).length === 0 ? {} : inputOf(members);
  return { ...read, ...own, ...(scenario !== undefined && { scenario }), ...input };
}

function readMembers(question: Question): Members {
  const { readsRevision, response } = question;
  return {
    ...(response.kind !== 'object' && { first: FIRST, after: AFTER }),
    ...(response.kind === 'across' && ACROSS_MEMBERS),
    ...(readsRevision === true && { ...revisionMembers(question), scenario: SCENARIO }),
  };
}

async function resolve(
  answered: AnyAnswered,
  graphql: GraphqlField,
  useCase: object,
  argumentsType: new () => object,
  given: readonly unknown[],
): Promise<unknown> {
  const [parent, sent, context] = given as [unknown, unknown, RequestContext];
  const args = (await readEnvelope(argumentsType, sent, context.now)) as GivenReadAt &
    Plain<ConnectionArguments> &
    Readonly<Record<string, unknown>>;
  const question = answered.question as Question;
  const { readsRevision, response, body } = question;
  const groups = listOf(response)?.groups;
  await prepareScenario(args.scenario);
  const { on } = graphql;
  const { [INPUT]: input, ...others } = args;
  const request = {
    ...others,
    ...(input as object | undefined),
    ...(on === 'Query' && graphql.cluster?.argument === 'name' && { cluster: args['name'] }),
    ...((on === 'Cluster' || on === 'Trail') && PARENTS[on].members(parent as never)),
    ...(readsRevision === true && { readAt: readAtOf(args) }),
    ...(readsRevision !== true && defined({ manifests: manifestChecksOf(args) })),
    ...(response.kind !== 'object' && { page: pageOfConnection(args) }),
    ...(groups !== undefined && { view: viewOfItems(groups) }),
    root: [graphql.on === 'Mutation' || body !== undefined ? INPUT : undefined, body?.whole]
      .filter((name) => name !== undefined)
      .join('.'),
  };
  authorizeRequest(question, request, context);
  const { answer } = await askUseCase(answered, useCase, request, context);
  // Values of revisions are already known to the mask; of other responses, a query may select only the texts.
  if (readsRevision !== true) context.withheld.addSource(answer as object);
  const shown: ResponseField = (type, value, of = answer as object) => {
    const { basis } = of as { readonly basis?: Response<typeof answerBasis> };
    const { cluster } = request as { readonly cluster?: string };
    return withOrigins(type, value as object, originOf(basis ?? { cluster: cluster ?? '' }, request.readAt ?? {}));
  };
  if (response.kind === 'object') {
    const { member } = graphql;
    const found = shown(response, answer) as Readonly<Record<string, unknown>>;
    return member === undefined ? found : found[member];
  }
  if (response.kind === 'list') return connectionResponse(response, answer as ListedResponse, args, shown);
  const { each, cluster: one } = response;
  const { perCluster } = request as { readonly perCluster?: number };
  return connection((answer as AcrossResponse).page, args, ({ cluster, result: list, error }) => ({
    cluster,
    [one.member]: list && connectionResponse(each, list, defined({ first: perCluster }), shown),
    error: error && partErrorResponse(serviceErrorOf(error)),
  }));
}

/** Converts a response to its GraphQL form, with the parent data that its fields read. */
type ResponseField = (type: ObjectType, value: unknown, of?: object) => unknown;

interface ListedResponse {
  readonly page?: Page<unknown> | UncountedPage<unknown>;
  readonly pages?: GroupedPages<unknown, unknown>;
}

/** A grouped list; members that the query does not select are not computed. */
interface GroupedParent {
  readonly groups: GroupedPages<unknown, unknown>['groups'];
}

interface AcrossResponse {
  readonly page: Page<ClusterOutcome<ListedResponse>>;
}

function connectionResponse(
  { item: type, connection: connectionOptions }: ListType,
  { page, pages, ...head }: ListedResponse,
  args: Plain<ConnectionArguments>,
  shown: ResponseField,
): object {
  const render = (item: unknown): unknown => shown(type, item, head);
  const within = connectionOptions?.within;
  if (pages !== undefined) {
    const { groups } = pages satisfies GroupedParent;
    let made: Promise<Connection<unknown>> | undefined;
    const items = () => (made ??= pages.items(pageOfConnection(args)).then((one) => connection(one, args, render)));
    const parent = { ...head, groups };
    if (within !== undefined) return Object.defineProperty(parent, within.member, { get: items });
    for (const name of ['edges', 'nodes', 'pageInfo', 'totalCount'] as const) {
      Object.defineProperty(parent, name, { get: async () => (await items())[name] });
    }
    return parent;
  }
  const one = page!;
  const edges = 'total' in one ? connection(one, args, render) : uncountedConnection(one, args, render);
  return within === undefined ? { ...head, ...edges } : { ...head, [within.member]: edges };
}

const connections = new Map<ListType | AcrossType, ObjectClass>();

/** The connection class of a list, for handwritten resolvers. */
export function connectionClassOf(response: ListType): ObjectClass {
  return graphqlResponseClass(response);
}

function graphqlResponseClass(response: Question['response']): ObjectClass {
  if (response.kind === 'object') return responseClass(response);
  let made = connections.get(response);
  if (made === undefined) {
    made = response.kind === 'list' ? connectionClass(response) : acrossConnectionClass(response);
    connections.set(response, made);
  }
  return made;
}

function connectionClass({ item, head, counted = true, connection }: ListType): ObjectClass {
  const { name, edgeName = name, description, within } = connection!;
  const made = class extends (counted ? connectionOf : uncountedConnectionOf)(responseClass(item), edgeName) {};
  Object.defineProperty(made, 'name', { value: `${name}Connection` });
  GraphqlObject(`${name}Connection`, { description })(made);
  if (within === undefined) {
    addMembers(made, head);
    return made;
  }
  const outer = class {};
  Object.defineProperty(outer, 'name', { value: within.name });
  GraphqlObject(within.name, { description: within.description })(outer);
  addMembers(outer, head);
  Field(() => made, { description: within.memberDescription })(outer.prototype, within.member);
  return outer;
}

function acrossConnectionClass({ each, cluster: { name, description, member } }: AcrossType): ObjectClass {
  const one = class {};
  Object.defineProperty(one, 'name', { value: name });
  GraphqlObject(name, { description })(one);
  const list = graphqlResponseClass(each);
  addMembers(one, {
    cluster: { type: 'identifier', description: 'The cluster.' },
    [member]: { type: () => list, optional: true, description: 'The result of the cluster; null if it failed.' },
    error: { type: partError, optional: true, description: 'Why the cluster has no result; null if it succeeded.' },
  });
  const made = class extends connectionOf(one, name) {};
  Object.defineProperty(made, 'name', { value: `${name}Connection` });
  GraphqlObject(`${name}Connection`, { description: 'The clusters, sorted by name.' })(made);
  return made;
}

function addMembers(made: ObjectClass, members: Readonly<Record<string, DeclaredMember>>): void {
  for (const [name, member] of Object.entries(members)) addMember(made.prototype as object, name, member, 'response');
}
