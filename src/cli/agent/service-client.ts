import { readFile } from 'node:fs/promises';
import { ServiceError, type ErrorDetail } from '../../app/errors/service-error.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { Backoff } from '../../kube-api/reflector/backoff.js';
import type { Clock } from '../../kube-api/reflector/clock.js';

/** The token cannot be read, so that nothing can be sent. */
export class TokenUnreadable extends Error {
  override readonly name = 'TokenUnreadable';
}

export interface ServiceAddress {
  readonly server: string;
  readonly cluster: string;
  /** Read again for each request, because tokens are rotated; undefined: the service asks for none. */
  readonly tokenFile: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Sends to one cluster of the service, and waits while it is away. */
export class ServiceClient {
  private readonly backoff: Backoff;

  constructor(
    private readonly address: ServiceAddress,
    private readonly clock: Clock,
    random: () => number,
    private readonly signal: AbortSignal,
    private readonly tell: (line: string) => void,
  ) {
    this.backoff = new Backoff(random);
  }

  /**
   * Sends a snapshot as a stream, once.
   * @throws {ServiceError} what the service refuses; any error of the body or the connection
   */
  async sendSnapshot(body: AsyncIterable<Uint8Array>, query: Readonly<Record<string, string>>): Promise<Fields> {
    const failed: unknown[] = [];
    async function* watched(): AsyncGenerator<Uint8Array, void> {
      try {
        yield* body;
      } catch (error) {
        failed.push(error);
        throw error;
      }
    }
    const url = this.urlOf('snapshots');
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    try {
      return await this.ask(url, {
        headers: { 'content-type': 'application/octet-stream' },
        body: ReadableStream.from(watched()),
        duplex: 'half',
      });
    } catch (error) {
      // What came out of the body says more than that sending failed.
      throw failed[0] ?? error;
    }
  }

  /**
   * Sends JSON until the service takes or refuses it.
   * @throws {ServiceError} what the service refuses
   */
  send(path: string, json: string): Promise<Fields> {
    const url = this.urlOf(path);
    return this.retried(() => this.ask(url, { headers: { 'content-type': 'application/json' }, body: json }));
  }

  /** @throws {ServiceError} what the service refuses */
  read(path: string): Promise<Fields> {
    return this.retried(() => this.ask(this.urlOf(path), { method: 'GET' }));
  }

  /**
   * Reads lines of JSON, all of them or none.
   * @throws {ServiceError} what the service refuses
   */
  readLines<Line>(path: string): Promise<readonly Line[]> {
    return this.retried(async () => {
      const response = await this.fetch(this.urlOf(path), {
        method: 'GET',
        headers: { accept: 'application/x-ndjson' },
      });
      if (!response.ok) throw await refusalIn(response);
      const lines: Line[] = [];
      let rest = '';
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const parts = (rest + text).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) lines.push(JSON.parse(part) as Line);
      }
      return lines;
    });
  }

  private async retried<Answer>(once: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await once();
      } catch (error) {
        if (this.signal.aborted || error instanceof TokenUnreadable || !isPassing(error)) throw error;
        const retryAfter = error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) : 0;
        const wait = this.backoff.next(this.clock.now(), retryAfter * 1000);
        this.tell(`the service does not take it: ${reasonOf(error)}; trying again in ${Math.ceil(wait / 1000)} s`);
        await this.clock.sleep(wait, this.signal);
      }
    }
  }

  private urlOf(path: string): URL {
    const { server, cluster } = this.address;
    const base = server.endsWith('/') ? server : `${server}/`;
    return new URL(`api/v1/clusters/${encodeURIComponent(cluster)}/${path}`, base);
  }

  private async ask(url: URL, init: RequestInit): Promise<Fields> {
    const response = await this.fetch(url, init);
    if (!response.ok) throw await refusalIn(response);
    const answer = fieldsIn(await response.text());
    if (answer === undefined) throw refusalOf(response.status, undefined, NaN);
    return answer;
  }

  private async fetch(url: URL, { headers, ...rest }: RequestInit): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      ...rest,
      redirect: 'error',
      headers: { accept: 'application/json', ...(headers as Record<string, string>), ...(await this.authorization()) },
      signal: this.signal,
    });
  }

  private async authorization(): Promise<Record<string, string>> {
    const { tokenFile } = this.address;
    if (tokenFile === undefined) return {};
    try {
      return { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` };
    } catch (error) {
      throw new TokenUnreadable(`--token-file: ${(error as Error).message}`);
    }
  }
}

async function refusalIn(response: Response): Promise<ServiceError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return refusalOf(response.status, fieldsIn(await response.text()), retryAfter);
}

function refusalOf(status: number, problem: Fields | undefined, retryAfter: number): ServiceError {
  const code = (typeof problem?.['code'] === 'string' ? problem['code'] : codeOf(status)) as ErrorCode;
  const detail = typeof problem?.['detail'] === 'string' ? problem['detail'] : `HTTP ${status}`;
  const details = Array.isArray(problem?.['errors']) ? (problem['errors'] as ErrorDetail[]) : [];
  return new ServiceError(code, detail, { details, ...(retryAfter >= 0 && { retryAfterSeconds: retryAfter }) });
}

/** For an answer of something before the service. */
const codeOf = (status: number): ErrorCode =>
  status === 401 ? 'unauthenticated' : status === 429 ? 'rate-limited' : status >= 500 ? 'internal' : 'invalid-request';

/** Refusals that end by themselves: the service starts, is busy or loses its database, or a token is rotated. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'unauthenticated',
  'rate-limited',
  'too-many-uploads',
  'too-many-questions',
  'too-many-snapshots',
  'database-unavailable',
  'identity-provider-unavailable',
  'json-reader-busy',
  'request-timeout',
  'shutting-down',
  'cancelled',
  'internal',
]);

const isPassing = (error: unknown): boolean => !(error instanceof ServiceError) || PASSING.has(error.code);

function fieldsIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** fetch says only that it failed; the cause has the reason. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as {
    readonly message?: string;
    readonly cause?: { message?: string; code?: string };
  };
  const why = cause?.message === '' ? cause.code : cause?.message;
  return why === undefined ? (message ?? String(error)) : `${message ?? ''}: ${why}`;
}
