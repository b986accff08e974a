import {
  ArgsType,
  Extensions,
  Field,
  InputType,
  InterfaceType,
  ObjectType as GraphqlObject,
  registerEnumType,
} from '@nestjs/graphql';
import type {
  EnumType,
  Member,
  Members,
  MemberType,
  ObjectType,
  Request,
  Response,
  UnionType,
} from '../../contract/schema.js';
import { heldBy } from '../../contract/held-by.js';
import { VALUE_DESCRIPTIONS } from '../../contract/value-descriptions.js';
import { maskingExtensions } from '../masking/field-masking.js';
import { NodeInterface } from '../graphql/node-interface.js';
import { checkProperty } from '../envelope/check-property.js';
import type { FurtherErrors, Rejected } from '../envelope/read-envelope.js';
import { SIMPLE_TYPES, type PropertyType, type ObjectClass, type FieldEnum } from './field-type.js';

/*
 * Nest's GraphQL schema, class-validator and the OpenAPI document are built from classes. These classes are generated
 * from the contract, each when it is first requested.
 */

/** A member, with the type information that the generators read. */
export interface PropertyOptions extends Omit<Member, 'type'> {
  readonly type: PropertyType;
}

export interface PropertyInfo extends PropertyOptions {
  readonly name: string;
}

/** A member as declared: its type may also be a class. */
export interface DeclaredMember extends Omit<Member, 'type'> {
  readonly type: MemberType | PropertyType;
}

type Use = 'response' | 'request';

/** The types of a union, by the value of its discriminator. */
export interface UnionForms {
  readonly discriminator: string;
  readonly forms: readonly { readonly values: readonly string[]; readonly objectClass: ObjectClass }[];
}

interface ClassMembers {
  readonly list: readonly PropertyInfo[];
  readonly byName: ReadonlyMap<string, PropertyInfo>;
}

/** GraphQL interfaces: types that implement them are part of the schema even if no field returns them. */
export const INTERFACES: ObjectClass[] = [];

const classes = { response: new Map<ObjectType, ObjectClass>(), request: new Map<ObjectType, ObjectClass>() };
const unions = new Map<UnionType, ObjectClass>();
const formsOfClass = new WeakMap<ObjectClass, UnionForms>();
const names = new Map<string, ObjectType | UnionType>();
const propertiesOfClass = new WeakMap<object, PropertyInfo[]>();
/** With inherited ones, since a member was last declared: every request asks for them several times. */
let membersOfClasses = new WeakMap<ObjectClass, ClassMembers>();
const descriptions = new WeakMap<ObjectClass, string>();

export function responseClass<Type extends ObjectType | UnionType>(type: Type): new () => Response<Type> {
  return (type.kind === 'union' ? unionClass(type) : classOf(type, 'response')) as new () => Response<Type>;
}

export function requestClass<Type extends ObjectType>(type: Type): new () => Request<Type> {
  return classOf(type, 'request') as new () => Request<Type>;
}

function classOf(type: ObjectType, use: Use, implemented?: ObjectClass): ObjectClass {
  const known = classes[use].get(type);
  if (known !== undefined) return known;
  claimName(type, use);
  const made = namedClass(type.openApiName ?? type.name);
  classes[use].set(type, made);
  if (type.description !== '') descriptions.set(made, type.description);
  const described = type.description === '' ? {} : { description: type.description };
  // GraphQL does not allow a type without fields.
  if (type.restOnly === true || isEmpty(type)) {
    (use === 'response' ? GraphqlObject : InputType)({ isAbstract: true })(made);
    if (use === 'request') ArgsType()(made);
  } else if (use === 'request') InputType(type.name, described)(made);
  else {
    const interfaces = type.hasGlobalId === true ? () => NodeInterface : implemented;
    GraphqlObject(type.name, { ...described, ...(interfaces !== undefined && { implements: interfaces }) })(made);
  }
  addMembers(made, type, use);
  if (use === 'request') noteFormerNames(type);
  return made;
}

const isEmpty = ({ members }: Pick<ObjectType, 'members'>): boolean => Object.keys(members).length === 0;

