import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP line to a server, which tests cut and mend. */
export class TcpLine {
  private readonly open = new Set<Socket>();
  private dropsAnswer = false;

  private constructor(
    private server: Server,
    /** The near end. */
    readonly url: string,
    private readonly to: number,
  ) {}

  /** @param url the server's address */
  static async to(url: string): Promise<TcpLine> {
    const server = createServer();
    const port = await listening(server, 0);
    const line = new TcpLine(server, `http://127.0.0.1:${port}`, Number(new URL(url).port));
    line.serve();
    return line;
  }

  /** Ends all connections; no other can be made. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.open) socket.destroy();
    await closed;
  }

  /** The next answer does not arrive: its connection ends with the first byte. */
  dropNextAnswer(): void {
    this.dropsAnswer = true;
  }

  async mend(): Promise<void> {
    this.server = createServer();
    await listening(this.server, Number(new URL(this.url).port));
    this.serve();
  }

  private serve(): void {
    this.server.on('connection', (near) => {
      const far = connect(this.to, '127.0.0.1');
      far.on('data', () => {
        if (!this.dropsAnswer) return;
        this.dropsAnswer = false;
        near.destroy();
      });
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.open.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.open.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
