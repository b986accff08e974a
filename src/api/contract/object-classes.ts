import { ArgsType, Field, InputType, ObjectType as GraphqlObject, registerEnumType } from '@nestjs/graphql';
import type { EnumType, Member, Members, MemberType, ObjectType, Request, Response } from '../../contract/schema.js';
import { VALUE_DESCRIPTIONS } from '../../contract/value-descriptions.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { NodeInterface } from '../graphql/node-interface.js';
import { checkProperty } from '../envelope/check-property.js';
import { SIMPLE_TYPES, type PropertyType, type ShapeClass, type WordsType } from '../shapes/property-type.js';

/*
 * Nest's GraphQL schema, class-validator's checks and the OpenAPI document are made of classes. These are made of the contract, each
 * once, when they are first asked for.
 */

/** A member with what the generators read of its type. */
export interface PropertyOptions extends Omit<Member, 'type'> {
  readonly type: PropertyType;
}

export interface PropertyInfo extends PropertyOptions {
  readonly name: string;
}

/** A member as it is declared: its type may also be a class. */
export interface DeclaredMember extends Omit<Member, 'type'> {
  readonly type: MemberType | PropertyType;
}

type Use = 'response' | 'request';

const classes = { response: new Map<ObjectType, ShapeClass>(), request: new Map<ObjectType, ShapeClass>() };
const names = new Map<string, ObjectType>();
const propertiesOfClass = new WeakMap<object, PropertyInfo[]>();
const descriptions = new WeakMap<ShapeClass, string>();

export function responseClass<Type extends ObjectType>(type: Type): new () => Response<Type> {
  return classOf(type, 'response') as new () => Response<Type>;
}

export function requestClass<Type extends ObjectType>(type: Type): new () => Request<Type> {
  return classOf(type, 'request') as new () => Request<Type>;
}

function classOf(type: ObjectType, use: Use): ShapeClass {
  const known = classes[use].get(type);
  if (known !== undefined) return known;
  claimName(type, use);
  const made = namedClass(type.openApiName ?? type.name);
  classes[use].set(type, made);
  if (type.description !== '') descriptions.set(made, type.description);
  const decorate = use === 'response' ? GraphqlObject : InputType;
  if (type.restOnly === true) {
    decorate({ isAbstract: true })(made);
    if (use === 'request') ArgsType()(made);
  } else {
    decorate(type.name, {
      ...(type.description !== '' && { description: type.description }),
      ...(type.hasGlobalId === true && use === 'response' && { implements: () => NodeInterface }),
    })(made);
  }
  addMembers(made, type, use);
  if (use === 'request') noteFormerNames(type);
  return made;
}

const formerNames = new Map<string, string>();

function noteFormerNames({ name, members }: ObjectType): void {
  for (const [member, { formerName }] of Object.entries(members)) {
    if (formerName !== undefined) formerNames.set(`${name}.${formerName}`, member);
  }
}

/** What the member of a GraphQL input is called now, by a name that it had. */
export function renamedMember(input: string, formerName: string): string | undefined {
  return formerNames.get(`${input}.${formerName}`);
}

/** Two types of one name would share one schema silently. */
function claimName(type: ObjectType, use: Use): void {
  const inGraphql = type.restOnly === true ? [] : [`GraphQL: ${type.name}`];
  for (const name of [...inGraphql, `${use} in OpenAPI: ${type.openApiName ?? type.name}`]) {
    const other = names.get(name);
    if (other !== undefined && other !== type) throw new Error(`Two types of the contract have one name, ${name}.`);
    names.set(name, type);
  }
}

/**
 * Says what else may be wrong with a request that is refused already, so that its caller learns of everything at once. The members may have
 * any type.
 */
export function crossFieldErrors<Type extends ObjectType>(
  type: Type,
  errorsOf: (given: Request<Type>) => readonly ErrorDetail[],
): void {
  Object.assign(requestClass(type), { crossFieldErrors: errorsOf });
}

