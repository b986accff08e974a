import {
  Args,
  Field,
  Mutation,
  ObjectType as GraphqlObject,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import type { RequestContext } from '../../app/request-context.js';
import { cluster } from '../../contract/clusters/cluster.js';
import { AFTER, FIRST } from '../../contract/common/page.js';
import { REVISION_MEMBERS } from '../../contract/common/revision.js';
import type { Page } from '../../contract/page.js';
import type { GraphqlField, ListType, Question as AnyQuestion } from '../../contract/question.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import { object, type Members, type ObjectType } from '../../contract/schema.js';
import { Ctx } from '../request-context.decorator.js';
import type { Plain } from '../shapes/plain.js';
import { connection, connectionOf, pageOfConnection, type ConnectionArguments } from '../graphql/connection.js';
import { readAtOf, type GivenReadAt } from '../rest/read-at-query.js';
import type { ShapeClass } from '../shapes/property-type.js';
import type { AnyAnswered, UseCaseClass } from './answered-by.js';
import { headerMembers, variableMembers } from './asked-members.js';
import { authorizeRequest, RequirePermissionOf } from './permission.js';
import { addMember, argumentsClass, responseClass } from './object-classes.js';

/** A question that has a field. */
type Question = AnyQuestion & { readonly graphql: GraphqlField };

interface WithUseCase {
  readonly useCase: object;
}

/** Nest's resolvers of these questions, one of each. */
export function graphqlResolvers(answered: readonly AnyAnswered[]): (new (useCase: object) => object)[] {
  return answered.filter(({ question }) => (question as AnyQuestion).graphql !== undefined).map(resolverOf);
}

function resolverOf(answered: AnyAnswered): new (useCase: object) => object {
  const question = answered.question as Question;
  const { on, name, description } = question.graphql;
  const made = class implements WithUseCase {
    constructor(readonly useCase: object) {}
  };
  Object.defineProperty(made, 'name', { value: `${name}Resolver` });
  Reflect.defineMetadata('design:paramtypes', [answered.useCase as UseCaseClass], made);
  Resolver(on === 'Cluster' ? (): unknown => responseClass(cluster) : undefined!)(made);
  Object.defineProperty(made.prototype, name, {
    configurable: true,
    writable: true,
    value: function (this: WithUseCase, ...given: unknown[]): unknown {
      return resolve(answered, this.useCase, given);
    },
  });
  const type = fieldType(question);
  const argumentsType = argumentsClass(`${name}Arguments`, { members: argumentMembers(question) });
  Object.assign(argumentsType, { crossFieldErrors: answered.argumentErrors });
  const place = on === 'Cluster' ? 'parent' : on === 'Mutation' ? 'input.cluster' : 'cluster';
  const field = { Query, Mutation, Cluster: ResolveField }[on];
  const decorators: MethodDecorator[] = [field(() => type, { description }), RequirePermissionOf(question, place)];
  const descriptor = Object.getOwnPropertyDescriptor(made.prototype, name)!;
  // In the order of the parameters of `resolve`.
  Reflect.defineMetadata('design:paramtypes', [Object, argumentsType, Object], made.prototype, name);
  if (on === 'Cluster') Parent()(made.prototype, name, 0);
  Args()(made.prototype, name, 1);
  Ctx()(made.prototype, name, 2);
  for (const decorate of decorators) decorate(made.prototype, name, descriptor);
  return made;
}

/** A class, or the list of one. */
function fieldType({ response, graphql: { member } }: Question): ShapeClass | [ShapeClass] {
  if (member === undefined || response.kind !== 'object') return graphqlResponseClass(response);
  const { type, list } = response.members[member]!;
  const one = responseClass(type as ObjectType);
  return list === true ? [one] : one;
}

function argumentMembers(question: Question): Members {
  const { graphql, body, query = {}, clusters = 'one', permission } = question;
  const { input, on } = graphql;
  const own: Members = {
    ...(clusters === 'one' && permission !== 'any caller' && on !== 'Cluster' && { cluster: CLUSTER }),
    ...variableMembers(question),
    ...query,
    ...Object.fromEntries(
      headerMembers(question).map(({ name, header }) => [
        name,
        { type: 'string', optional: true, description: `As the header \`${header}\` of REST.` },
      ]),
    ),
  };
  const read = readMembers(question);
  // GraphQL checks the types of all items before any is read.
  const given = Object.fromEntries(
    Object.entries(body?.type.members ?? {}).map(([name, member]) => [name, { ...member, readApart: false }]),
  );
  if (input === undefined) return { ...read, ...own, ...given };
  const { argument, description, optional = false, type } = input;
  if (type === undefined) {
    return { ...read, ...own, ...(body && { [argument]: { type: body.type, optional, description } }) };
  }
  return { ...read, [argument]: { type: object(type, '', { ...given, ...own }), optional, description } };
}

function readMembers({ readsRevision, response }: Question): Members {
  return {
    ...(response.kind === 'list' && { first: FIRST, after: AFTER }),
    ...(readsRevision === true && { ...REVISION_MEMBERS, scenario: SCENARIO }),
  };
}

const CLUSTER = { type: 'string', description: 'The cluster.' } as const;

async function resolve(answered: AnyAnswered, useCase: object, given: readonly unknown[]): Promise<unknown> {
  const [parent, args, context] = given as [
    { readonly name: string } | undefined,
    GivenReadAt & Plain<ConnectionArguments> & Readonly<Record<string, unknown>>,
    RequestContext,
  ];
  const question = answered.question as Question;
  const { graphql, readsRevision, response } = question;
  const argument = graphql.input?.argument;
  const request = {
    ...args,
    ...(argument === undefined ? {} : (args[argument] as object | undefined)),
    ...(graphql.on === 'Cluster' && { cluster: parent!.name }),
    ...(readsRevision === true && { readAt: readAtOf(args) }),
    ...(response.kind === 'list' && { page: pageOfConnection(args) }),
    root: argument ?? '',
  };
  authorizeRequest(question, request, context);
  const answer: unknown = await answered.ask(useCase, request, context);
  if (response.kind === 'object') {
    const { member } = graphql;
    return member === undefined ? answer : (answer as Readonly<Record<string, unknown>>)[member];
  }
  const { page, ...head } = answer as { readonly page: Page<unknown> };
  const edges = connection(page, args, (item) => item);
  const { within } = response.connection;
  return within === undefined ? { ...head, ...edges } : { ...head, [within.member]: edges };
}

const connections = new Map<ListType, ShapeClass>();

function graphqlResponseClass(response: Question['response']): ShapeClass {
  if (response.kind === 'object') return responseClass(response);
  let made = connections.get(response);
  if (made === undefined) connections.set(response, (made = connectionClass(response)));
  return made;
}

function connectionClass({
  item,
  head,
  connection: { name, edgeName = name, description, within },
}: ListType): ShapeClass {
  const made = class extends connectionOf(responseClass(item), edgeName) {};
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

function addMembers(made: ShapeClass, members: Members): void {
  for (const [name, member] of Object.entries(members)) addMember(made.prototype as object, name, member, 'response');
}
