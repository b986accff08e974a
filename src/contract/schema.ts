import type { JsonObject, JsonValue } from '../core/json/json-value.js';

/** The types of members in both REST and GraphQL, with their TypeScript types in a request. */
interface RequestValues {
  id: string;
  /** Text, or anything else that may quote the value of a taint. */
  string: string;
  /** A name, key, amount or other term that never quotes the value of a taint; a string in both transports. */
  identifier: string;
  boolean: boolean;
  /** 32 bits, signed. */
  integer: number;
  number: number;
  /** A bigint beyond 2^53. */
  int64: number | bigint;
  /** RFC 3339. */
  time: string;
  /** A Kubernetes quantity. */
  quantity: string | number | bigint;
  labels: Readonly<Record<string, string>>;
  kubernetesObject: JsonObject;
  json: JsonValue;
}

/** The TypeScript types of the same in a response. */
interface ResponseValues {
  id: string;
  string: string;
  identifier: string;
  boolean: boolean;
  integer: number;
  number: number;
  int64: number | bigint;
  /** Written as RFC 3339. */
  time: Date | string;
  quantity: string | number;
  labels: Readonly<Record<string, string>>;
  kubernetesObject: object;
  json: unknown;
}

export type SimpleType = keyof RequestValues;

/** A fixed set of values, such as verdicts; the same in REST and in GraphQL. */
export interface EnumType<Value extends string = string> {
  readonly kind: 'enum';
  readonly name: string;
  readonly description: string;
  readonly values: readonly Value[];
  /** The whole set, if this is a subset: GraphQL uses the whole set. */
  readonly partOf?: EnumType;
  /** GraphQL has it as a string. */
  readonly restOnly?: boolean;
}

declare const VALUE: unique symbol;

/** A schema of the OpenAPI document, under its name. */
export interface JsonForm {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12, without references. */
  readonly schema: JsonObject;
}

/** JSON of a form that neither transport has a type for. */
export interface JsonType<Value> {
  readonly kind: 'json';
  /** Its form in the OpenAPI document; any by default. */
  readonly form?: JsonForm;
  readonly [VALUE]?: Value;
}

/** A type that is used before it is defined: that of a recursive object. */
export type LazyType = () => ObjectType;

export type MemberType = SimpleType | EnumType | JsonType<unknown> | ObjectType | UnionType | LazyType;

/**
 * Strings with a syntax: selectors and taints in kubectl's, a duration such as `5m`, a pod as `namespace/name`, and a moment: a
 * revision, `head` or a time; a version of Kubernetes whose rules are known; and any version of Kubernetes.
 */
export type Syntax =
  | 'labelSelector'
  | 'nodeFieldSelector'
  | 'podFieldSelector'
  | 'taint'
  | 'taintPattern'
  | 'podKey'
  | 'duration'
  | 'moment'
  | 'rulesVersion'
  | 'kubernetesVersion';

/** A member of an object: of a request or of a response. */
export interface Member {
  readonly type: MemberType;
  /** Its former name in requests; the error for that name mentions the new one. */
  readonly formerName?: string;
  /** A list of that type. */
  readonly list?: boolean;
  /** May be absent from a request; may be null in a response. */
  readonly optional?: boolean;
  /** May be absent from a response whose format is not ours, such as an AdmissionReview or a JSON Patch. */
  readonly omittable?: boolean;
  readonly description: string;
  /**
   * It holds the value of a taint or toleration, which callers without the permission to see values get masked. Of JSON, the path beside it
   * says whether it is such a value as a whole.
   */
  readonly taintValue?: boolean;
  /**
   * Of JSON that stands for members in which the members of a group differ: where in the group their paths start, `''` for the group
   * itself. The path is in `name` beside it; without a `name`, the JSON has values by path.
   */
  readonly columnOf?: string;
  readonly example?: unknown;
  /** The OpenAPI document has its schema once, under this name, wherever the member stands. */
  readonly sharedAs?: string;
  /** The default, for the documentation. */
  readonly defaultsTo?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  /** For a string in UTF-16 code units, for a list in items. */
  readonly maximumLength?: number;
  /** The syntax of a string; one that does not follow it is rejected with the other errors of the request. */
  readonly syntax?: Syntax;
  /** The use case validates it, with Kubernetes' messages; the declared form is only for the documents. */
  readonly checkedByReader?: boolean;
  /**
   * Of a Kubernetes object: its fields are checked as `fieldValidation` says. One that names no kind is a Pod, or a Node if this says so.
   */
  readonly manifest?: true | 'Node';
  /** The items are read one by one, so that an invalid one does not affect the others; REST only. */
  readonly readApart?: boolean;
}

export type Members = Readonly<Record<string, Member>>;

interface ObjectOptions {
  /** It has a global id: in GraphQL it is a Relay `Node`. */
  readonly hasGlobalId?: boolean;
  /** The name in the OpenAPI document, if it differs from the name in GraphQL. */
  readonly openApiName?: string;
  /** GraphQL has no such type: it is part of others, or has another form. */
  readonly restOnly?: boolean;
}

/** An object of a request or response, declared once: the TypeScript type is inferred, documents and validation are generated. */
export interface ObjectType<Own extends Members = Members> extends ObjectOptions {
  readonly kind: 'object';
  /** In GraphQL, and in OpenAPI unless `openApiName` differs. */
  readonly name: string;
  readonly description: string;
  readonly members: Own;
}

export function object<const Own extends Members>(
  name: string,
  description: string,
  members: Own,
  options: ObjectOptions = {},
): ObjectType<Own> {
  return { kind: 'object', name, description, members, ...options };
}

