import { Agent, request } from 'node:https';

export interface WebhookAnswer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
}

/** Calls a webhook as an API server does: over HTTPS, with the CA of its configuration and its timeout in the URL. */
export function callWebhook(
  address: string,
  caBundle: string,
  body: string | object,
  timeout = '10s',
  client: { readonly cert?: Buffer; readonly key?: Buffer } = {},
): Promise<WebhookAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const agent = new Agent({ ca: Buffer.from(caBundle, 'base64'), ...client });
  return new Promise((resolve, reject) => {
    const sent = request(
      `${address}?timeout=${timeout}`,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          agent.destroy();
          const answer = Buffer.concat(parts).toString();
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          resolve({
            status: response.statusCode ?? 0,
            text: answer,
            json: isJson && answer !== '' ? (JSON.parse(answer) as unknown) : undefined,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}