function unionClass(type: UnionType): ObjectClass {
  const known = unions.get(type);
  if (known !== undefined) return known;
  const { name, description, discriminator, members, variants, objects, restOnly } = type;
  claimName(type, 'response');
  const made = namedClass(type.openApiName ?? name);
  unions.set(type, made);
  descriptions.set(made, description);
  const nameOf = new Map(variants.flatMap(({ name: form, values }) => values.map((value) => [value, form])));
  InterfaceType(name, {
    description,
    isAbstract: restOnly === true,
    resolveType: (value: Readonly<Record<string, string>>) => nameOf.get(value[discriminator]!),
  })(made);
  addMembers(made, { members }, 'response');
  const forms = objects.map((object, index) => ({
    values: variants[index]!.values,
    objectClass: classOf(object, 'response', made),
  }));
  formsOfClass.set(made, { discriminator, forms });
  if (restOnly !== true) INTERFACES.push(made);
  return made;
}

/** The types of a union class; undefined if the class is not a union. */
export function unionFormsOf(objectClass: ObjectClass): UnionForms | undefined {
  return formsOfClass.get(objectClass);
}

const formerNames = new Map<string, string>();

function noteFormerNames({ name, members }: ObjectType): void {
  for (const [member, { formerName }] of Object.entries(members)) {
    if (formerName !== undefined) formerNames.set(`${name}.${formerName}`, member);
  }
}

/** The current name of a GraphQL input member that was renamed. */
export function renamedMember(input: string, formerName: string): string | undefined {
  return formerNames.get(`${input}.${formerName}`);
}

/** Rejects a second type of the same name: both would silently share one schema. */
function claimName(type: ObjectType | UnionType, use: Use): void {
  const inGraphql = type.restOnly === true ? [] : [`GraphQL: ${type.name}`];
  for (const name of [...inGraphql, `${use} in OpenAPI: ${type.openApiName ?? type.name}`]) {
    const other = names.get(name);
    if (other !== undefined && other !== type)
      throw new Error(`Two types of the contract have the same name, ${name}.`);
    names.set(name, type);
  }
}

/**
 * Registers a check that finds further errors in a request that is already rejected, so that the caller gets all of
 * them together. Invalid members may have any type.
 */
export function crossFieldErrors<Type extends ObjectType>(
  type: Type,
  errorsOf: (given: Request<Type>, rejected: Rejected) => FurtherErrors,
): void {
  Object.assign(requestClass(type), { crossFieldErrors: errorsOf });
}

const extended = new Map<ObjectType, new () => object>();

/** A REST request with additional members; OpenAPI uses the name of the base type. */
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

const readByHandlers = new WeakSet<object>();

/** True if the handler, not the pipe, converts arguments to this class. */
export const isReadByHandler = (argumentsType: object): boolean => readByHandlers.has(argumentsType);

/** The arguments class of a GraphQL field; its handler reads the arguments. */
export function argumentsClass(name: string, type: Pick<ObjectType, 'members'>): new () => object {
  const made = namedClass(name);
  readByHandlers.add(made);
  ArgsType()(made);
  addMembers(made, type, 'request');
  return made;
}

/** A request class that GraphQL does not use: query parameters and REST-only bodies. */
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

function addMembers(made: ObjectClass, { members }: Pick<ObjectType, 'members'>, use: Use): void {
  const prototype = made.prototype as object;
  for (const [name, member] of Object.entries(members)) addMember(prototype, name, member, use, { members });
}

/**
 * Declares a class member for GraphQL and OpenAPI, and the validation of a request member.
 * @param owner the type of the contract that declares the member; by default one with this member only
 */
