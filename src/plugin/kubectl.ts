import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { type IncomingMessage, request, Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { answerFrom, type ApiAnswer, reasonOf } from '../kube-api/api-client.js';
import type { StreamedAnswer, StreamingClient } from '../kube-api/reflector/call.js';
import { streamedAnswerOf } from '../kube-api/stream-client.js';
import { CommandFailed } from './command-failed.js';

/** The options that are kubectl's own, and go to it. */
export interface KubectlOptions {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly user?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly requestTimeout?: string;
}

/** The context that kubectl uses. */
export interface CurrentContext {
  readonly name: string;
  readonly namespace: string;
}

function argumentsOf(options: KubectlOptions): readonly string[] {
  const { context, kubeconfig, user, as, asGroup = [], requestTimeout } = options;
  const given = { context, kubeconfig, user, as, 'request-timeout': requestTimeout };
  return [
    ...Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...asGroup.map((group) => `--as-group=${group}`),
  ];
}

const program = (): string => process.env['KUBECTL_PATH'] ?? 'kubectl';

function notStarted(error: NodeJS.ErrnoException): CommandFailed {
  const why = error.code === 'ENOENT' ? 'there is no such program' : error.message;
  return new CommandFailed(`cannot run ${program()}: ${why}. Set KUBECTL_PATH to the path of kubectl.`);
}

/** Runs kubectl with the terminal of this process. @returns its exit code @throws {CommandFailed} it cannot be started */
export function runKubectl(options: KubectlOptions, command: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program(), [...command, ...argumentsOf(options)], { stdio: 'inherit' });
    child.on('error', (error) => {
      reject(notStarted(error));
    });
    child.on('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

/** @throws {CommandFailed} kubectl cannot be started, or has no such context */
export async function currentContext(options: KubectlOptions): Promise<CurrentContext> {
  const child = spawn(program(), ['config', 'view', '--minify', '--output=json', ...argumentsOf(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', (error) => {
      reject(notStarted(error));
    });
    child.on('close', (code) => {
      resolve(code ?? 1);
    });
  });
  const [text, code] = await Promise.all([buffer(child.stdout), ended]);
  if (code !== 0) throw new CommandFailed('kubectl has no such context');
  const config = JSON.parse(text.toString()) as {
    readonly 'current-context'?: string;
    readonly contexts?: readonly { readonly context?: { readonly namespace?: string } }[] | null;
  };
  return {
    name: config['current-context'] ?? '',
    namespace: config.contexts?.[0]?.context?.namespace ?? 'default',
  };
}

/** How to reach the proxy: a socket in a folder of this user alone, or where Node has none of those, a port. */
type Endpoint = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/**
 * Reads through `kubectl proxy`: contexts, credential plugins, impersonation and proxies are those of kubectl. One process serves all
 * requests, as `kubectl get --raw` would not: a cluster with 150,000 pods has 300 pages, each of which would start a kubectl. The proxy
 * forwards only reads, and ends with this process.
 */
export class KubectlProxy implements StreamingClient {
  private readonly agent = new Agent({ keepAlive: true });
  /** Rejected when it ends by itself. */
  readonly failure: Promise<never>;
  private readonly stop = (): void => {
    this.close();
  };

  private constructor(
    private readonly child: ChildProcess,
    private readonly endpoint: Endpoint,
    private readonly folder: string | undefined,
  ) {
    process.on('exit', this.stop);
    this.failure = new Promise((_, reject) => {
      child.on('exit', (code) => {
        reject(ended(code));
      });
    });
    this.failure.catch(() => undefined);
  }

  /** @throws {CommandFailed} kubectl says why on standard error */
  static async start(options: KubectlOptions): Promise<KubectlProxy> {
    const folder = process.platform === 'win32' ? undefined : await mkdtemp(join(tmpdir(), 'kubectl-placement-'));
    const socketPath = folder === undefined ? undefined : join(folder, 's');
    const address = socketPath === undefined ? '--port=0' : `--unix-socket=${socketPath}`;
    const reads = '--reject-methods=^(POST|PUT|PATCH|DELETE)$';
    // Standard input and error are the terminal's: a credential plugin may ask something there.
    // The address of the API server may have a path, as behind Rancher.
    const child = spawn(program(), ['proxy', address, reads, '--append-server-path', ...argumentsOf(options)], {
      stdio: ['inherit', 'pipe', 'inherit'],
    });
    try {
      const said = await begun(child);
      const [, host = '127.0.0.1', port = ''] = /on (\S+):(\d+)\s*$/.exec(said) ?? [];
      const endpoint = socketPath === undefined ? { host, port: Number(port) } : { socketPath };
      return new KubectlProxy(child, endpoint, folder);
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async get(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    return streamedAnswerOf(await this.send(path, { 'accept-encoding': 'gzip' }, signal));
  }

  async ask(path: string): Promise<ApiAnswer> {
    const response = await this.send(path, {}, undefined);
    return answerFrom(response.statusCode ?? 0, response.headers, await buffer(response));
  }

  close(): void {
    process.off('exit', this.stop);
    this.agent.destroy();
    this.child.kill();
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  private send(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...this.endpoint,
          path,
          agent: this.agent,
          headers: { host: 'localhost', accept: 'application/json', ...headers },
          ...(signal && { signal }),
        },
        (response) => {
          // The error comes to whoever reads; nobody may be reading.
          response.on('error', () => undefined);
          resolve(response);
        },
      );
      sent.on('error', (error) => {
        reject(new CommandFailed(`kubectl proxy does not answer: ${reasonOf(error)}`));
      });
      sent.end();
    });
  }
}

/** Resolves with the line that says where the proxy listens. */
function begun(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      if (said.includes('\n')) resolve(said.trim());
    });
    child.on('error', (error) => {
      reject(notStarted(error));
    });
    child.on('exit', (code) => {
      reject(ended(code));
    });
  });
}

const ended = (code: number | null): CommandFailed =>
  new CommandFailed(`kubectl proxy ended with exit code ${code ?? 'unknown'}`);
