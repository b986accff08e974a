import { defined } from '../../core/collections/defined.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { descriptionOf, unionFormsOf, type UnionForms } from '../contract/object-classes.js';
import { propertiesOf, type PropertyInfo } from '../contract/field-decorators.js';
import type { JsonForm } from '../../contract/schema.js';
import { SIMPLE_TYPES, type ObjectClass, type FieldEnum } from '../contract/field-type.js';

type Direction = 'request' | 'answer';

type Owner = ObjectClass | FieldEnum | JsonForm;

const NULL: JsonObject = { type: 'null' };

/** Converts classes to JSON schemas, each once, under the name of its class; enums under their own names. */
export class ObjectSchemas {
  private readonly schemas = new Map<string, JsonObject>();
  private readonly owners = new Map<string, Owner>();

  /** All referenced schemas, by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  reference(objectClass: ObjectClass, direction: Direction): JsonObject {
    const own = objectClass.name.replace(/Body$/, '');
    const name = direction === 'answer' || own.endsWith('Request') ? own : `${own}Request`;
    if (this.claim(name, objectClass)) {
      // Registered before its members, since a class may contain itself.
      this.schemas.set(name, {});
      const union = unionFormsOf(objectClass);
      this.schemas.set(
        name,
        union === undefined ? this.object(objectClass, direction) : this.union(descriptionOf(objectClass) ?? '', union),
      );
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A body that may be a manifest instead. It has a name: generators would have a type of it for each media type. */
  requestOrManifest(objectClass: ObjectClass, manifest: JsonObject): JsonObject {
    const own = this.reference(objectClass, 'request');
    const name = `${nameIn(own)}OrManifest`;
    if (this.claim(name, objectClass)) {
      const description = 'The question with its manifest, or the manifest alone.';
      this.schemas.set(name, { anyOf: [own, manifest], description });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  ofProperty(property: PropertyInfo, direction: Direction = 'request'): JsonObject {
    const one = this.ofType(property, direction);
    const { minimum, maximum, maximumLength } = property;
    return property.list === true
      ? { type: 'array', items: one, ...defined({ maxItems: maximumLength }) }
      : { ...one, ...defined({ minimum, maximum, maxLength: maximumLength }) };
  }

  private ofType({ type }: PropertyInfo, direction: Direction): JsonObject {
    if (typeof type === 'string') return { ...SIMPLE_TYPES[type].schema };
    if (typeof type === 'function') return this.reference(type(), direction);
    if ('form' in type) {
      const { name, description, schema } = type.form;
      if (this.claim(name, type.form)) this.schemas.set(name, { ...schema, description });
      return { $ref: `#/components/schemas/${name}` };
    }
    if (type.isPart === true) return { type: 'string', enum: [...type.values] };
    if (this.claim(type.name, type)) {
      this.schemas.set(type.name, { type: 'string', enum: [...type.values], description: type.description });
    }
    return { $ref: `#/components/schemas/${type.name}` };
  }

  /**
   * @returns whether the name is new
   * @throws {Error} if another type has the name: both would silently share one schema
   */
  private claim(name: string, owner: Owner): boolean {
    const other = this.owners.get(name);
    if (other !== undefined && other !== owner)
      throw new Error(`Two types of the document have the same name, ${name}.`);
    this.owners.set(name, owner);
    return other === undefined;
  }

  private union(description: string, { discriminator, forms }: UnionForms): JsonObject {
    const references = forms.map(({ values, objectClass }) => ({ values, one: this.reference(objectClass, 'answer') }));
    return {
      description,
      oneOf: references.map(({ one }) => one),
      discriminator: {
        propertyName: discriminator,
        mapping: Object.fromEntries(
          references.flatMap(({ values, one }) => values.map((value) => [value, one['$ref']!])),
        ),
      },
    };
  }

  private object(objectClass: ObjectClass, direction: Direction): JsonObject {
    const properties = propertiesOf(objectClass);
    // A response has all of its properties, some of them null, unless Kubernetes defines the object; a request omits
    // optional ones.
    const required = properties
      .filter((one) => (direction === 'answer' ? one.omittable !== true : one.optional !== true))
      .map(({ name }) => name);
    return {
      type: 'object',
      description: descriptionOf(objectClass) ?? defaultDescription(properties, direction),
      properties: Object.fromEntries(properties.map((property) => [property.name, this.member(property, direction)])),
      ...(required.length === 0 ? {} : { required }),
      ...(direction === 'request' ? { additionalProperties: false } : {}),
    };
  }

  private member(property: PropertyInfo, direction: Direction): JsonObject {
    const described = this.described(property, direction);
    const { sharedAs } = property;
    // A plain reference is as short as the reference to a shared schema.
    if (sharedAs === undefined || described['description'] === undefined) return described;
    const known = this.schemas.get(sharedAs) ?? described;
    // One with a text of its own keeps it.
    if (JSON.stringify(known) !== JSON.stringify(described)) return described;
    this.schemas.set(sharedAs, known);
    return { $ref: `#/components/schemas/${sharedAs}` };
  }

  private descriptionAt(schema: JsonObject): JsonValue | undefined {
    return this.schemas.get(nameIn(schema))?.['description'];
  }

  private described(property: PropertyInfo, direction: Direction): JsonObject {
    const schema = this.ofProperty(property, direction);
    const isNullable = direction === 'answer' && property.optional === true;
    const description = describedWithDefault(property);
    return {
      ...(isNullable ? orNull(schema) : schema),
      // What the schema that is referred to says is not said again.
      ...(description !== this.descriptionAt(schema) && { description }),
      // Examples of responses are part of the operations.
      ...(direction === 'answer' || property.example === undefined
        ? {}
        : { examples: [property.example as JsonValue] }),
    };
  }
}

/**
 * In a body, the default is stated in the description: some generators declare a property with the keyword `default` as
 * required.
 */
function describedWithDefault({ description, defaultsTo }: PropertyInfo): string {
  if (defaultsTo === undefined) return description;
  return `${description} Default: \`${String(defaultsTo)}\`.`;
}

/** The name of the schema that is referred to; empty for any other. */
function nameIn({ $ref: reference }: JsonObject): string {
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : '';
}

/** A list is described by its items; the operation describes other bodies. */
function defaultDescription(properties: readonly PropertyInfo[], direction: Direction): string {
  if (direction === 'request') return 'The body.';
  return properties.find(({ name, list }) => name === 'items' && list === true)?.description ?? 'The body.';
}

/** The same schema, or null. */
function orNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  // A schema without a type already accepts null.
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (Array.isArray(type)) return { ...schema, type: [...type, 'null'] };
  return { anyOf: [schema, NULL] };
}
