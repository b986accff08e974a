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
import { trail } from '../../contract/taint-trail/trail.js';
import type { GraphqlField, ListType, Question } from '../../contract/question.js';
import { SCENARIO } from '../../contract/scenarios/scenario-request.js';
import { object, type Members, type Response } from '../../contract/schema.js';
import { InheritPermission } from '../require-permission.js';
import { Ctx } from '../request-context.decorator.js';
import type { Plain } from '../shapes/plain.js';
import { connection, connectionOf, pageOfConnection, type ConnectionArguments } from '../graphql/connection.js';
import { readAtOf, type GivenReadAt } from '../rest/read-at-query.js';
import type { ShapeClass } from '../shapes/property-type.js';
import type { AnyAnswered, UseCaseClass } from './answered-by.js';
import { headerMembers, variableMembers } from './asked-members.js';
import { authorizeRequest, RequirePermissionOf } from './permission.js';
import { addMember, argumentsClass, responseClass } from './object-classes.js';

interface WithUseCase {
  readonly useCase: object;
}

/** Nest's resolvers of these questions, one of each. */
export function graphqlResolvers(answered: readonly AnyAnswered[]): (new (useCase: object) => object)[] {
  return answered.flatMap((one) => {
    const { graphql } = one.question as Question;
    return graphql === undefined ? [] : [resolverOf(one, graphql)];
  });
}

/** The types that have questions as fields, and what a field takes from its parent. */
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

function resolverOf(answered: AnyAnswered, graphql: GraphqlField): new (useCase: object) => object {
  const question = answered.question as Question;
  const { on, name, description } = graphql;
  const isField = on === 'Cluster' || on === 'Trail';
  const made = class implements WithUseCase {
    constructor(readonly useCase: object) {}
  };
  Object.defineProperty(made, 'name', { value: `${name}Resolver` });
  Reflect.defineMetadata('design:paramtypes', [answered.useCase as UseCaseClass], made);
  Resolver(isField ? PARENTS[on].type : undefined!)(made);
  Object.defineProperty(made.prototype, name, {
    configurable: true,
    writable: true,
    value: function (this: WithUseCase, ...given: unknown[]): unknown {
      return resolve(answered, graphql, this.useCase, given);
    },
  });
  const type = graphqlResponseClass(question.response);
  const argumentsType = argumentsClass(`${name}Arguments`, { members: argumentMembers(question, graphql) });
  const place = on === 'Cluster' ? 'parent' : on === 'Mutation' ? 'input.cluster' : 'cluster';
  const field = { Query, Mutation, Cluster: ResolveField, Trail: ResolveField }[on];
  const decorators: MethodDecorator[] = [
    field(() => type, { description }),
    on === 'Trail' ? InheritPermission() : RequirePermissionOf(question, place),
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

function argumentMembers(question: Question, { input, on }: GraphqlField): Members {
  const { body, query = {}, clusters = 'one' } = question;
  const own: Members = {
    ...(clusters === 'one' && on !== 'Cluster' && on !== 'Trail' && { cluster: CLUSTER }),
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
  if (input === undefined) return { ...read, ...own, ...body?.type.members };
  const { argument, description, optional = false, type } = input;
  if (type === undefined) {
    return { ...read, ...own, ...(body && { [argument]: { type: body.type, optional, description } }) };
  }
  return { ...read, [argument]: { type: object(type, '', { ...body?.type.members, ...own }), optional, description } };
}

function readMembers({ readsRevision, response }: Question): Members {
  return {
    ...(response.kind === 'list' && { first: FIRST, after: AFTER }),
    ...(readsRevision === true && { ...REVISION_MEMBERS, scenario: SCENARIO }),
  };
}

const CLUSTER = { type: 'string', description: 'The cluster.' } as const;

async function resolve(
  answered: AnyAnswered,
  { input, on }: GraphqlField,
  useCase: object,
  given: readonly unknown[],
): Promise<unknown> {
  const [parent, args, context] = given as [
    unknown,
    GivenReadAt & Plain<ConnectionArguments> & Readonly<Record<string, unknown>>,
    RequestContext,
  ];
  const question = answered.question as Question;
  const { readsRevision, response } = question;
  const argument = input?.argument;
  const request = {
    ...args,
    ...(argument === undefined ? {} : (args[argument] as object | undefined)),
    ...((on === 'Cluster' || on === 'Trail') && PARENTS[on].members(parent as never)),
    ...(readsRevision === true && { readAt: readAtOf(args) }),
    ...(response.kind === 'list' && { page: pageOfConnection(args) }),
    root: argument ?? '',
  };
  authorizeRequest(question, request, context);
  const answer: unknown = await answered.ask(useCase, request, context);
  if (response.kind === 'object') return answer;
  const { page, ...head } = answer as { readonly page: Page<unknown> };
  const edges = connection(page, args, (item) => item);
  const { within } = response.connection!;
  return within === undefined ? { ...head, ...edges } : { ...head, [within.member]: edges };
}

const connections = new Map<ListType, ShapeClass>();

function graphqlResponseClass(response: Question['response']): ShapeClass {
  if (response.kind === 'object') return responseClass(response);
  let made = connections.get(response);
  if (made === undefined) connections.set(response, (made = connectionClass(response)));
  return made;
}

function connectionClass({ item, head, connection }: ListType): ShapeClass {
  const { name, description, within } = connection!;
  const made = class extends connectionOf(responseClass(item), name) {};
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
