import { type Agent, request } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

interface RequestToSend {
  readonly method: string;
  readonly url: URL;
  /** JSON. */
  readonly body?: string | Readable | undefined;
  /** Without one, the connection is closed after the answer. */
  readonly agent?: Agent;
}

/**
 * @returns the answer
 * @throws if the service refused the request
 */
export function sendRequest({ method, url, body, agent }: RequestToSend): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { 'content-type': 'application/json' }, ...(agent !== undefined && { agent }) };
    const sent = request(url, options, (response) => {
      text(response).then((answer) => {
        const status = response.statusCode!;
        if (status < 300) resolve(answer);
        else reject(new Error(`${method} ${url.pathname}: ${status} ${answer.slice(0, 1000)}`));
      }, reject);
    });
    sent.on('error', reject);
    if (typeof body === 'object') body.on('error', reject).pipe(sent);
    else sent.end(body);
  });
}
