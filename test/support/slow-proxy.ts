import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes on what a service answers, unless the test holds it back: then the service is slow. */
export class SlowProxy {
  /** Paths of all requests. */
  readonly asked: string[] = [];
  /** Paths of the requests whose client did not wait for the answer. */
  readonly abandoned: string[] = [];
  private held: ((path: string) => boolean) | undefined;
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly to: URL,
  ) {
    server.on('request', (incoming, outgoing) => this.pass(incoming, outgoing));
  }

  /** @param url the service's address */
  static async to(url: string): Promise<SlowProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SlowProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, new URL(url));
  }

  /** From now on, answers to requests like these do not arrive. */
  hold(isHeld: (path: string) => boolean): void {
    this.held = isHeld;
  }

  /** Lets all answers arrive. */
  release(): void {
    this.held = undefined;
    for (const go of this.waiting.splice(0)) go();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const path = incoming.url ?? '/';
    this.asked.push(path);
    const { hostname, port } = this.to;
    const far = request({ hostname, port, path, method: incoming.method, headers: incoming.headers }, (answer) => {
      const go = (): void => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      };
      if (this.held?.(path) === true) this.waiting.push(go);
      else go();
    });
    far.on('error', () => outgoing.destroy());
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) this.abandoned.push(path);
      far.destroy();
    });
    incoming.pipe(far);
  }
}
