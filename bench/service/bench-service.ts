import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isBrief } from '../brief.js';
import { readNpmStart } from './npm-start.js';
import { sendRequest } from './send-request.js';
import { treeUsage } from './tree-usage.js';
import { uploadApart } from './upload-process.js';
import { parseJson, stringifyJson } from '../../src/core/json/lossless-json.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** The service treats all connections of a benchmark as one caller. */
const SETTINGS = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', LIVE_STREAMS_PER_CALLER: '1000' };

/** The members of a snapshot response that the benchmarks read. */
export interface Taken {
  readonly revision: number;
  readonly unchanged: boolean;
}

/** The service in a separate process on the loopback interface, as `npm start` runs it. */
export class BenchService {
  private readonly agent = new Agent({ keepAlive: true });

  private readonly onExit = (): void => {
    this.child.kill();
  };

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    // The child process must not outlive the benchmarks, however they end.
    process.on('exit', this.onExit);
  }

  /**
   * Starts the service and waits until it listens.
   * @param nodeOptions more options of Node, such as `--cpu-prof`
   * @param settings more environment variables
   */
  static async start(
    databaseUrl: string,
    nodeOptions: readonly string[] = [],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<BenchService> {
    const { options, program } = await readNpmStart(PROJECT);
    const child = spawn(process.execPath, [...options, ...nodeOptions, program], {
      cwd: PROJECT,
      env: { ...process.env, ...SETTINGS, ...settings, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.once('exit', (code) => {
        reject(new Error(`the service ended with code ${code ?? 'none'} before it was ready:\n${output}`));
      });
      child.stdout.on('data', (chunk: Buffer) => {
        // After startup, read and discard the log: a full pipe would block the service.
        if (output === 'ready') return;
        output += chunk.toString();
        const ready = /"url":"(http:[^"]+)","msg":"ready"/.exec(output);
        if (ready?.[1] === undefined) return;
        output = 'ready';
        resolve(ready[1]);
      });
    });
    return new BenchService(child, url);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Sends a file as a snapshot of a cluster, which is created if necessary. @returns after the commit */
  async takeSnapshot(cluster: string, file: string, signal?: AbortSignal): Promise<Taken> {
    const url = new URL(snapshotPath(cluster), this.url).href;
    return parsed(await uploadApart({ url, file }, signal)) as Taken;
  }

  /** The same for text in memory. */
  async takeSnapshotOf(cluster: string, body: string): Promise<Taken> {
    return (await this.send('POST', snapshotPath(cluster), body)) as Taken;
  }

  async ask(path: string, body: unknown): Promise<unknown> {
    return this.send('POST', `/api/v1${path}`, stringifyJson(body));
  }

  async read(path: string): Promise<unknown> {
    return this.send('GET', `/api/v1${path}`);
  }

  /** Asks over GraphQL. @throws if a field failed */
  async query(query: string): Promise<unknown> {
    const answer = (await this.send('POST', '/graphql', stringifyJson({ query }))) as { readonly errors?: unknown };
    if (answer.errors !== undefined) throw new Error(stringifyJson(answer.errors).slice(0, 1000));
    return answer;
  }

  async put(path: string, body: unknown): Promise<unknown> {
    return this.send('PUT', `/api/v1${path}`, stringifyJson(body));
  }

  async putCluster(cluster: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.send('PUT', `/api/v1/clusters/${cluster}`, stringifyJson({ labels }));
  }

  async remove(path: string): Promise<void> {
    await this.send('DELETE', `/api/v1${path}`);
  }

  async deleteCluster(cluster: string): Promise<void> {
    await this.remove(`/clusters/${cluster}`);
  }

  /** Current and peak resident memory in MB. Linux only. */
  async memory(): Promise<{ readonly resident: number; readonly peak: number }> {
    return residentMemory(this.child.pid!);
  }

  /** Resets the peak. @returns resident memory in MB */
  async forgetPeak(): Promise<number> {
    await writeFile(`/proc/${this.child.pid!}/clear_refs`, '5');
    return (await this.memory()).resident;
  }

  /** The seconds of processor time that it has used, with its workers. Linux only. */
  async cpuSeconds(): Promise<number> {
    return (await treeUsage(this.pid)).cpuSeconds;
  }

  /** Resolves when it works on nothing ahead of questions, such as digests of the last revision: every 30 s it looks for such work. */
  async untilIdle(): Promise<void> {
    if (isBrief) return;
    await sleep(31_000);
    for (;;) {
      const before = await this.cpuSeconds();
      await sleep(2_000);
      if ((await this.cpuSeconds()) - before < 0.1) return;
    }
  }

  /** Like a power cut. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.agent.destroy();
    process.off('exit', this.onExit);
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await ended;
  }

  private async send(method: string, path: string, body?: string): Promise<unknown> {
    return parsed(await sendRequest({ method, url: new URL(path, this.url), body, agent: this.agent }));
  }
}

const parsed = (answer: string): unknown => (answer === '' ? undefined : parseJson(answer));

const snapshotPath = (cluster: string): string => `/api/v1/clusters/${cluster}/snapshots?createCluster=true`;

/** Current and peak resident memory of a process in MB. @throws if there is no /proc */
export async function residentMemory(
  pid: number | 'self',
): Promise<{ readonly resident: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { resident: field('VmRSS'), peak: field('VmHWM') };
}
