import {
  getNamedType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { addValue, collectValues, type ValuesByKey } from '../../app/withheld-values.js';
import { maskJson, maskValue } from './mask-json.js';
import { maskText } from './mask-text.js';

/** What was executed: it says which field each member of the answer is, whatever the query calls it. */
export interface Executed {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** An object of the answer, with the fields that its members are. */
interface Typed {
  readonly type: GraphQLObjectType;
  readonly object: JsonObject;
  readonly fields: ReadonlyMap<string, readonly FieldNode[]>;
}

/** The data of a GraphQL answer with the values of taints and tolerations masked, as `maskJson` does it for REST. */
export class GraphqlMask {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  private readonly root: GraphQLObjectType;
  private readonly selection: SelectionSetNode;

  constructor({ schema, document, operation }: Executed) {
    this.fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    this.root = schema.getRootType(operation.operation)!;
    this.selection = operation.selectionSet;
  }

  /** Notes the values that stand beside their keys. */
  collect(data: JsonObject, into: Map<string, Set<string>>): void {
    this.visit(this.typed(data, this.root, [this.selection]), into);
  }

  mask(data: JsonObject, values: ValuesByKey): JsonObject {
    return this.masked(this.typed(data, this.root, [this.selection]), values);
  }

  private visit(typed: Typed, into: Map<string, Set<string>>): void {
    const { type, object, fields } = typed;
    const named = (name: string): JsonValue[] =>
      [...fields].flatMap(([key, nodes]) => (nodes[0]?.name.value === name ? [object[key] ?? null] : []));
    for (const key of named('key')) {
      for (const value of named('value')) {
        if (typeof key === 'string' && typeof value === 'string') addValue(into, key, value);
      }
    }
    for (const [key, nodes] of fields) {
      const next = namedTypeOf(type, nodes);
      const member = object[key] ?? null;
      for (const one of Array.isArray(member) ? member : [member]) {
        if (!isObjectType(next)) collectValues(one, into);
        else if (isObject(one)) this.visit(this.typed(one, next, selectionsOf(nodes)), into);
      }
    }
  }

  private masked({ type, object, fields }: Typed, values: ValuesByKey): JsonObject {
    const masked = Object.create(null) as JsonObject;
    for (const [key, member] of Object.entries(object)) {
      const nodes = fields.get(key) ?? [];
      masked[key] = this.maskedMember(member, type, nodes, values);
    }
    return masked;
  }

  private maskedMember(
    member: JsonValue,
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
    values: ValuesByKey,
  ): JsonValue {
    if (Array.isArray(member)) return member.map((one) => this.maskedMember(one, type, nodes, values));
    if (isValueField(type, nodes)) return maskValue(member, values);
    if (typeof member === 'string') return maskText(member, values);
    if (!isObject(member)) return member;
    const next = namedTypeOf(type, nodes);
    if (isObjectType(next)) return this.masked(this.typed(member, next, selectionsOf(nodes)), values);
    return maskJson(member, values);
  }

  private typed(object: JsonObject, type: GraphQLObjectType, selections: readonly SelectionSetNode[]): Typed {
    const fields = new Map<string, FieldNode[]>();
    for (const selection of selections) this.collectFields(selection, fields);
    return { type, object, fields };
  }

  /** Fragments are on the type itself: the schema has neither interfaces nor unions. */
  private collectFields({ selections }: SelectionSetNode, into: Map<string, FieldNode[]>): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        into.set(key, [...(into.get(key) ?? []), node]);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.fragments.get(node.name.value);
      if (fragment !== undefined) this.collectFields(fragment.selectionSet, into);
    }
  }
}

/** The rule of `maskJson`, told by the type: the query need not ask for the key. */
function isValueField(type: GraphQLObjectType, [node]: readonly FieldNode[]): boolean {
  const name = node?.name.value;
  const fields = type.getFields();
  if (fields['key'] === undefined) return false;
  return name === 'value' || (name === 'values' && fields['operator'] === undefined);
}

/** Introspection has no type here; nothing of it is anybody's. */
function namedTypeOf(type: GraphQLObjectType, [node]: readonly FieldNode[]) {
  const field = type.getFields()[node?.name.value ?? ''];
  return field === undefined ? undefined : getNamedType(field.type);
}

function selectionsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
