import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON. */
  readonly json: Record<string, unknown>;
}

type Behaviour = (response: ServerResponse, request: Received) => void;

export const accepts: Behaviour = (response) => response.writeHead(204).end();

export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** A receiver of notifications on this machine that behaves as a test wants. */
export class TestReceiver {
  readonly got: Received[] = [];
  behaviour: Behaviour = accepts;
  /** Questions whether it permits deliveries, and how it answers them. */
  readonly asked: Received[] = [];
  permits: (response: ServerResponse) => void = (response) => response.writeHead(405).end();
  private readonly waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestReceiver> {
    const server = createServer();
    const receiver = new TestReceiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        const { method = '', url = '', headers } = request;
        if (method === 'OPTIONS') {
          receiver.asked.push({ method, path: url, headers, body, json: {} });
          receiver.permits(response);
          return;
        }
        const json = JSON.parse(body) as Received['json'];
        const received = { method, path: url, headers, body, json };
        receiver.got.push(received);
        receiver.behaviour(response, received);
        for (const { count, resolve } of receiver.waiting) if (receiver.got.length >= count) resolve();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when it has got so many requests. */
  async hasGot(count: number): Promise<void> {
    if (this.got.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.push({ count, resolve }));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
