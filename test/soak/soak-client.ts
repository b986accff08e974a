import { setTimeout as sleep } from 'node:timers/promises';
import { checkFetched } from '../support/documented-fetch.js';
import type { ServiceProcess } from '../support/service-process.js';

/** A response. */
export interface SoakAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly from: ServiceProcess;
  readonly milliseconds: number;
}

export interface SoakRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** One request must get a response, or fail, within this time. */
const MAX_RESPONSE_MS = 30_000;
/** A request must get a final response within this time, repetitions included. */
const MAX_SETTLING_MS = 120_000;
const PAUSE_MS = 200;

/**
 * Sends one request to one replica.
 * @param patience milliseconds to wait for the response; by default as long as it may take
 * @returns undefined if the response was lost, and the outcome is unknown
 */
export async function ask(
  from: ServiceProcess,
  request: SoakRequest,
  patience?: number,
): Promise<SoakAnswer | undefined> {
  const { method, path, body, headers = {} } = request;
  const started = performance.now();
  from.mustStand();
  let response: Response;
  let text: string;
  try {
    response = await fetch(from.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patience ?? MAX_RESPONSE_MS),
    });
    text = await response.text();
    if (response.status === 503 && response.headers.get('retry-after') === null) {
      throw new TypeError(`503 without Retry-After: ${text}`);
    }
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'TimeoutError' && patience === undefined)
      throw new Error(`${method} ${path} had no answer in ${MAX_RESPONSE_MS} ms`);
    if (message.startsWith('503')) throw error;
    return undefined;
  }
  const milliseconds = performance.now() - started;
  checkFetched(response, method, text);
  return { status: response.status, body: JSON.parse(text), from, milliseconds };
}

/**
 * Sends a request until it gets a final response: after a lost response or a 503 the outcome is unknown. What changes
 * something must carry an idempotency key for that.
 * @param patience of the first attempt: see `ask`
 */
export async function settle(
  replica: () => ServiceProcess,
  request: SoakRequest,
  patience?: number,
): Promise<{ readonly answer: SoakAnswer; readonly lost: number }> {
  const deadline = Date.now() + MAX_SETTLING_MS;
  for (let lost = 0; ; lost++) {
    const answer = await ask(replica(), request, lost === 0 ? patience : undefined);
    if (answer !== undefined && answer.status !== 503) return { answer, lost };
    if (Date.now() > deadline) throw new Error(`${request.method} ${request.path} was not answered in two minutes`);
    await sleep(PAUSE_MS);
  }
}
