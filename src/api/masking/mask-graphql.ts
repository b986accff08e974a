import {
  getNamedType,
  GraphQLID,
  GraphQLString,
  isAbstractType,
  isEnumType,
  isObjectType,
  isOutputType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { collectValues, STEPPED_LEVELS, type ValuesByKey } from '../../app/withheld-values.js';
import { strictest, type Held } from '../../contract/held-by.js';
import { maskingOf } from './field-masking.js';
import { maskHeld, type Place, type Shape } from './mask-held.js';
import { addValues } from './mask-object.js';

/** The executed query: it maps each member of the response, whatever its alias, to its field. */
export interface Executed {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** A field of the query, with a type that declares it. */
interface TypedField {
  readonly type: GraphQLObjectType;
  readonly node: FieldNode;
}

/**
 * An object of the response with the fields of its members; if its exact type is unknown, those of all possible types.
 */
interface Typed {
  readonly object: JsonObject;
  readonly fields: ReadonlyMap<string, readonly TypedField[]>;
}

/** What a query selects from objects of a type. */
interface Selection {
  readonly type: GraphQLOutputType;
  readonly set: SelectionSetNode;
}

/**
 * Masks the values of taints and tolerations in the data of a GraphQL response, as `ObjectMask` does for REST: the extensions of a field
 * say what it holds. The query need not select the members beside a value.
 */
export class GraphqlMask {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  private readonly root: readonly Selection[];
  private readonly schema: GraphQLSchema;

  constructor({ schema, document, operation }: Executed) {
    this.schema = schema;
    this.fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    this.root = [{ type: schema.getRootType(operation.operation)!, set: operation.selectionSet }];
  }

  /** Collects values with the keys beside them. */
  collect(data: JsonObject, into: Map<string, Set<string>>): void {
    this.visit(this.typed(data, this.root), into);
  }

  mask(data: JsonObject, values: ValuesByKey): JsonObject {
    return this.masked(this.typed(data, this.root), values, []);
  }

  /** As `mask`, with a pause after each item of the upper lists. */
  stepMask(data: JsonObject, values: ValuesByKey): Generator<undefined, JsonObject> {
    return this.stepMasked(this.typed(data, this.root), values, [], STEPPED_LEVELS);
  }

  private *stepMasked(
    typed: Typed,
    values: ValuesByKey,
    above: readonly Shape[],
    levels: number,
  ): Generator<undefined, JsonObject> {
    if (levels === 0) return this.masked(typed, values, above);
    const { object, fields } = typed;
    const masked = Object.create(null) as JsonObject;
    const beside = (name: string): JsonValue | undefined => memberNamed(typed, name);
    for (const [key, member] of Object.entries(object)) {
      masked[key] = yield* this.stepMember(member, fields.get(key) ?? [], values, { beside, above }, levels);
    }
    return masked;
  }

  private *stepMember(
    member: JsonValue,
    fields: readonly TypedField[],
    values: ValuesByKey,
    place: Place,
    levels: number,
  ): Generator<undefined, JsonValue> {
    const next = selectionsOf(fields);
    if (next.length === 0 || typeof member !== 'object' || member === null) {
      return this.maskedMember(member, fields, values, place);
    }
    if (!Array.isArray(member)) {
      const owners = maskingsOf(fields).map(({ owner }) => owner);
      return yield* this.stepMasked(this.typed(member, next), values, owners, levels - 1);
    }
    const masked: JsonValue[] = [];
    for (const one of member) {
      masked.push(yield* this.stepMember(one, fields, values, place, levels));
      yield;
    }
    return masked;
  }

  private visit({ object, fields }: Typed, into: Map<string, Set<string>>): void {
    const key = memberNamed({ object, fields }, 'key');
    for (const [name, given] of fields) {
      const member = object[name] ?? null;
      const next = selectionsOf(given);
      if (next.length > 0) {
        for (const one of Array.isArray(member) ? member : [member]) {
          if (isJsonObject(one)) this.visit(this.typed(one, next), into);
        }
      } else if (heldByFields(given) !== 'taintValue') collectValues(member, into);
      // Without its key, it is among the values of the states and records that the response is based on.
      else if (typeof key === 'string') addValues(into, key, member);
    }
  }

  private masked(typed: Typed, values: ValuesByKey, above: readonly Shape[]): JsonObject {
    const { object, fields } = typed;
    const masked = Object.create(null) as JsonObject;
    const beside = (name: string): JsonValue | undefined => memberNamed(typed, name);
    for (const [key, member] of Object.entries(object)) {
      masked[key] = this.maskedMember(member, fields.get(key) ?? [], values, { beside, above });
    }
    return masked;
  }

  private maskedMember(member: JsonValue, fields: readonly TypedField[], values: ValuesByKey, place: Place): JsonValue {
    const next = selectionsOf(fields);
    if (next.length === 0) {
      const columnOf = maskingsOf(fields).find((one) => one.columnOf !== undefined)?.columnOf;
      return maskHeld(heldByFields(fields), member, values, { ...place, columnOf });
    }
    if (Array.isArray(member)) return member.map((one) => this.maskedMember(one, fields, values, place));
    if (!isJsonObject(member)) return member;
    const owners = maskingsOf(fields).map(({ owner }) => owner);
    return this.masked(this.typed(member, next), values, owners);
  }

  private typed(object: JsonObject, selections: readonly Selection[]): Typed {
    const fields = new Map<string, TypedField[]>();
    for (const { type, set } of selections) this.collectFields(this.typesOf(type), set, fields);
    return { object, fields };
  }

  /** For an interface, all its types: a response need not contain `__typename`. */
  private typesOf(type: GraphQLOutputType): readonly GraphQLObjectType[] {
    if (isObjectType(type)) return [type];
    return isAbstractType(type) ? this.schema.getPossibleTypes(type) : [];
  }

  private collectFields(
    types: readonly GraphQLObjectType[],
    { selections }: SelectionSetNode,
    into: Map<string, TypedField[]>,
  ): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        into.set(key, [...(into.get(key) ?? []), ...types.map((type) => ({ type, node }))]);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.fragments.get(node.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value;
      const named = condition === undefined ? undefined : this.schema.getType(condition);
      const within = named !== undefined && isOutputType(named) ? this.typesOf(named) : types;
      this.collectFields(
        types.filter((type) => within.includes(type)),
        fragment.selectionSet,
        into,
      );
    }
  }
}

/** The member of an object with this name in the contract, whatever its alias. */
function memberNamed({ object, fields }: Typed, name: string): JsonValue | undefined {
  for (const [key, given] of fields) if (given.some(({ node }) => node.name.value === name)) return object[key];
  return undefined;
}

const maskingsOf = (fields: readonly TypedField[]) =>
  fields.flatMap(({ type, node }) => {
    const field = type.getFields()[node.name.value];
    return (field && maskingOf(field)) ?? [];
  });

/** What a member without a selection holds: for an alias of fields of several types, the strictest. */
function heldByFields(fields: readonly TypedField[]): Held {
  return strictest(
    fields.map(({ type, node }) => {
      const field = type.getFields()[node.name.value];
      // Introspection contains no data of a cluster.
      return field === undefined ? 'nothing' : (maskingOf(field)?.held ?? heldByScalar(getNamedType(field.type)));
    }),
  );
}

/** What a field holds that the contract does not declare. */
function heldByScalar(type: GraphQLNamedType): Held {
  if (isEnumType(type) || type === GraphQLID) return 'nothing';
  return type === GraphQLString ? 'text' : 'json';
}

/** The selections from objects. Introspection has no type here, and contains no cluster data. */
function selectionsOf(fields: readonly TypedField[]): readonly Selection[] {
  return fields.flatMap(({ type, node }) => {
    const field = type.getFields()[node.name.value];
    if (field === undefined || node.selectionSet === undefined) return [];
    return [{ type: getNamedType(field.type), set: node.selectionSet }];
  });
}
