import { documentedResponses } from './documented-responses.js';

/**
 * `fetch` for a service in another process, whose responses cannot be intercepted there.
 * @throws {Error} if the response differs from the OpenAPI document
 */
export async function documentedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  checkFetched(response, init.method ?? 'GET', await response.clone().text());
  return response;
}

/** @throws {Error} if the response differs from the OpenAPI document */
export function checkFetched(response: Response, method: string, text: string): void {
  const { url, status } = response;
  const headers = Object.fromEntries(response.headers);
  documentedResponses().check({ method, path: new URL(url).pathname, status, headers, text, isWhole: true });
}
