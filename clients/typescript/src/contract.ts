import type { components, paths } from './generated/schema.js';
import type { ReadAs } from './read-answer.js';
import type { RetryOptions } from './retry.js';

/** The schemas of the contract, by name. */
export type Schemas = components['schemas'];
/** Every code that an error of the service can have. */
export type ErrorCode = Schemas['ErrorCode'];

export type Method = 'get' | 'post' | 'put' | 'delete';

interface AnyOperation {
  readonly responses: unknown;
}

/** The paths that have an operation of a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Readonly<Record<M, AnyOperation>> ? P : never;
}[keyof paths];

/** An operation of the contract. */
export type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;

/** Lets optional members be undefined, too. */
type Loose<T> = { readonly [K in keyof T]: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | undefined : T[K] };

type Parameters<Op, In extends string> = Op extends { readonly parameters: infer All }
  ? In extends keyof All
    ? NonNullable<All[In]>
    : never
  : never;

/** A scenario may be given as it is; the client writes it as JSON text. */
type QueryOf<Query> = [Query] extends [never]
  ? never
  : Loose<{ [K in keyof Query]: K extends 'scenario' ? Query[K] | Schemas['ScenarioRequest'] : Query[K] }>;

type HeadersOf<All> = [All] extends [never] ? never : Loose<Omit<All, 'Idempotency-Key' | 'last-event-id'>>;

type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Partial<Value> extends Value
    ? { readonly [K in Name]?: Value | undefined }
    : { readonly [K in Name]: Value };

type JsonOf<Body> = Body extends { readonly content: { readonly 'application/json': infer Json } } ? Json : never;

/** A body is given as a value, or as JSON or YAML text, which is sent as it is. */
type BodyOf<Op> = Op extends { readonly requestBody: infer Body }
  ? | { readonly body: JsonOf<Body>; readonly json?: never; readonly yaml?: never }
    | { readonly json: string; readonly body?: never; readonly yaml?: never }
    | { readonly yaml: string; readonly body?: never; readonly json?: never }
  : Op extends { readonly requestBody?: infer Body }
    ? [JsonOf<NonNullable<Body>>] extends [never]
      ? unknown
      : { readonly body?: JsonOf<NonNullable<Body>>; readonly json?: string; readonly yaml?: string }
    : unknown;

/** What every call takes. */
export interface CallOptions {
  /** Cancels the call: it is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How this call is tried again; false: not at all. */
  readonly retry?: RetryOptions | false | undefined;
  /** Key of a write, for one that an earlier process may have sent already. By default, each call has a new one. */
  readonly idempotencyKey?: string | undefined;
}

/** What a call takes besides its body. */
export type QuestionOptions<Op> = CallOptions &
  Part<'path', Parameters<Op, 'path'>> &
  Part<'query', QueryOf<Parameters<Op, 'query'>>> &
  Part<'headers', HeadersOf<Parameters<Op, 'header'>>>;

export type OptionsOf<Op, As extends ReadAs = ReadAs> = QuestionOptions<Op> &
  BodyOf<Op> & {
    /** How to return the answer: JSON is parsed by default. */
    readonly as?: As;
  };

/** The arguments of a call after its path: nothing if no option is required. */
export type Arguments<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options];

type Success = 200 | 201 | 202 | 204;

type Content<Answer> = Answer extends { readonly content: infer Types }
  ? 'application/json' extends keyof Types
    ? Types['application/json']
    : string
  : undefined;

/** What a successful call returns. */
export type DataOf<Op> = Op extends { readonly responses: infer Answers }
  ? { [Status in keyof Answers]: Status extends Success ? Content<Answers[Status]> : never }[keyof Answers]
  : never;

export type Read<Op, As extends ReadAs> = As extends 'text'
  ? string
  : As extends 'stream'
    ? ReadableStream<Uint8Array>
    : DataOf<Op>;

/** An answer with its headers. */
export interface Answer<Data> {
  readonly data: Data;
  readonly status: number;
  readonly headers: Headers;
}

interface AnyPage {
  readonly items: readonly unknown[];
  readonly continue?: string | null;
}

/** The paths whose answer to a method is a page of items. */
export type ListPath<M extends 'get' | 'post'> = {
  [P in PathOf<M>]: Extract<DataOf<Operation<P, M>>, AnyPage> extends never ? never : P;
}[PathOf<M>];

/** A page of a list. */
export type PageOf<Op> = Extract<DataOf<Op>, AnyPage>;

export type ItemOf<Op> = PageOf<Op>['items'][number];