const extended = new Map<ObjectType, new () => object>();

/** A request of REST with more members than its type has; in OpenAPI it has the type's name. */
export function extendedRequestClass(type: ObjectType, more: Members): new () => object {
  let made = extended.get(type);
  if (made === undefined) {
    made = class extends requestClass(type) {};
    Object.defineProperty(made, 'name', { value: type.openApiName ?? type.name });
    addMembers(made, { members: more }, 'request');
    extended.set(type, made);
  }
  return made;
}

/** The arguments of a GraphQL field. */
export function argumentsClass(name: string, type: Pick<ObjectType, 'members'>): new () => object {
  const made = namedClass(name);
  ArgsType()(made);
  addMembers(made, type, 'request');
  return made;
}

/** Members of a request that are no type of GraphQL: query parameters, and bodies of REST alone. */
export function restClass(name: string, type: Pick<ObjectType, 'members'>): new () => object {
  const made = namedClass(name);
  addMembers(made, type, 'request');
  return made;
}

function namedClass(name: string): new () => object {
  const made = class {};
  Object.defineProperty(made, 'name', { value: name });
  return made;
}

function addMembers(made: ShapeClass, { members }: Pick<ObjectType, 'members'>, use: Use): void {
  const prototype = made.prototype as object;
  for (const [name, member] of Object.entries(members)) addMember(prototype, name, member, use);
}

/** Declares a member of a class for GraphQL and OpenAPI, and of a request for its check. */
export function addMember(prototype: object, name: string, member: DeclaredMember, use: Use): void {
  const options = { ...member, type: propertyType(member.type, use) };
  const own = propertiesOfClass.get(prototype) ?? [];
  propertiesOfClass.set(prototype, [...own, { ...options, name }]);
  const { type, description } = options;
  const graphql = (): unknown => {
    const one =
      typeof type === 'string' ? SIMPLE_TYPES[type].graphql : typeof type === 'function' ? type() : type.graphql;
    return options.list === true ? [one] : one;
  };
  Field(graphql as () => typeof String, { nullable: options.optional === true, description })(prototype, name);
  if (use === 'request') checkProperty(prototype, name, options);
}

/** The members of a class, inherited ones first, in the order of their declaration. */
export function propertiesOf(shape: ShapeClass): readonly PropertyInfo[] {
  const chain: PropertyInfo[][] = [];
  for (let at = shape.prototype as object | null; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    chain.unshift(propertiesOfClass.get(at) ?? []);
  }
  return chain.flat();
}

/** What a class stands for, by its own declaration or by that of the class that it extends. */
export function descriptionOf(shape: ShapeClass): string | undefined {
  for (let at: unknown = shape; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const found = descriptions.get(at as ShapeClass);
    if (found !== undefined) return found;
  }
  return undefined;
}

function propertyType(type: MemberType | PropertyType, use: Use): PropertyType {
  if (typeof type === 'string') return type;
  if (typeof type === 'function') {
    return () => {
      const named = type();
      return typeof named === 'function' ? named : classOf(named, use);
    };
  }
  if ('words' in type) return type;
  if (type.kind === 'json') return 'json';
  if (type.kind === 'enum') return enumOf(type);
  // Now, and not when it is asked for: Nest collects types before it asks.
  const made = classOf(type, use);
  return () => made;
}

const enums = new Map<EnumType, WordsType>();

function enumOf(type: EnumType): WordsType {
  const known = enums.get(type);
  if (known !== undefined) return known;
  const { name, description, values } = type;
  const graphql = Object.fromEntries(values.map((value) => [value, value]));
  const meanings = VALUE_DESCRIPTIONS[name] ?? {};
  const valuesMap = Object.fromEntries(
    Object.entries(meanings).map(([value, description]) => [value, { description }]),
  );
  registerEnumType(graphql, { name, description, valuesMap });
  const made = { name, description, words: values, graphql };
  enums.set(type, made);
  return made;
}
