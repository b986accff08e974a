import { GraphQLError, Kind, type ObjectValueNode, type ValueNode } from 'graphql';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.js';

/** Converts a literal of a query to JSON: integers without loss of precision, and any key as an own property. */
export function literalValue(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): JsonValue {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
      return integer(node.value);
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.ENUM:
      return node.value;
    case Kind.BOOLEAN:
      return node.value;
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variables));
    case Kind.OBJECT:
      return literalObject(node, variables);
    case Kind.VARIABLE: {
      const { value } = node.name;
      if (variables == null || !Object.hasOwn(variables, value)) return null;
      return variables[value] as JsonValue;
    }
  }
}

function literalObject(node: ObjectValueNode, variables?: Readonly<Record<string, unknown>> | null): JsonObject {
  const object: JsonObject = {};
  for (const { name, value } of node.fields) {
    if (Object.hasOwn(object, name.value)) {
      throw new GraphQLError(`The key ${JSON.stringify(name.value)} is used twice.`, { nodes: node });
    }
    Object.defineProperty(object, name.value, {
      value: literalValue(value, variables),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

function integer(text: string): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  if (text.length > 40) throw new GraphQLError('An integer is too large.');
  return BigInt(text);
}
