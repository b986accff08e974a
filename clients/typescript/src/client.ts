import { type PathParameters, pathOf, type QueryParameters, queryOf } from './address.js';
import type {
  Answer,
  Arguments,
  CallOptions,
  DataOf,
  ItemOf,
  ListPath,
  Method,
  Operation,
  OptionsOf,
  PageOf,
  PathOf,
  QuestionOptions,
  Read,
} from './contract.js';
import { type ClusterEvent, follow, type FollowOptions } from './follow.js';
import type { ReadAs } from './read-answer.js';
import { type ClientOptions, type Send, type Sent, Transport } from './transport.js';
import { isRepeatable, uploading, type UploadProgress, type UploadSource } from './upload.js';

/** The operations whose body is a stream. */
export type UploadPath = Extract<PathOf<'post'>, `${string}/snapshots` | `${string}/audit-events`>;

export type UploadOptions<Op> = QuestionOptions<Op> & {
  readonly body: UploadSource | (() => UploadSource);
  /** Format and compression are detected by default. */
  readonly contentType?: string | undefined;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
};

/** The options of a call, whatever its operation. */
interface AnyCall extends CallOptions {
  readonly path?: PathParameters;
  readonly query?: QueryParameters;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly json?: string;
  readonly yaml?: string;
  readonly as?: ReadAs;
}

