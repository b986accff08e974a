import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/storage/embedded/postgres-server.js';

/** The output of `node scripts/build.mjs --bundle`. */
const MAIN = 'dist/bundle/main.js';
const KEPT_BYTES = 20_000;
const MAX_START_MS = 60_000;

/** The service in a separate process, always on the same port, so that callers find it again after it was killed. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  /** The last lines of its log: warnings and worse. */
  output = '';
  /** Why it ended without being killed. */
  private fall: string | undefined;

  private port = 0;
  /** It must not outlive the soak. */
  private readonly onExit = (): void => {
    this.child?.kill('SIGKILL');
  };

  constructor(
    readonly name: string,
    private readonly databaseUrl: string,
    private readonly settings: Readonly<Record<string, string>> = {},
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @throws if it has ended without being killed, with its last log lines */
  mustStand(): void {
    if (this.fall !== undefined) throw new Error(`${this.name} ended by itself: ${this.fall}`);
  }

  /** Like a power cut: nothing is finished, nothing is closed. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Lets it finish what it does. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    this.child = undefined;
    process.off('exit', this.onExit);
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Takes a port, so that others can be told of it before it runs. */
  async choosePort(): Promise<void> {
    if (this.port === 0) this.port = await freePort();
  }

  /** Starts it, on its former port if there is one, and waits until it responds. */
  async run(): Promise<void> {
    await this.choosePort();
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env['PATH'],
        HOST: '127.0.0.1',
        PORT: String(this.port),
        DATABASE_URL: this.databaseUrl,
        LOG_LEVEL: 'warn',
        // On a busy machine, a new connection may take long.
        DATABASE_CONNECT_TIMEOUT_MS: '20000',
        STATE_MEMORY_MB: '128',
        WARM_UP_MS: '0',
        ...this.settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    process.on('exit', this.onExit);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-KEPT_BYTES)));
    }
    child.once('exit', (code, signal) => {
      if (this.child !== child) return;
      this.child = undefined;
      process.off('exit', this.onExit);
      this.fall = `${signal ?? code ?? ''}\n${this.output}`;
    });
    const deadline = Date.now() + MAX_START_MS;
    while (!(await answers(`${this.url}/healthz`))) {
      this.mustStand();
      if (Date.now() > deadline) throw new Error(`${this.name} did not start:\n${this.output}`);
      await sleep(25);
    }
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    // Read it completely, or its connection stays open.
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
