import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isInterfaceType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Dice } from './dice.js';

/** A value of an enum, which a literal writes without quotes. */
class Word {
  constructor(readonly word: string) {}
}

export interface GeneratedQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The path of a field from `Query`, including the field. */
export type FieldPath = readonly GraphQLField<unknown, unknown>[];

/** Every field with arguments, and every field of `Query`, each by its shortest path. */
export function askableFields(schema: GraphQLSchema): FieldPath[] {
  const found: FieldPath[] = [];
  const seen = new Set<GraphQLObjectType>();
  let paths: { readonly type: GraphQLObjectType; readonly path: FieldPath }[] = [
    { type: schema.getQueryType()!, path: [] },
  ];
  while (paths.length > 0) {
    const next: typeof paths = [];
    for (const { type, path } of paths) {
      if (seen.has(type)) continue;
      seen.add(type);
      for (const field of Object.values(type.getFields())) {
        const here = [...path, field];
        if (path.length === 0 || field.args.length > 0) found.push(here);
        const inner = getNamedType(field.type);
        if (isObjectType(inner)) next.push({ type: inner, path: here });
      }
    }
    paths = next;
  }
  return found;
}

/** Values of arguments, by the name of the argument or input field, otherwise by the name of its type. */
export type Samples = Readonly<Record<string, readonly unknown[]>>;

/** Generates queries for the fields of a schema; equal dice generate equal queries. */
export class QueryGenerator {
  constructor(
    private readonly dice: Dice,
    private readonly samples: Samples,
  ) {}

  /**
   * A query for the last field of a path.
   * @param only the optional arguments to use; random if absent
   */
  query(path: FieldPath, as: 'literal' | 'variable', only?: string): GeneratedQuery {
    const declared: string[] = [];
    const variables: Record<string, unknown> = {};
    const last = path.length - 1;
    const calls = path.map(({ name, args }, depth) => {
      const given = args.filter(
        (arg) =>
          isNonNullType(arg.type) ||
          (depth === last && (only === undefined ? this.dice.chance(35) : arg.name === only)),
      );
      const texts = given.map((arg) => {
        const value = this.valueOf(arg.type, arg.name);
        if (as === 'literal' && !needsVariable(arg)) return `${arg.name}: ${literal(value)}`;
        const variable = `v${declared.length}`;
        declared.push(`$${variable}: ${String(arg.type)}`);
        variables[variable] = plain(value);
        return `${arg.name}: $${variable}`;
      });
      return `${name}${texts.length === 0 ? '' : `(${texts.join(', ')})`}`;
    });
    const type = getNamedType(path[last]!.type);
    const selection = hasFields(type) ? selectionOf(type, 3) : '';
    const asked = calls.reduceRight(
      (inner, call) => (inner === '' ? call : `${call} ${inner.startsWith('{') ? inner : `{ ${inner} }`}`),
      selection,
    );
    const head = declared.length === 0 ? 'query' : `query (${declared.join(', ')})`;
    return { query: `${head} { ${asked} }`, variables };
  }

  private valueOf(type: GraphQLInputType, name: string): unknown {
    if (isNonNullType(type)) return this.valueOf(type.ofType, name);
    if (isListType(type)) {
      return Array.from({ length: 1 + this.dice.below(2) }, () => this.valueOf(type.ofType, name));
    }
    if (isEnumType(type)) return new Word(this.dice.one(type.getValues()).name);
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => isNonNullType(field.type) || this.dice.chance(40),
      );
      return Object.fromEntries(fields.map((field) => [field.name, this.valueOf(field.type, field.name)]));
    }
    const known = this.samples[name] ?? this.samples[type.name];
    if (known === undefined) throw new Error(`there are no samples of ${type.name}`);
    return this.dice.one(known);
  }
}

/**
 * Whether an argument needs a variable, because a literal cannot contain a key with a slash, as in labels and
 * manifests.
 */
function needsVariable({ type }: GraphQLArgument): boolean {
  const { name } = getNamedType(type);
  return name === 'KubernetesObject' || name === 'Labels' || name === 'JSON';
}

function literal(value: unknown): string {
  if (value instanceof Word) return value.word;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${/^\w+$/.test(key) ? key : 'other'}: ${literal(member)}`)
    .join(', ')} }`;
}

function plain(value: unknown): unknown {
  if (value instanceof Word) return value.word;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

/** The types whose fields can be selected. */
type TypeWithFields = GraphQLObjectType | GraphQLInterfaceType;

const hasFields = (type: unknown): type is TypeWithFields => isObjectType(type) || isInterfaceType(type);

function selectionOf(type: TypeWithFields, depth: number): string {
  const texts = Object.values(type.getFields()).flatMap(({ name, args, type: of }) => {
    const inner = getNamedType(of);
    if (args.length > 0 || (hasFields(inner) && depth === 1)) return [];
    return hasFields(inner) ? [`${name} ${selectionOf(inner, depth - 1)}`] : [name];
  });
  return `{ ${['__typename', ...texts].join(' ')} }`;
}
