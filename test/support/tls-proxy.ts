import { createServer, request, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testCertificate } from './certificates.js';

/** What the proxy does to the next answer that it fits. */
export type Harm =
  /** Cuts the connection in the middle of a page of a list. */
  | 'cutPage'
  /** Cuts the connection in the middle of an event of a watch. */
  | 'cutEvent'
  /** Garbles an event of a watch. */
  | 'garbleEvent';

/** A server over TLS between a client and an API server, which harms answers on request. */
export class TlsProxy {
  private harm: Harm | undefined;
  /** Requests that have come, as method and URL. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    /** PEM. */
    readonly ca: string,
    private readonly target: string,
    private readonly targetCa: string,
  ) {}

  static async start(target: string, targetCa: string): Promise<TlsProxy> {
    const { cert, key } = await testCertificate('kube-apiserver');
    const server = createServer({ cert, key });
    const proxy = new TlsProxy(server, cert.toString(), target, targetCa);
    server.on('request', (asked: IncomingMessage, answer: ServerResponse) => {
      proxy.forward(asked, answer);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  harmNext(harm: Harm): void {
    this.harm = harm;
  }

  get hasHarmed(): boolean {
    return this.harm === undefined;
  }

  /** Cuts every connection. */
  cutAll(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(asked: IncomingMessage, answer: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = asked;
    this.asked.push(`${method} ${url}`);
    const isWatch = url.includes('watch=true');
    const isList = !isWatch && url.includes('limit=500');
    // Lists are harmed in clear text.
    const forwarded = request(
      this.target + url,
      {
        method,
        ca: this.targetCa,
        headers: { ...headers, host: new URL(this.target).host, 'accept-encoding': 'identity' },
      },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        answer.flushHeaders();
        got.on('data', (chunk: Buffer) => {
          if (isList && this.harm === 'cutPage' && chunk.includes('"items":[{')) {
            this.harm = undefined;
            answer.write(chunk.subarray(0, chunk.indexOf('"items":[{') + 30), () => answer.destroy());
          } else if (isWatch && this.harm === 'cutEvent' && chunk.includes('"MODIFIED"')) {
            this.harm = undefined;
            answer.write(chunk.subarray(0, chunk.indexOf('"MODIFIED"') + 30), () => answer.destroy());
          } else if (isWatch && this.harm === 'garbleEvent' && chunk.includes('"MODIFIED"')) {
            this.harm = undefined;
            answer.write(chunk.toString('latin1').replace('"object":', '"object"'), 'latin1');
          } else answer.write(chunk);
        });
        got.on('end', () => answer.end());
        got.on('error', () => answer.destroy());
      },
    );
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    asked.pipe(forwarded);
  }
}