export function addMember(
  prototype: object,
  name: string,
  member: DeclaredMember,
  use: Use,
  owner?: Pick<ObjectType, 'members'>,
): void {
  const options = { ...member, type: propertyType(member.type, use) };
  const own = propertiesOfClass.get(prototype) ?? [];
  propertiesOfClass.set(prototype, [...own, { ...options, name }]);
  membersOfClasses = new WeakMap();
  const { type, description } = options;
  const graphql = (): unknown => {
    const one = graphqlType(type);
    return options.list === true ? [one] : one;
  };
  const nullable = options.optional === true || (use === 'response' && options.omittable === true);
  if (!isEmptyObject(member.type)) Field(graphql as () => typeof String, { nullable, description })(prototype, name);
  if (use === 'response' && isOfContract(member)) {
    const { columnOf } = member;
    const masking = { held: heldBy(member), columnOf, owner: owner ?? { members: { [name]: member } } };
    Extensions(maskingExtensions(masking))(prototype, name);
  }
  if (use !== 'request') return;
  checkProperty(prototype, name, options.checkedByReader === true ? { ...options, type: 'json' } : options);
}

/** Handwritten members may have a class as their type, or a type of the generators. */
function isOfContract(member: DeclaredMember): member is Member {
  const { type } = member;
  return typeof type === 'string' || (typeof type === 'object' && 'kind' in type);
}

function graphqlType(type: PropertyType): unknown {
  if (typeof type === 'function') return type();
  if (typeof type === 'string') return SIMPLE_TYPES[type].graphql;
  return 'form' in type ? SIMPLE_TYPES.json.graphql : type.graphql;
}

function isEmptyObject(type: DeclaredMember['type']): boolean {
  return typeof type === 'object' && 'kind' in type && type.kind === 'object' && isEmpty(type);
}

/** The members of a class, inherited ones first, in declaration order. */
export const propertiesOf = (objectClass: ObjectClass): readonly PropertyInfo[] => membersOf(objectClass).list;

/** The same by their names. */
export const propertiesByName = (objectClass: ObjectClass): ReadonlyMap<string, PropertyInfo> =>
  membersOf(objectClass).byName;

function membersOf(objectClass: ObjectClass): ClassMembers {
  let members = membersOfClasses.get(objectClass);
  if (members === undefined) {
    const chain: PropertyInfo[][] = [];
    for (
      let at = objectClass.prototype as object | null;
      at !== null;
      at = Object.getPrototypeOf(at) as object | null
    ) {
      chain.unshift(propertiesOfClass.get(at) ?? []);
    }
    const list = chain.flat();
    members = { list, byName: new Map(list.map((property) => [property.name, property])) };
    membersOfClasses.set(objectClass, members);
  }
  return members;
}

/** The description of a class, inherited from its base class if it has none. */
export function descriptionOf(objectClass: ObjectClass): string | undefined {
  for (let at: unknown = objectClass; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const found = descriptions.get(at as ObjectClass);
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
  if ('graphql' in type) return type;
  if ('form' in type && type.form !== undefined) return { form: type.form };
  if (!('kind' in type) || type.kind === 'json') return 'json';
  if (type.kind === 'enum') return enumOf(type);
  if (type.kind === 'union' && use === 'request')
    throw new Error(`${type.name} is a union, which a request cannot contain.`);
  // Evaluated immediately: Nest collects the types before it reads them.
  const made = type.kind === 'union' ? unionClass(type) : classOf(type, use);
  return () => made;
}

const enums = new Map<EnumType, FieldEnum>();

function enumOf(type: EnumType): FieldEnum {
  const known = enums.get(type);
  if (known !== undefined) return known;
  const { name, description, values, partOf } = type;
  if (partOf !== undefined) {
    const part = { ...enumOf(partOf), isPart: true, values };
    enums.set(type, part);
    return part;
  }
  const made = { name, description, values, graphql: type.restOnly === true ? String : graphqlEnum(type) };
  enums.set(type, made);
  return made;
}

function graphqlEnum({ name, description, values }: EnumType): object {
  const byName = Object.fromEntries(values.map((value) => [graphqlName(value), value]));
  const meanings = VALUE_DESCRIPTIONS[name] ?? {};
  const valuesMap = Object.fromEntries(
    Object.entries(meanings).map(([value, description]) => [graphqlName(value), { description }]),
  );
  registerEnumType(byName, { name, description, valuesMap });
  return byName;
}

/** Names of GraphQL have no hyphens. */
const graphqlName = (value: string): string => value.replaceAll('-', '_');
