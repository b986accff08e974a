import { Field } from '@nestjs/graphql';
import { checkProperty } from '../envelope/check-property.js';
import { SIMPLE_TYPES, type PropertyType, type ShapeClass } from './property-type.js';

export interface PropertyOptions {
  readonly type: PropertyType;
  /** A list of that type. */
  readonly list?: boolean;
  /** May be absent (in requests), or null (in answers). */
  readonly optional?: boolean;
  readonly description: string;
  readonly example?: unknown;
  /** What an absent one means; for the documentation. */
  readonly defaultsTo?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of a string in UTF-16 code units, or of a list in items. */
  readonly maximumLength?: number;
  /** The members are envelopes that the handler reads one by one, so that a bad one does not spoil the others. */
  readonly readApart?: boolean;
}

export interface PropertyInfo extends PropertyOptions {
  readonly name: string;
}

const propertiesOfClass = new WeakMap<object, PropertyInfo[]>();

/** A property of an answer: one declaration for GraphQL and for OpenAPI. */
export function Shown(options: PropertyOptions): PropertyDecorator {
  return (prototype, key) => {
    declare(prototype, key as string, options);
  };
}

/** A property of a request: as `Shown`, and checked when a request arrives. */
export function Given(options: PropertyOptions): PropertyDecorator {
  return (prototype, key) => {
    declare(prototype, key as string, options);
    checkProperty(prototype, key as string, options);
  };
}

function declare(prototype: object, name: string, options: PropertyOptions): void {
  const own = propertiesOfClass.get(prototype) ?? [];
  propertiesOfClass.set(prototype, [...own, { ...options, name }]);
  const { type } = options;
  const graphql = (): unknown => {
    const one =
      typeof type === 'string' ? SIMPLE_TYPES[type].graphql : typeof type === 'function' ? type() : type.graphql;
    return options.list === true ? [one] : one;
  };
  const description = options.description;
  Field(graphql as () => typeof String, { nullable: options.optional === true, description })(prototype, name);
}

/** The properties of a shape, inherited ones first, in the order of their declaration. */
export function propertiesOf(shape: ShapeClass): readonly PropertyInfo[] {
  const chain: PropertyInfo[][] = [];
  for (let at = shape.prototype as object | null; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    chain.unshift(propertiesOfClass.get(at) ?? []);
  }
  return chain.flat();
}
