import {
  getNamedType,
  isAbstractType,
  isObjectType,
  isOutputType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { addValue, collectValues, type ValuesByKey } from '../../app/withheld-values.js';
import { maskJson, maskValue } from './mask-json.js';
import { maskText } from './mask-text.js';

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

/** Masks the values of taints and tolerations in the data of a GraphQL response, as `maskJson` does for REST. */
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
    return this.masked(this.typed(data, this.root), values);
  }

  private visit({ object, fields }: Typed, into: Map<string, Set<string>>): void {
    const named = (name: string): JsonValue[] =>
      [...fields].flatMap(([key, given]) =>
        given.some(({ node }) => node.name.value === name) ? [object[key] ?? null] : [],
      );
    for (const key of named('key')) {
      for (const value of named('value')) {
        if (typeof key === 'string' && typeof value === 'string') addValue(into, key, value);
      }
    }
    for (const [key, given] of fields) {
      const next = selectionsOf(given);
      const member = object[key] ?? null;
      for (const one of Array.isArray(member) ? member : [member]) {
        if (next.length === 0) collectValues(one, into);
        else if (isObject(one)) this.visit(this.typed(one, next), into);
      }
    }
  }

  private masked({ object, fields }: Typed, values: ValuesByKey): JsonObject {
    const masked = Object.create(null) as JsonObject;
    for (const [key, member] of Object.entries(object)) {
      masked[key] = this.maskedMember(member, fields.get(key) ?? [], values);
    }
    return masked;
  }

  private maskedMember(member: JsonValue, fields: readonly TypedField[], values: ValuesByKey): JsonValue {
    if (Array.isArray(member)) return member.map((one) => this.maskedMember(one, fields, values));
    if (fields.some(isValueField)) return maskValue(member, values);
    if (typeof member === 'string') return maskText(member, values);
    if (!isObject(member)) return member;
    const next = selectionsOf(fields);
    return next.length > 0 ? this.masked(this.typed(member, next), values) : maskJson(member, values);
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

/** The rule of `maskJson`, applied by type: the query need not select the key. */
function isValueField({ type, node }: TypedField): boolean {
  const name = node.name.value;
  const fields = type.getFields();
  if (fields['key'] === undefined) return false;
  return name === 'value' || (name === 'values' && fields['operator'] === undefined);
}

/** The selections from objects. Introspection has no type here, and contains no cluster data. */
function selectionsOf(fields: readonly TypedField[]): readonly Selection[] {
  return fields.flatMap(({ type, node }) => {
    const field = type.getFields()[node.name.value];
    if (field === undefined || node.selectionSet === undefined) return [];
    return [{ type: getNamedType(field.type), set: node.selectionSet }];
  });
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