/** One form of the objects of a union, for some values of its discriminator. */
export interface VariantType<Value extends string = string, Own extends Members = Members> {
  readonly name: string;
  readonly description: string;
  readonly values: readonly Value[];
  /** The members beyond those of all forms. */
  readonly members: Own;
}

/**
 * Objects of several forms in a response; one member, the discriminator, determines the form. In OpenAPI it is a `oneOf`, in
 * GraphQL an interface with the members of all forms.
 */
export interface UnionType<
  Discriminator extends string = string,
  Common extends Members = Members,
  Variants extends readonly VariantType[] = readonly VariantType[],
> extends ObjectOptions {
  readonly kind: 'union';
  readonly name: string;
  readonly description: string;
  readonly discriminator: Discriminator;
  /** The members of all forms, the discriminator among them. */
  readonly members: Common;
  readonly variants: Variants;
  /** Each variant with all of its members, in the same order. */
  readonly objects: readonly ObjectType[];
}

export function variant<const Value extends string, const Own extends Members>(
  name: string,
  values: readonly Value[],
  description: string,
  members: Own,
): VariantType<Value, Own> {
  return { name, values, description, members };
}

/** @throws {Error} unless each value of the discriminator has exactly one variant */
export function union<
  const Discriminator extends string,
  const Common extends Members,
  const Variants extends readonly VariantType[],
>(
  name: string,
  description: string,
  discriminator: Discriminator,
  members: Common,
  variants: Variants,
  options: ObjectOptions = {},
): UnionType<Discriminator, Common, Variants> {
  const { type, ...said } = members[discriminator]!;
  if (typeof type !== 'object' || type.kind !== 'enum') throw new Error(`${name} has no enum that tells its forms.`);
  const covered = variants.flatMap(({ values }) => values);
  if (covered.length !== type.values.length || !type.values.every((value) => covered.includes(value))) {
    throw new Error(`The variants of ${name} do not have each value of ${type.name} once.`);
  }
  const objects = variants.map((one) =>
    object(one.name, one.description, {
      ...members,
      [discriminator]: { ...said, type: { ...type, values: one.values, partOf: type }, example: one.values[0] },
      ...one.members,
    }),
  );
  return { kind: 'union', name, description, discriminator, members, variants, objects, ...options };
}

export function enumType<const Value extends string>(
  name: string,
  description: string,
  values: readonly Value[],
  options: Pick<EnumType, 'restOnly'> = {},
): EnumType<Value> {
  return { kind: 'enum', name, description, values, ...options };
}

export function json<Value>(form?: JsonForm): JsonType<Value> {
  return form === undefined ? { kind: 'json' } : { kind: 'json', form };
}

type ResponseOne<Type> = Type extends SimpleType
  ? ResponseValues[Type]
  : Type extends EnumType<infer Value>
    ? Value
    : Type extends JsonType<infer Value>
      ? Value
      : Type extends ObjectType<infer Own>
        ? ResponseOf<Own>
        : Type extends UnionType<infer Discriminator, infer Common, infer Variants>
          ? ResponseOfVariant<Discriminator, Common, Variants[number]>
          : Type extends () => ObjectType<infer Own>
            ? ResponseOf<Own>
            : never;

type ResponseOfVariant<Discriminator extends string, Common extends Members, One extends VariantType> =
  One extends VariantType<infer Value, infer Own>
    ? { readonly [Name in Discriminator]: Value } & ResponseOf<Omit<Common, Discriminator>> & ResponseOf<Own>
    : never;

type ResponseValue<One extends Member> =
  | (One extends { readonly list: true } ? readonly ResponseOne<One['type']>[] : ResponseOne<One['type']>)
  | (One extends { readonly optional: true } ? null : never);

type OmittableNames<Own extends Members> = {
  [Name in keyof Own]: Own[Name] extends { readonly omittable: true } ? Name : never;
}[keyof Own];

type ResponseOf<Own extends Members> = {
  readonly [Name in Exclude<keyof Own, OmittableNames<Own>>]: ResponseValue<Own[Name]>;
} & { readonly [Name in OmittableNames<Own>]?: ResponseValue<Own[Name]> };

/** The TypeScript type of a response: every member is present unless it is omittable, optional ones may be null. */
export type Response<Type extends ObjectType | UnionType> = ResponseOne<Type>;

type RequestOne<Type> = Type extends SimpleType
  ? RequestValues[Type]
  : Type extends EnumType<infer Value>
    ? Value
    : Type extends JsonType<infer Value>
      ? Value
      : Type extends ObjectType<infer Own>
        ? RequestOf<Own>
        : Type extends () => ObjectType<infer Own>
          ? RequestOf<Own>
          : never;

type RequestValue<One extends Member> = One extends { readonly list: true }
  ? readonly RequestOne<One['type']>[]
  : RequestOne<One['type']>;

type OptionalNames<Own extends Members> = {
  [Name in keyof Own]: Own[Name] extends { readonly optional: true } ? Name : never;
}[keyof Own];

type RequestOf<Own extends Members> = {
  readonly [Name in Exclude<keyof Own, OptionalNames<Own>>]: RequestValue<Own[Name]>;
} & { readonly [Name in OptionalNames<Own>]?: RequestValue<Own[Name]> };

/** The TypeScript type of a validated request: optional members may be absent; null counts as absent. */
export type Request<Type extends ObjectType> = RequestOf<Type['members']>;

/** The TypeScript type of validated members, such as query parameters. */
export type RequestMembers<Own extends Members> = RequestOf<Own>;
