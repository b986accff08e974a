import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './generated/schema.js';

/** Schemas of the contract, by name. */
export type Schemas = components['schemas'];
export type Problem = Schemas['Problem'];

/** The service's root: the page is in a folder below it, behind whatever prefix the browser knows. */
export const SERVICE = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** What the service refused, or that it could not be reached (`status` 0). */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly problem?: Problem,
  ) {
    super(message);
    this.name = 'ServiceError';
  }
}

const TOKEN = 'kube-placement.token';

/** A pasted token lives as long as the tab. */
export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set: (value: string | undefined): void => {
    if (value === undefined) sessionStorage.removeItem(TOKEN);
    else sessionStorage.setItem(TOKEN, value);
  },
};

const authorized: Middleware = {
  onRequest({ request }) {
    const given = token.get();
    if (given !== null) request.headers.set('authorization', `Bearer ${given}`);
    return request;
  },
};

/** Every question of the service, typed by its contract. */
export const service = createClient<paths>({ baseUrl: SERVICE, credentials: 'same-origin' });
service.use(authorized);

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The answer to a question.
 * @throws {ServiceError} for anything but success
 */
export async function ask<Data>(asked: Promise<Answered<Data>>): Promise<Data> {
  let answered: Answered<Data>;
  try {
    answered = await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ServiceError(0, 'unreachable', 'The service does not answer.');
  }
  const { data, error, response } = answered;
  if (response.ok) return data as Data;
  const problem = isProblem(error) ? error : undefined;
  const said = problem?.detail ?? `The service answers ${response.status} ${response.statusText}.`;
  throw new ServiceError(response.status, problem?.code ?? 'unknown', said, problem);
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'detail' in error;
}
