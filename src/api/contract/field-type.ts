import { Int, Float, ID } from '@nestjs/graphql';
import type { GraphQLScalarType } from 'graphql';
import type { JsonForm } from '../../contract/schema.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { DateTimeScalar } from '../graphql/scalars/date-time.js';
import { Int64Scalar } from '../graphql/scalars/int64.js';
import { JsonScalar } from '../graphql/scalars/json.js';
import { KubernetesObjectScalar } from '../graphql/scalars/kubernetes-object.js';
import { LabelsScalar } from '../graphql/scalars/labels.js';
import { QuantityScalar } from '../graphql/scalars/quantity.js';

/** The types that both transports support. */
export type SimpleType = keyof typeof SIMPLE_TYPES;

/** A fixed set of values. */
export interface FieldEnum {
  readonly name: string;
  readonly description: string;
  readonly values: readonly string[];
  /** True for a subset of the named enum. */
  readonly isPart?: boolean;
  /** The object that GraphQL identifies the enum by. */
  readonly graphql: object;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the arguments of the constructor do not matter
export type ObjectClass = abstract new (...args: any[]) => object;

/** JSON of a form that the OpenAPI document spells out. */
export interface FieldJson {
  readonly form: JsonForm;
}

export type PropertyType = SimpleType | FieldEnum | FieldJson | (() => ObjectClass);

interface SimpleTypeEntry {
  readonly graphql: GraphQLScalarType | typeof String | typeof Boolean;
  /** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
  readonly schema: JsonObject;
}

function simple(graphql: SimpleTypeEntry['graphql'], schema: JsonObject): SimpleTypeEntry {
  return { graphql, schema };
}

/** Each simple type in GraphQL and in OpenAPI. */
export const SIMPLE_TYPES = {
  id: simple(ID, { type: 'string' }),
  string: simple(String, { type: 'string' }),
  identifier: simple(String, { type: 'string' }),
  boolean: simple(Boolean, { type: 'boolean' }),
  integer: simple(Int, { type: 'integer' }),
  number: simple(Float, { type: 'number' }),
  int64: simple(Int64Scalar, { type: 'integer', format: 'int64' }),
  time: simple(DateTimeScalar, { type: 'string', format: 'date-time' }),
  quantity: simple(QuantityScalar, { type: ['string', 'number'], description: 'A Kubernetes quantity.' }),
  labels: simple(LabelsScalar, { type: 'object', additionalProperties: { type: 'string' } }),
  kubernetesObject: simple(KubernetesObjectScalar, { type: 'object', additionalProperties: true }),
  json: simple(JsonScalar, {}),
} satisfies Record<string, SimpleTypeEntry>;
