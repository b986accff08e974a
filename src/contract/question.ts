import type { Permission } from '../auth/permission.js';
import type { ErrorCode } from './error-code.js';
import type { ACROSS_MEMBERS } from './common/across.js';
import type { Page, PageRequest, UncountedPage } from './page.js';
import type { EnumType, Members, ObjectType, RequestMembers, Response, Request, SimpleType } from './schema.js';

/** A list in groups of items that are equal except for their names and the values in `columns`. */
export interface GroupsType<Group extends ObjectType = ObjectType, View extends string = string> {
  /** `groups`, the default in REST, and the value that lists single items. GraphQL has a field for each. */
  readonly view: EnumType<'groups' | View>;
  readonly item: Group;
  /** What the groups are, and their order. */
  readonly description: string;
}

/** A paginated list: `items`, `continue` and `remainingItemCount` in REST, a connection in GraphQL. */
export interface ListType<
  Item extends ObjectType = ObjectType,
  Head extends Members = Members,
  Counted extends boolean = boolean,
> {
  readonly kind: 'list';
  /** The name in the OpenAPI document. */
  readonly name: string;
  readonly item: Item;
  /** What the items are, and their order; for REST. */
  readonly itemsDescription: string;
  /** The members next to the items. */
  readonly head: Head;
  readonly groups?: GroupsType;
  /** False if the items are not counted because there may be millions. */
  readonly counted?: Counted;
  /** Absent if the GraphQL connection is written by hand. */
  readonly connection?: {
    /** The prefix of `Edge` and `Connection`. */
    readonly name: string;
    /** The prefix of `Edge`, if it differs. */
    readonly edgeName?: string;
    readonly description: string;
    /** The object that holds the head and the connection, if the connection itself does not hold the head. */
    readonly within?: {
      readonly name: string;
      readonly description: string;
      readonly member: string;
      readonly memberDescription: string;
    };
  };
}

/** A list that can be grouped. */
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

/** A list for each of several clusters; a cluster whose list cannot be read has an error instead. */
export interface AcrossType<Each extends ListType = ListType> {
  readonly kind: 'across';
  /** The name in the OpenAPI document. */
  readonly name: string;
  readonly each: Each;
  /** The object for one cluster. */
  readonly cluster: {
    readonly name: string;
    readonly description: string;
    /** The member that holds the connection in GraphQL; in REST, the list is in `result`. */
    readonly member: string;
  };
}

export function across<const Each extends ListType>(type: Omit<AcrossType<Each>, 'kind'>): AcrossType<Each> {
  return { kind: 'across', ...type };
}

/** The GraphQL field of a question. */
export interface GraphqlField {
  /** The type that has the field; fields of `Cluster` and `Trail` take the cluster or the trail from it. */
  readonly on: 'Query' | 'Mutation' | 'Cluster' | 'Trail';
  /** A field of `Query` about one cluster that `Cluster` has too, so that one query can read many clusters. */
  readonly alsoOnCluster?: boolean;
  readonly name: string;
  readonly description: string;
  /** The argument that names the cluster; by default `cluster`, which is required. */
  readonly cluster?: {
    readonly argument: 'cluster' | 'name';
    readonly description: string;
    readonly optional?: boolean;
  };
  /** Arguments that only GraphQL has; they replace path variables and body members with the same names. */
  readonly arguments?: Members;
  /** The member of the response that the field returns; by default the whole response. */
  readonly member?: string;
  /** The type of the response, if it is a single value and not an object. */
  readonly scalar?: SimpleType;
  /**
   * The argument `input`. In a mutation it takes everything; otherwise it takes the body, and the state to read, filters and pagination are
   * separate arguments. By default, its type is `PutPoolInput` for the mutation `putPool`, and the type of the body otherwise.
   */
  readonly input?: { readonly description?: string; readonly type?: string; readonly optional?: boolean };
}

export type ConditionalHeader = 'If-Match' | 'Idempotency-Key';