/** A client of the REST API: paths, parameters and answers are those of the contract. */
export class Client {
  private readonly transport: Transport;

  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
  }

  /**
   * The answer to a question.
   * @throws {ServiceError} of the code's class if the service refuses it
   */
  get<P extends PathOf<'get'>, As extends ReadAs = 'json'>(
    path: P,
    ...[options]: Arguments<OptionsOf<Operation<P, 'get'>, As>>
  ): Promise<Read<Operation<P, 'get'>, As>> {
    return this.dataOf('get', path, options);
  }

  /**
   * The answer to a question with a body, or to a write.
   * @throws {ServiceError} of the code's class if the service refuses it
   */
  post<P extends PathOf<'post'>, As extends ReadAs = 'json'>(
    path: P,
    ...[options]: Arguments<OptionsOf<Operation<P, 'post'>, As>>
  ): Promise<Read<Operation<P, 'post'>, As>> {
    return this.dataOf('post', path, options);
  }

  /** @throws {ServiceError} of the code's class if the service refuses it */
  put<P extends PathOf<'put'>, As extends ReadAs = 'json'>(
    path: P,
    ...[options]: Arguments<OptionsOf<Operation<P, 'put'>, As>>
  ): Promise<Read<Operation<P, 'put'>, As>> {
    return this.dataOf('put', path, options);
  }

  /** @throws {ServiceError} of the code's class if the service refuses it */
  delete<P extends PathOf<'delete'>, As extends ReadAs = 'json'>(
    path: P,
    ...[options]: Arguments<OptionsOf<Operation<P, 'delete'>, As>>
  ): Promise<Read<Operation<P, 'delete'>, As>> {
    return this.dataOf('delete', path, options);
  }

  /**
   * An answer with its status and headers. With `If-None-Match`, `data` is undefined if the status is 304.
   * @throws {ServiceError} of the code's class if the service refuses it
   */
  async request<M extends Method, P extends PathOf<M>, As extends ReadAs = 'json'>(
    method: M,
    path: P,
    ...[options]: Arguments<OptionsOf<Operation<P, M>, As>>
  ): Promise<Answer<Read<Operation<P, M>, As>>> {
    return (await this.call(method, path, options)) as Answer<Read<Operation<P, M>, As>>;
  }

  /** The items of a list, page by page as they are needed. A list whose options have a body is read with POST. */
  list<P extends ListPath<'post'>>(
    path: P,
    options: OptionsOf<Operation<P, 'post'>, 'json'> & { readonly body: unknown },
  ): AsyncGenerator<ItemOf<Operation<P, 'post'>>, void, undefined>;
  list<P extends ListPath<'get'>>(
    path: P,
    ...options: Arguments<QuestionOptions<Operation<P, 'get'>>>
  ): AsyncGenerator<ItemOf<Operation<P, 'get'>>, void, undefined>;
  async *list(path: string, options?: object): AsyncGenerator<unknown, void, undefined> {
    for await (const { items } of this.pagesOf(path, options)) yield* items;
  }

  /** The pages of a list, each with what the answer says besides the items. */
  pages<P extends ListPath<'post'>>(
    path: P,
    options: OptionsOf<Operation<P, 'post'>, 'json'> & { readonly body: unknown },
  ): AsyncGenerator<PageOf<Operation<P, 'post'>>, void, undefined>;
  pages<P extends ListPath<'get'>>(
    path: P,
    ...options: Arguments<QuestionOptions<Operation<P, 'get'>>>
  ): AsyncGenerator<PageOf<Operation<P, 'get'>>, void, undefined>;
  pages(path: string, options?: object): AsyncGenerator<unknown, void, undefined> {
    return this.pagesOf(path, options);
  }

  /**
   * The events of a cluster as they happen, each once and in order. A stream that is lost goes on after the last event.
   * @throws {ServiceError} of the code's class if the stream cannot go on
   */
  events(cluster: string, options: FollowOptions = {}): AsyncGenerator<ClusterEvent, void, undefined> {
    return follow(this.transport, cluster, options);
  }

  /**
   * Sends a dump or audit events, of any length and as a stream. A stream cannot be sent again: for other attempts, give a function
   * that opens it.
   * @throws {ServiceError} of the code's class if the service refuses it
   */
  async upload<P extends UploadPath>(
    path: P,
    options: UploadOptions<Operation<P, 'post'>>,
  ): Promise<DataOf<Operation<P, 'post'>>> {
    const { body, onProgress = () => undefined, contentType = 'application/octet-stream' } = options;
    const failing = new AbortController();
    const { signal, retry } = options as CallOptions;
    const sent = {
      ...this.sentOf('post', path, options),
      signal: AbortSignal.any([failing.signal, ...(signal === undefined ? [] : [signal])]),
    };
    const onFault = (fault: unknown): void => {
      failing.abort(fault);
    };
    const send: Send = (url, init) =>
      uploading(typeof body === 'function' ? body() : body, onProgress, onFault)(url, init);
    const headers = { ...sent.headers, 'content-type': contentType };
    const answer = await this.transport.ask({ ...sent, headers }, 'json', isRepeatable(body) ? retry : false, send);
    return answer.data as DataOf<Operation<P, 'post'>>;
  }

  private async *pagesOf(path: string, options: AnyCall = {}): AsyncGenerator<Page, void, undefined> {
    const method = options.body === undefined ? 'get' : 'post';
    let next: string | null | undefined;
    do {
      const asked = typeof next === 'string' ? { ...options, query: { ...options.query, continue: next } } : options;
      const page = (await this.call(method, path, asked)).data as Page;
      yield page;
      next = page.continue;
    } while (typeof next === 'string');
  }

  private async dataOf<Data>(method: Method, path: string, options: AnyCall | undefined): Promise<Data> {
    return (await this.call(method, path, options)).data as Data;
  }

  private call(method: Method, template: string, options: AnyCall = {}): Promise<Answer<unknown>> {
    const { body, json, yaml, as = 'json', retry } = options;
    const sent = this.sentOf(method, template, options);
    const text = yaml ?? json ?? (body === undefined ? undefined : JSON.stringify(body));
    if (text === undefined) return this.transport.ask(sent, as, retry);
    const type = yaml === undefined ? 'application/json' : 'application/yaml';
    const headers = { ...sent.headers, 'content-type': type };
    return this.transport.ask({ ...sent, headers, body: text }, as, retry);
  }

  /** The request of a call, without its body. */
  private sentOf(method: Method, template: string, options: AnyCall): Sent {
    const { path, query, headers = {}, signal, idempotencyKey } = options;
    const given = Object.entries(headers).filter(([, value]) => value !== undefined);
    return {
      method: method.toUpperCase(),
      path: pathOf(template, path) + queryOf(query),
      headers: {
        ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
        // Operations that need no key ignore it.
        ...(method !== 'get' && { 'idempotency-key': idempotencyKey ?? newKey() }),
      },
      signal,
    };
  }
}

interface Page {
  readonly items: readonly unknown[];
  readonly continue?: string | null;
}

/** `crypto.randomUUID` is missing in pages that came without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
