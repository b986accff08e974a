import { documentedResponses } from './documented-responses.js';

/**
 * `fetch` for a service in another process, whose responses cannot be watched where they leave it.
 * @throws {Error} when the response is not as the OpenAPI document says
 */
export async function documentedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  checkFetched(response, init.method ?? 'GET', await response.clone().text());
  return response;
}

/** @throws {Error} when the response is not as the OpenAPI document says */
export function checkFetched(response: Response, method: string, text: string): void {
  const { url, status } = response;
  const headers = Object.fromEntries(response.headers);
  documentedResponses().check({ method, path: new URL(url).pathname, status, headers, text, isWhole: true });
}
