/** The service refused a request, or failed. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A request, as it is sent and as a reader can repeat it from the project's folder. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the service over HTTP, as any client would. */
export class ApiClient {
  constructor(readonly url: string) {}

  /** Returns the body of the response. @throws {RefusedError} for any status but 2xx */
  async ask(request: ApiRequest): Promise<unknown> {
    const response = await this.send(request);
    const text = await response.text();
    if (!response.ok) throw new RefusedError(`${this.address(request)} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  /** As `ask`, but returns null for 404. */
  async find(request: ApiRequest): Promise<unknown> {
    const response = await this.send(request);
    if (response.status !== 404 && response.ok) return response.json();
    const text = await response.text();
    if (response.status === 404) return null;
    throw new RefusedError(`${this.address(request)} answered ${response.status}: ${text}`);
  }

  address({ path }: ApiRequest): string {
    return `${this.url}/api/v1${path}`;
  }

  private send(request: ApiRequest): Promise<Response> {
    const { method, body, contentType, headers } = request;
    return fetch(this.address(request), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Blob([body]) }),
    });
  }
}