/** A question and its response, declared once for REST, GraphQL and the documents. */
export interface Question {
  /** `topic.verb`: the operation id in the OpenAPI document, and its tag. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the API prefix: `clusters/{cluster}/pools/{pool}`. */
  readonly path: string;
  /** The path variables except `cluster`, by the name of the request member that they become. */
  readonly variables?: Readonly<
    Record<string, { readonly in: string; readonly description: string; readonly type?: 'id' | 'int64' }>
  >;
  /** `any caller`: it does not concern a cluster. */
  readonly permission: Permission | 'any caller';
  /** The permission for a dry run, if that needs less. */
  readonly dryRunPermission?: Permission;
  /** The clusters that the permission is for: by default the one in the path. `each`: the use case omits clusters that the caller may not see. */
  readonly clusters?: 'one' | 'each' | 'all';
  /**
   * Whether it reads a revision of a cluster: it then takes `revision` (only for a single cluster), `at`, `maxAge`,
   * `rulesVersion`, `intents` and `scenario`.
   */
  readonly readsRevision?: boolean;
  /** Query parameters in REST, arguments in GraphQL. */
  readonly query?: Members;
  /** Query parameters that only REST has. */
  readonly restQuery?: Members;
  readonly body?: {
    readonly type: ObjectType;
    readonly description: string;
    readonly required?: boolean;
    /** The member of `type` that is the whole body in REST, in any form; in GraphQL it is an ordinary member. */
    readonly whole?: string;
    /** In REST, the body may also hold `limit` and `continue`, as it once did; query parameters take precedence. */
    readonly hasPage?: boolean;
    /**
     * In REST, the body may also be manifests as they are. Then the other members that are scalars are query parameters, and the
     * manifest is the value of this member; or, with `list`, each manifest is the value of this member in an item of that list; or, with
     * `all`, the member is the list of the manifests.
     */
    readonly manifest?: { readonly member: string; readonly list?: string; readonly all?: boolean };
  };
  /** Conditional headers; arguments in GraphQL. */
  readonly headers?: Readonly<Partial<Record<ConditionalHeader, string>>>;
  readonly response: ObjectType | ListType | AcrossType;
  /**
   * The list is also served as CSV; the columns are the members of its items. `each` names a list in an item, each entry of
   * which becomes a row.
   */
  readonly csv?: { readonly each?: string };
  /** The meaning of each success status. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly errors: readonly ErrorCode[];
  /** The response depends on more than its revision, so it has no ETag. */
  readonly beyondRevision?: boolean;
  readonly examples: {
    /** Path and query parameters of an example that runs. */
    readonly parameters?: Readonly<Record<string, string | number | boolean>>;
    readonly body?: unknown;
    /** Members that replace those composed of the declared examples. */
    readonly response?: object;
  };
  /** Absent if another question has the field, or if it is written by hand. */
  readonly graphql?: GraphqlField;
  /** A field with the response as text in another format. It takes the path variables and the revision. */
  readonly textField?: Pick<GraphqlField, 'on' | 'name' | 'description'> & { readonly format: string };
}

/** Declares a question, and keeps its literal types. */
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

/** The parameters of a request except those that select its revision. */
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
    /** The path of the body in GraphQL: `input`, or `input.` and the name of `whole`; empty in REST. */
    readonly root: string;
  };

/** A page that is computed on request. */
export type LazyPage<Item> = (request: PageRequest) => Promise<Page<Item>>;

/** Both views of a list that can be grouped. */
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

/** The outcome for one of several clusters; `error` says why there is no result. */
export interface ClusterOutcome<Answer> {
  readonly cluster: string;
  readonly result: Answer | null;
  readonly error: Error | null;
}

/** The result of a use case; for a list, a page and the members next to the items. */
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
  return method !== 'POST' || ['change', 'approve', 'admit', 'audit', 'admin'].includes(permission);
}
