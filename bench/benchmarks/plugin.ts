import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { generateCluster } from '../generator/generate-cluster.js';
import { type Benchmark, type Prepared, timed } from '../measure.js';
import { GeneratedApiServer } from '../service/generated-api-server.js';
import { size } from '../brief.js';

const USUAL = { nodes: size(500, 10), pods: size(5_000, 100) };
const LARGE = { nodes: size(5_000, 20), pods: size(150_000, 200) };
const PLUGIN = join('dist', 'plugin', 'kubectl-placement.js');

const built = (): Promise<unknown> => promisify(execFile)(process.execPath, ['scripts/build.mjs', '--plugin']);

/** Measures how fast the plugin starts. */
export const pluginColdStart = (): Benchmark => ({
  name: 'plugin-cold-start',
  unit: 'ms',
  target: { absolute: 150 },
  about: 'how much longer kubectl-placement --help takes than node -e 0 right before it; reference: node -e 0',
  rounds: 15,
  prepare: async () => {
    await built();
    const bare = timed('ms', () => ended(['-e', '0']));
    const help = timed('ms', () => ended([PLUGIN, '--help']));
    return {
      subject: async () => {
        const before = await bare();
        return (await help()) - before;
      },
      reference: bare,
    };
  },
});

/** Measures a question about a cluster of usual size, kubectl and reading included. */
export const pluginWhy = (): Benchmark => ({
  name: 'plugin-why-500',
  unit: 's',
  target: { absolute: 2 },
  about: `kubectl-placement why of a pod that waits, ${USUAL.nodes} nodes and ${USUAL.pods} pods, through kubectl; reference: kubectl-placement snapshot, which only reads`,
  rounds: 5,
  prepare: () => asked(USUAL, ({ why, read }) => ({ subject: timed('s', why), reference: timed('s', read) })),
});

/** Measures the memory of the plugin. */
export const pluginWhyMemory = (): Benchmark => ({
  name: 'plugin-why-150000',
  unit: 'MB',
  target: { absolute: 1000 },
  about: `peak resident memory of kubectl-placement why of a pod that waits, ${LARGE.nodes} nodes and ${LARGE.pods} pods; reference: kubectl-placement --help`,
  rounds: 1,
  warmUp: false,
  prepare: () => asked(LARGE, ({ why, help }) => ({ subject: why, reference: help })),
});

/** Each returns the peak of its resident memory in MB. */
interface Commands {
  readonly why: () => Promise<number>;
  readonly read: () => Promise<number>;
  readonly help: () => Promise<number>;
}

async function asked(
  shape: { readonly nodes: number; readonly pods: number },
  measured: (commands: Commands) => Prepared,
): Promise<Prepared> {
  const [kubectl, api, folder] = await Promise.all([
    kubectlPath(),
    GeneratedApiServer.start(shape),
    mkdtemp(join(tmpdir(), 'bench-plugin-')),
    built(),
  ]);
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...api.kubeconfig('bench') }));
  const { namespace, name } = waitingPod(shape);
  const env = { KUBECONFIG: kubeconfig, KUBECTL_PATH: kubectl };
  const prepared = measured({
    why: () => ended([PLUGIN, 'why', `pod/${name}`, '--namespace', namespace], env),
    read: () => ended([PLUGIN, 'snapshot', join(folder, 'snapshot.json')], env),
    help: () => ended([PLUGIN, '--help']),
  });
  return {
    ...prepared,
    teardown: async () => {
      api.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The kubectl of this machine; without one, its stand-in. */
async function kubectlPath(): Promise<string> {
  const given = process.env['KUBECTL_PATH'] ?? 'kubectl';
  return promisify(execFile)(given, ['version', '--client']).then(
    () => given,
    () => resolve('test', 'plugin', 'kubectl-stand-in.mjs'),
  );
}

function waitingPod(shape: { readonly nodes: number; readonly pods: number }): { namespace: string; name: string } {
  for (const object of generateCluster(shape)) {
    const { kind, metadata, spec } = object as {
      readonly kind: string;
      readonly metadata: { readonly namespace: string; readonly name: string };
      readonly spec?: { readonly nodeName?: string };
    };
    if (kind === 'Pod' && spec?.nodeName === undefined) return metadata;
  }
  throw new Error('no pod waits');
}

/** Sends the peak of the resident memory, in KB, when the process ends. */
const TELLS_MEMORY =
  'data:text/javascript,process.on("exit",()=>process.send(process.resourceUsage().maxRSS)),process.channel.unref()';

/** Runs Node.js. @returns the peak of its resident memory in MB @throws unless it ends with 0 or 1 */
async function ended(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(process.execPath, ['--import', TELLS_MEMORY, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let kilobytes = 0;
  child.on('message', (told) => (kilobytes = Number(told)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 && code !== 1) throw new Error(`${args.join(' ')} ended with ${code ?? 'a signal'}`);
  return kilobytes / 1000;
}
