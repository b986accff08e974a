import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const CHANNEL = 'bare_fan_out';

/** A process that only forwards Postgres notifications to every open connection. */
export class BareFanOut {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly client: pg.Client,
  ) {}

  static async start(databaseUrl: string): Promise<BareFanOut> {
    const child = fork(fileURLToPath(import.meta.url), ['fan-out', databaseUrl]);
    const [url] = (await once(child, 'message')) as [string];
    const client = new pg.Client(databaseUrl);
    await client.connect();
    return new BareFanOut(child, url, client);
  }

  /** Resolves when the notification is committed. */
  async notify(text: string): Promise<void> {
    await this.client.query('select pg_notify($1, $2)', [CHANNEL, text]);
  }

  async stop(): Promise<void> {
    await this.client.end();
    this.child.kill();
  }
}

async function fanOut(databaseUrl: string): Promise<string> {
  const open = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 2000\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new pg.Client(databaseUrl);
  await client.connect();
  client.on('notification', ({ payload }) => {
    for (const response of open) response.write(`data: ${payload ?? ''}\n\n`);
  });
  await client.query(`listen ${CHANNEL}`);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (process.send !== undefined && process.argv[2] === 'fan-out') {
  void fanOut(process.argv[3]!).then((url) => process.send!(url));
}
