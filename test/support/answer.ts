/** A response, with its body as JSON if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
  /** The value at a path, such as `errors.0.extensions.code`; undefined if it does not exist. */
  at(path: string): unknown;
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Reads a whole response. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    at: (path) => path.split('.').reduce(member, json),
  };
}
