import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { KINDS, servedKindOf } from '../../src/core/kubernetes/kinds.js';
import { without } from '../../src/core/collections/without.js';
import { ListingApiServer } from '../support/listing-api-server.js';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kubectl of this machine, and the stand-in, which every machine has. */
export async function kubectls(): Promise<readonly string[]> {
  const standIn = fileURLToPath(new URL('./kubectl-stand-in.mjs', import.meta.url));
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const real = join(folder, 'kubectl');
    if (await isThere(real)) return [real, standIn];
  }
  return [standIn];
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** The plugin while it runs. */
export class RunningPlugin {
  private out = '';
  private err = '';
  private stirred: () => void = () => undefined;
  private readonly ended: Promise<number | null>;

  static start(args: readonly string[], env: NodeJS.ProcessEnv): RunningPlugin {
    return new RunningPlugin(startPlugin(args, env));
  }

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      this.out += part;
      this.stirred();
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      this.err += part;
      this.stirred();
    });
    this.ended = new Promise((resolve) => child.on('close', resolve));
    void this.ended.then(() => {
      this.stirred();
    });
  }

  /** Waits for a text on standard output, and takes everything up to its end. @throws if the plugin ends before */
  async says(text: string): Promise<string> {
    for (;;) {
      const end = this.out.indexOf(text) + text.length;
      if (end >= text.length) {
        const said = this.out.slice(0, end);
        this.out = this.out.slice(end);
        return said;
      }
      if (this.child.exitCode !== null)
        throw new Error(`ended without ${JSON.stringify(text)}: ${this.out}${this.err}`);
      await new Promise<void>((resolve) => (this.stirred = resolve));
    }
  }

  /** Sends a signal, and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Ran> {
    this.child.kill(signal);
    return { code: await this.ended, out: this.out, err: this.err };
  }
}

interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const startPlugin = (args: readonly string[], env: NodeJS.ProcessEnv | undefined): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, ['dist/plugin/kubectl-placement.js', ...args], { env: { ...process.env, ...env } });

/** Runs the plugin, which is built. */
export function runPlugin(args: readonly string[], { input, env }: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = startPlugin(args, env);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
    child.stdin.end(input ?? '');
  });
}

/** A cluster behind a real HTTPS server, a kubeconfig for it, and the plugin. */
export class PlayedCluster {
  private constructor(
    readonly apiServer: ListingApiServer,
    readonly folder: string,
    readonly kubeconfig: string,
  ) {}

  /** @param namespace of the context */
  static async start(objects: readonly object[], namespace = 'shop'): Promise<PlayedCluster> {
    const [, folder, apiServer] = await Promise.all([
      promisify(execFile)(process.execPath, ['scripts/build.mjs', '--plugin']),
      mkdtemp(join(tmpdir(), 'plugin-test-')),
      ListingApiServer.start(resourcesOf(objects)),
    ]);
    const kubeconfig = join(folder, 'config');
    const config = apiServer.kubeconfig() as { readonly contexts: readonly { readonly context: object }[] };
    Object.assign(config.contexts[0]!.context, { namespace });
    await writeFile(kubeconfig, JSON.stringify(config));
    return new PlayedCluster(apiServer, folder, kubeconfig);
  }

  /** Has other objects from now on. @param denied why kinds may not be listed, by their plural */
  play(objects: readonly object[], denied: Readonly<Record<string, string>> = {}): void {
    this.apiServer.restart(
      resourcesOf(objects).map((resource) => {
        const why = denied[resource.plural];
        return why === undefined ? resource : { ...resource, denied: why };
      }),
    );
  }

  /** Writes a file next to the kubeconfig, and returns its path. */
  async file(name: string, content: string | object): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  /** Runs the plugin as kubectl does. */
  run(args: readonly string[], { input, env }: RunOptions = {}): Promise<Ran> {
    return runPlugin(args, { env: { KUBECONFIG: this.kubeconfig, ...env }, ...(input !== undefined && { input }) });
  }

  /** Starts the plugin, and leaves it running. */
  start(args: readonly string[], env: NodeJS.ProcessEnv): RunningPlugin {
    return RunningPlugin.start(args, { KUBECONFIG: this.kubeconfig, ...env });
  }

  async close(): Promise<void> {
    await this.apiServer.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Every kind that the service keeps, in its newest version; items come without apiVersion and kind. */
function resourcesOf(objects: readonly object[]) {
  const given = objects as readonly GivenObject[];
  return KINDS.map((info) => {
    const { plural, apiVersions } = info;
    const kind = servedKindOf(info);
    const items = given.filter((object) => object.kind === kind && apiVersions.includes(object.apiVersion));
    return {
      apiVersion: items[0]?.apiVersion ?? apiVersions[0],
      plural,
      kind,
      items: items.map((item) => without(item, 'apiVersion', 'kind')),
    };
  });
}
