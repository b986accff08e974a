import { defined } from '../../core/collections/defined.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { propertiesOf, type PropertyInfo } from '../shapes/property.js';
import { SIMPLE_TYPES, type ShapeClass } from '../shapes/property-type.js';

type Direction = 'request' | 'answer';

/** Turns shapes into JSON schemas, each once, under the name of its class. */
export class ShapeSchemas {
  private readonly schemas = new Map<string, JsonObject>();

  /** All that were referred to, by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  reference(shape: ShapeClass, direction: Direction): JsonObject {
    const name = shape.name.replace(/(Shape|Body)$/, '') + (direction === 'request' ? 'Request' : '');
    if (!this.schemas.has(name)) {
      // Before its members, so that a shape may hold itself.
      this.schemas.set(name, {});
      this.schemas.set(name, this.object(shape, direction));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  ofProperty(property: PropertyInfo, direction: Direction = 'request'): JsonObject {
    const one = this.ofType(property, direction);
    const { minimum, maximum, maximumLength, defaultsTo } = property;
    const bounds: JsonObject = {
      ...defined({ minimum, maximum }),
    };
    const whole: JsonObject =
      property.list === true
        ? { type: 'array', items: one, ...defined({ maxItems: maximumLength }) }
        : { ...one, ...bounds, ...defined({ maxLength: maximumLength }) };
    return { ...whole, ...defined({ default: defaultsTo }) };
  }

  private ofType({ type }: PropertyInfo, direction: Direction): JsonObject {
    if (typeof type === 'string') return { ...SIMPLE_TYPES[type].schema };
    if (typeof type === 'function') return this.reference(type(), direction);
    return { type: 'string', enum: [...type.words], description: type.description };
  }

  private object(shape: ShapeClass, direction: Direction): JsonObject {
    const properties = propertiesOf(shape);
    // An answer has all of its properties but those whose form is not ours, some of them null; a request leaves out what is optional.
    const required = properties
      .filter((one) => (direction === 'answer' ? one.omittable !== true : one.optional !== true))
      .map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map((property) => [property.name, this.described(property, direction)]),
      ),
      ...(required.length === 0 ? {} : { required }),
      ...(direction === 'request' ? { additionalProperties: false } : {}),
    };
  }

  private described(property: PropertyInfo, direction: Direction): JsonObject {
    const schema = this.ofProperty(property, direction);
    const orNull =
      direction === 'answer' && property.optional === true && property.omittable !== true
        ? { oneOf: [schema, { type: 'null' }] }
        : schema;
    return {
      ...orNull,
      description: property.description,
      ...(property.example === undefined ? {} : { examples: [property.example as JsonValue] }),
    };
  }
}
