import type { Permission } from '../auth/permission.js';
import type { ErrorCode } from './error-code.js';
import type { Page, PageRequest, UncountedPage } from './page.js';
import type { Members, ObjectType, RequestMembers, Response, Request } from './schema.js';

/** A list as it is answered page by page: `items`, `continue` and `remainingItemCount` in REST, a connection in GraphQL. */
export interface ListType<
  Item extends ObjectType = ObjectType,
  Head extends Members = Members,
  Counted extends boolean = boolean,
> {
  readonly kind: 'list';
  /** In the OpenAPI document. */
  readonly name: string;
  readonly item: Item;
  /** The items in REST; their order. */
  readonly itemsDescription: string;
  /** What stands beside the items. */
  readonly head: Head;
  /** False where nobody counts the items, of which there may be millions. */
  readonly counted?: Counted;
  /** Absent where the connection of GraphQL is written by hand. */
  readonly connection?: {
    /** In front of `Edge` and `Connection`. */
    readonly name: string;
    readonly description: string;
    /** The member of an object of this name that the connection is, where the head does not stand in the connection itself. */
    readonly within?: {
      readonly name: string;
      readonly description: string;
      readonly member: string;
      readonly memberDescription: string;
    };
  };
}

export function list<const Item extends ObjectType, const Head extends Members, const Counted extends boolean = true>(
  type: Omit<ListType<Item, Head, Counted>, 'kind'>,
): ListType<Item, Head, Counted> {
  return { kind: 'list', ...type };
}

/** Where a question stands in the GraphQL schema. */
export interface GraphqlField {
  /** The type that has the field; fields of `Cluster` and `Trail` take their cluster and their trail from it. */
  readonly on: 'Query' | 'Mutation' | 'Cluster' | 'Trail';
  readonly name: string;
  readonly description: string;
  /**
   * The argument that takes the body. In a mutation it takes everything, as an input of the name `type`. Without it, the members of
   * the body are arguments of their own.
   */
  readonly input?: {
    readonly argument: string;
    readonly description: string;
    readonly type?: string;
    readonly optional?: boolean;
  };
}

export type ConditionalHeader = 'If-Match' | 'Idempotency-Key';

/** One question and its answer, said once for REST, GraphQL and the documents. */
export interface Question {
  /** `topic.verb`: the operation's id in the OpenAPI document, and its tag. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the API's prefix: `clusters/{cluster}/pools/{pool}`. */
  readonly path: string;
  /** The path's variables beside `cluster`, by the name of the member that they become. */
  readonly variables?: Readonly<
    Record<string, { readonly in: string; readonly description: string; readonly type?: 'id' | 'int64' }>
  >;
  readonly permission: Permission;
  /** What a dry run needs, where that is less. */
  readonly dryRunPermission?: Permission;
  /** Whose: the cluster of the path by default. `each`: the use case leaves out clusters that the caller may not see. */
  readonly clusters?: 'one' | 'each' | 'all';
  /** Whether it is answered from a revision of a cluster: it takes `revision`, `at`, `maxAge`, `intents` and `scenario`. */
  readonly readsRevision?: boolean;
  /** Members of the query in REST, arguments in GraphQL. */
  readonly query?: Members;
  /** The same of REST alone. */
  readonly restQuery?: Members;
  readonly body?: {
    readonly type: ObjectType;
    readonly description: string;
    readonly required?: boolean;
  };
  /** Headers that are conditions; arguments in GraphQL. */
  readonly headers?: Readonly<Partial<Record<ConditionalHeader, string>>>;
  readonly response: ObjectType | ListType;
  /** What each status of success means. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly errors: readonly ErrorCode[];
  /** The answer says more than its revision holds, so that it has no ETag. */
  readonly beyondRevision?: boolean;
  readonly examples: {
    /** Values for the parameters of path and query that make an example that runs. */
    readonly parameters?: Readonly<Record<string, string | number | boolean>>;
    readonly body?: unknown;
    /** Composed from the examples of its members by default. */
    readonly response?: unknown;
  };
  /** Absent where the field of GraphQL is written by hand. */
  readonly graphql?: GraphqlField;
}

/** Names a question, and keeps its types. */
export function question<const Asked extends Question>(asked: Asked): Asked {
  return asked;
}

type MembersOf<Type> = Type extends Members ? RequestMembers<Type> : unknown;

type VariablesOf<Type> =
  Type extends Readonly<Record<infer Name extends string, unknown>> ? { readonly [One in Name]: string } : unknown;

/** What stands in a request beside the revision that it reads. */
export type Asked<Of extends Question> = (Of['clusters'] extends 'each' | 'all'
  ? unknown
  : { readonly cluster: string }) &
  VariablesOf<Of['variables']> &
  MembersOf<Of['query']> &
  MembersOf<Of['restQuery']> &
  (Of['body'] extends { readonly type: infer Body extends ObjectType } ? Request<Body> : unknown) &
  (Of['response'] extends ListType ? { readonly page: PageRequest } : unknown) &
  ('If-Match' extends keyof Of['headers'] ? { readonly ifMatch?: string } : unknown) &
  ('Idempotency-Key' extends keyof Of['headers'] ? { readonly idempotencyKey?: string } : unknown) & {
    /** Where the members of the body stand: the name of GraphQL's argument; nothing in REST. */
    readonly root: string;
  };

/** What a use case answers: of a list, a page with what stands beside it. */
export type AnswerTo<Of extends Question> =
  Of['response'] extends ListType<infer Item, infer Head, infer Counted>
    ? {
        readonly page: Counted extends true ? Page<Response<Item>> : UncountedPage<Response<Item>>;
      } & Response<ObjectType<Head>>
    : Of['response'] extends ObjectType
      ? Response<Of['response']>
      : never;
