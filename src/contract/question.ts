import type { Permission } from '../auth/permission.js';
import type { ErrorCode } from './error-code.js';
import type { ACROSS_MEMBERS } from './common/across.js';
import type { Page, PageRequest, UncountedPage } from './page.js';
import type { EnumType, Members, ObjectType, RequestMembers, Response, Request, SimpleType } from './schema.js';

/** The items of a list in groups of those that are equal but for their names and for what stands in columns. */
export interface GroupsType<Group extends ObjectType = ObjectType, View extends string = string> {
  /** `groups`, which is the default in REST, and the word for items one by one. GraphQL has a field of each. */
  readonly view: EnumType<'groups' | View>;
  readonly item: Group;
  /** The groups; their order. */
  readonly description: string;
}

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
  readonly groups?: GroupsType;
  /** False where nobody counts the items, of which there may be millions. */
  readonly counted?: Counted;
  /** Absent where the connection of GraphQL is written by hand. */
  readonly connection?: {
    /** In front of `Edge` and `Connection`. */
    readonly name: string;
    /** In front of `Edge`, where that is another. */
    readonly edgeName?: string;
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

/** A list that comes in groups. */
export interface GroupedListType<
  Item extends ObjectType = ObjectType,
  Head extends Members = Members,
  Groups extends GroupsType = GroupsType,
> extends ListType<Item, Head, true> {
  readonly groups: Groups;
}

export function list<const Item extends ObjectType, const Head extends Members, const Groups extends GroupsType>(
  type: Omit<GroupedListType<Item, Head, Groups>, 'kind'>,
): GroupedListType<Item, Head, Groups>;
export function list<const Item extends ObjectType, const Head extends Members, const Counted extends boolean = true>(
  type: Omit<ListType<Item, Head, Counted>, 'kind' | 'groups'>,
): ListType<Item, Head, Counted>;
export function list(type: Omit<ListType, 'kind'>): ListType {
  return { kind: 'list', ...type };
}

/** A list of each of several clusters: one that cannot answer has an error of its own. */
export interface AcrossType<Each extends ListType = ListType> {
  readonly kind: 'across';
  /** In the OpenAPI document. */
  readonly name: string;
  readonly each: Each;
  /** The object of one cluster. */
  readonly cluster: {
    readonly name: string;
    readonly description: string;
    /** Its member that holds the connection in GraphQL; in REST, the list is `answer`. */
    readonly member: string;
  };
}

export function across<const Each extends ListType>(type: Omit<AcrossType<Each>, 'kind'>): AcrossType<Each> {
  return { kind: 'across', ...type };
}

/** Where a question stands in the GraphQL schema. */
export interface GraphqlField {
  /** The type that has the field; fields of `Cluster` and `Trail` take their cluster and their trail from it. */
  readonly on: 'Query' | 'Mutation' | 'Cluster' | 'Trail';
  /** A question of `Query` about one cluster that is also a field of `Cluster`, so that one query asks many clusters. */
  readonly alsoOnCluster?: boolean;
  readonly name: string;
  readonly description: string;
  /** The argument of a query that names the cluster; `cluster`, and required, by default. */
  readonly cluster?: {
    readonly argument: 'cluster' | 'name';
    readonly description: string;
    readonly optional?: boolean;
  };
  /** Arguments of GraphQL alone; they take the place of variables of the path and of members of the body that have their names. */
  readonly arguments?: Members;
  /** The member of the response that the field is; the whole response by default. */
  readonly member?: string;
  /** The response is one value of this type, and not an object with fields. */
  readonly scalar?: SimpleType;
  /**
   * The argument `input`. In a mutation it takes everything; otherwise it takes the body, and the state to read, filters and the page are
   * arguments of their own. The names of its type are `PutPoolInput` for `putPool`, and that of the body, by default.
   */
  readonly input?: { readonly description?: string; readonly type?: string; readonly optional?: boolean };
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
  /** `any caller`: it is about no cluster. */
  readonly permission: Permission | 'any caller';
  /** What a dry run needs, where that is less. */
  readonly dryRunPermission?: Permission;
  /** Whose: the cluster of the path by default. `each`: the use case leaves out clusters that the caller may not see. */
  readonly clusters?: 'one' | 'each' | 'all';
  /**
   * Whether it is answered from a revision of a cluster: it takes `revision` (of one cluster alone), `at`, `maxAge`, `intents` and
   * `scenario`.
   */
  readonly readsRevision?: boolean;
  /** Members of the query in REST, arguments in GraphQL. */
  readonly query?: Members;
  /** The same of REST alone. */
  readonly restQuery?: Members;
  readonly body?: {
    readonly type: ObjectType;
    readonly description: string;
    readonly required?: boolean;
    /** The one member of `type` that is the whole body in REST, of any form; in GraphQL it is a member as any other. */
    readonly whole?: string;
    /** In REST, `limit` and `continue` may stand in it as well, as they once did; those of the query are stronger. */
    readonly hasPage?: boolean;
  };
  /** Headers that are conditions; arguments in GraphQL. */
  readonly headers?: Readonly<Partial<Record<ConditionalHeader, string>>>;
  readonly response: ObjectType | ListType | AcrossType;
  /**
   * The list is also served as CSV; the columns are the members of its items. `each` names a list in an item that has a row for
   * each of its own items.
   */
  readonly csv?: { readonly each?: string };
  /** What each status of success means. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly errors: readonly ErrorCode[];
  /** The answer says more than its revision holds, so that it has no ETag. */
  readonly beyondRevision?: boolean;
  readonly examples: {
    /** Values for the parameters of path and query that make an example that runs. */
    readonly parameters?: Readonly<Record<string, string | number | boolean>>;
    readonly body?: unknown;
    /** Members in the place of those that are composed from the examples of its members. */
    readonly response?: object;
  };
  /** Absent where another question has the field, or where it is written by hand. */
  readonly graphql?: GraphqlField;
  /** A field that is the response in another format, as text. It takes the variables of the path, and the revision. */
  readonly textField?: Pick<GraphqlField, 'on' | 'name' | 'description'> & { readonly format: string };
}

/** Names a question, and keeps its types. */
export function question<const Asked extends Question>(asked: Asked): Asked {
  return asked;
}

type MembersOf<Type> = Type extends Members ? RequestMembers<Type> : unknown;

type VariablesOf<Type> =
  Type extends Readonly<Record<infer Name extends string, unknown>> ? { readonly [One in Name]: string } : unknown;

type ArgumentsOf<Of extends Question> = Of['graphql'] extends { readonly arguments: infer Own extends Members }
  ? RequestMembers<Own>
  : unknown;

type ClusterOf<Of extends Question> = Of extends
  { readonly clusters: 'each' | 'all' } | { readonly permission: 'any caller' }
  ? unknown
  : { readonly cluster: string };

type ViewMember<Type> = Type extends { readonly groups: { readonly view: EnumType<infer View> } }
  ? { readonly view: View }
  : unknown;

/** What stands in a request beside the revision that it reads. */
export type Asked<Of extends Question> = ClusterOf<Of> &
  ArgumentsOf<Of> &
  Omit<VariablesOf<Of['variables']>, keyof ArgumentsOf<Of>> &
  MembersOf<Of['query']> &
  MembersOf<Of['restQuery']> &
  (Of['body'] extends { readonly type: infer Body extends ObjectType }
    ? Omit<Request<Body>, keyof ArgumentsOf<Of>>
    : unknown) &
  (Of['response'] extends ListType | AcrossType ? { readonly page: PageRequest } : unknown) &
  (Of['response'] extends AcrossType ? RequestMembers<typeof ACROSS_MEMBERS> : unknown) &
  ViewMember<Of['response'] extends AcrossType<infer Each> ? Each : Of['response']> &
  ('If-Match' extends keyof Of['headers'] ? { readonly ifMatch?: string } : unknown) &
  ('Idempotency-Key' extends keyof Of['headers'] ? { readonly idempotencyKey?: string } : unknown) & {
    /** Where the members of the body stand, or its whole: `input`, `input.whole` in GraphQL; nothing in REST. */
    readonly root: string;
  };

/** A page that is made when it is asked for. */
export type LazyPage<Item> = (request: PageRequest) => Promise<Page<Item>>;

/** Both views of a list that comes in groups. */
export interface GroupedPages<Item, Group> {
  readonly items: LazyPage<Item>;
  readonly groups: LazyPage<Group>;
}

export type ListResponse<Of extends ListType> =
  Of extends ListType<infer Item, infer Head, infer Counted>
    ? (Of extends { readonly groups: GroupsType<infer Group> }
        ? { readonly pages: GroupedPages<Response<Item>, Response<Group>> }
        : { readonly page: [Counted] extends [false] ? UncountedPage<Response<Item>> : Page<Response<Item>> }) &
        Response<ObjectType<Head>>
    : never;

/** What one of several clusters answers; `error` says why there is no answer. */
export interface ClusterOutcome<Answer> {
  readonly cluster: string;
  readonly answer: Answer | null;
  readonly error: Error | null;
}

/** What a use case answers: of a list, a page with what stands beside it. */
export type AnswerTo<Of extends Question> = Of['response'] extends ListType
  ? ListResponse<Of['response']>
  : Of['response'] extends AcrossType<infer Each>
    ? { readonly page: Page<ClusterOutcome<ListResponse<Each>>> }
    : Of['response'] extends ObjectType
      ? Response<Of['response']>
      : never;

/** The list that a response is, or the one that it has of each cluster; undefined for an object. */
export function listOf(response: Question['response']): ListType | undefined {
  if (response.kind === 'object') return undefined;
  return response.kind === 'list' ? response : response.each;
}

/** What a list that comes in groups calls the view of its items one by one. */
export const viewOfItems = ({ view }: GroupsType): string => view.values.find((value) => value !== 'groups')!;

/** Whether a question stores something. */
export function isWrite({ method, permission }: Pick<Question, 'method' | 'permission'>): boolean {
  if (method === 'GET') return false;
  return method !== 'POST' || ['change', 'admit', 'audit', 'admin'].includes(permission);
}
