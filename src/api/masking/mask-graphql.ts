import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInterfaceType,
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

type TypeWithFields = GraphQLObjectType | GraphQLInterfaceType;

/** A field where the query selects it: on the type itself, or on one of its forms. */
interface Selected {
  readonly node: FieldNode;
  readonly type: TypeWithFields;
}

/** Selections with the type that they are made on. */
interface SelectedOn {
  readonly type: TypeWithFields;
  readonly selections: SelectionSetNode;
}

/** An object of the answer, with the fields that its members may be: several where it may have one of several forms. */
interface Typed {
  readonly object: JsonObject;
  readonly fields: ReadonlyMap<string, readonly Selected[]>;
}

/** The data of a GraphQL answer with the values of taints and tolerations masked, as `maskJson` does it for REST. */
export class GraphqlMask {
  private readonly schema: GraphQLSchema;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  private readonly root: GraphQLObjectType;
  private readonly selection: SelectionSetNode;

  constructor({ schema, document, operation }: Executed) {
    this.fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    this.schema = schema;
    this.root = schema.getRootType(operation.operation)!;
    this.selection = operation.selectionSet;
  }

  /** Notes the values that stand beside their keys. */
  collect(data: JsonObject, into: Map<string, Set<string>>): void {
    this.visit(this.typed(data, [{ type: this.root, selections: this.selection }]), into);
  }

  mask(data: JsonObject, values: ValuesByKey): JsonObject {
    return this.masked(this.typed(data, [{ type: this.root, selections: this.selection }]), values);
  }

  private visit({ object, fields }: Typed, into: Map<string, Set<string>>): void {
    const named = (name: string): JsonValue[] =>
      [...fields].flatMap(([key, selected]) =>
        selected.some(({ node }) => node.name.value === name) ? [object[key] ?? null] : [],
      );
    for (const key of named('key')) {
      for (const value of named('value')) {
        if (typeof key === 'string' && typeof value === 'string') addValue(into, key, value);
      }
    }
    for (const [key, selected] of fields) {
      const next = selectionsWithin(selected);
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

  private maskedMember(member: JsonValue, selected: readonly Selected[], values: ValuesByKey): JsonValue {
    if (Array.isArray(member)) return member.map((one) => this.maskedMember(one, selected, values));
    if (selected.some(isValueField)) return maskValue(member, values);
    if (typeof member === 'string') return maskText(member, values);
    if (!isObject(member)) return member;
    const next = selectionsWithin(selected);
    if (next.length > 0) return this.masked(this.typed(member, next), values);
    return maskJson(member, values);
  }

  private typed(object: JsonObject, selected: readonly SelectedOn[]): Typed {
    const fields = new Map<string, Selected[]>();
    for (const { type, selections } of selected) this.collectFields(type, selections, fields);
    return { object, fields };
  }

  private collectFields(type: TypeWithFields, { selections }: SelectionSetNode, into: Map<string, Selected[]>): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        into.set(key, [...(into.get(key) ?? []), { node, type }]);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.fragments.get(node.name.value);
      if (fragment === undefined) continue;
      const form = this.schema.getType(fragment.typeCondition?.name.value ?? '');
      this.collectFields(hasFields(form) ? form : type, fragment.selectionSet, into);
    }
  }
}

/** The rule of `maskJson`, told by the type: the query need not ask for the key. */
function isValueField({ node, type }: Selected): boolean {
  const name = node.name.value;
  const fields = type.getFields();
  if (fields['key'] === undefined) return false;
  return name === 'value' || (name === 'values' && fields['operator'] === undefined);
}

/** What is selected within a field; nothing of a scalar, and nothing of introspection, which has no type here. */
function selectionsWithin(selected: readonly Selected[]): readonly SelectedOn[] {
  return selected.flatMap(({ node, type }) => {
    const field = type.getFields()[node.name.value];
    const next = field === undefined ? undefined : getNamedType(field.type);
    return hasFields(next) && node.selectionSet !== undefined ? [{ type: next, selections: node.selectionSet }] : [];
  });
}

const hasFields = (type: unknown): type is TypeWithFields => isObjectType(type) || isInterfaceType(type);

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
