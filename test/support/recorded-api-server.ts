import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate } from './certificates.js';

interface Exchange {
  readonly note?: string;
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[]>>;
    readonly chunks: readonly { readonly text?: string; readonly base64?: string }[];
  };
}

/** What a client asked. */
export interface AskedOfServer {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Plays what a real API server of v1.36.2 answered to creations of pods as dry runs, over TLS. Other objects it admits as they are. */
export class RecordedApiServer {
  readonly asked: AskedOfServer[] = [];
  /** The note of the recorded answer to the next creations. */
  plays = 'allowed';
  /** Why objects other than pods are refused; empty if they are admitted as they are. */
  refusal = '';
  /** Whether the user may create pods. */
  allows = true;

  private constructor(
    private readonly server: Server,
    /** PEM. */
    readonly ca: string,
  ) {}

  static async start(): Promise<RecordedApiServer> {
    const file = new URL('../e2e/recorded/dry-run-pod-create.json', import.meta.url);
    const { exchanges } = JSON.parse(await readFile(file, 'utf8')) as { readonly exchanges: readonly Exchange[] };
    const { cert, key } = await testCertificate('kube-apiserver');
    const server = createServer({ cert, key });
    const recorded = new RecordedApiServer(server, cert.toString());
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const body = Buffer.concat(parts).toString();
        recorded.asked.push({ method, path: url, authorization: headers.authorization, body });
        if (url === '/version') {
          response
            .setHeader('content-type', 'application/json')
            .end('{"major":"1","minor":"36","gitVersion":"v1.36.2"}');
        } else if (url.startsWith('/apis/authorization.k8s.io/')) {
          const status = { allowed: recorded.allows };
          response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
        } else if (method === 'PATCH') {
          const { refusal } = recorded;
          const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: refusal, code: 403 };
          response.writeHead(refusal === '' ? 201 : 403, { 'content-type': 'application/json' });
          response.end(refusal === '' ? body : JSON.stringify(status));
        } else {
          const found = exchanges.find(({ note }) => note === recorded.plays)!;
          response.statusCode = found.response.status;
          for (const [name, value] of Object.entries(found.response.headers)) {
            if (!/^(content-length|transfer-encoding|date)$/i.test(name)) response.setHeader(name, value);
          }
          for (const { text, base64 } of found.response.chunks) {
            response.write(text ?? Buffer.from(base64 ?? '', 'base64'));
          }
          response.end();
        }
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return recorded;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
