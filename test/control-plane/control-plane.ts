import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer } from './api-server.js';

/** A control plane to compare with. */
export interface ControlPlane {
  readonly api: ApiServer;
  /** For other clients; the CA is base64 of PEM, empty for one that Node trusts. */
  readonly access: { readonly url: string; readonly token: string; readonly ca: string };
  /** As `GET /version` says. */
  readonly version: string;
  readonly stop: () => Promise<void>;
  /** Where the scripts keep its files; absent for one that runs already. */
  readonly folder?: string;
}

const BINARIES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
/** A pod that found no node is tried again within a second. */
const SCHEDULER_CONFIGURATION = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
`;
const SCRIPTS = join('test', 'control-plane');

/** Why no control plane can be started; undefined if one can. */
export function missingAssets(environment: NodeJS.ProcessEnv): string | undefined {
  const folder = environment['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '') return 'KUBEBUILDER_ASSETS is not set';
  const missing = BINARIES.filter((name) => !existsSync(join(folder, name)));
  return missing.length === 0 ? undefined : `KUBEBUILDER_ASSETS names a folder without ${missing.join(', ')}`;
}

/**
 * Starts etcd, kube-apiserver, kube-controller-manager and kube-scheduler on free ports of 127.0.0.1, in a folder of their own.
 *
 * @param variables more of those that the script takes
 * @throws {Error} with their last words
 */
export async function startControlPlane(
  variables: Readonly<Record<string, string>> = {},
): Promise<ControlPlane & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-'));
  const stop = async (): Promise<void> => {
    await run(join(SCRIPTS, 'stop-control-plane.sh'), [folder, '--wipe']);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const configuration = join(folder, 'scheduler-configuration.yaml');
    await writeFile(configuration, SCHEDULER_CONFIGURATION);
    await run(join(SCRIPTS, 'start-control-plane.sh'), [folder], {
      SCHEDULER_CONFIG_FILE: configuration,
      ...variables,
    });
    const access = Object.fromEntries(
      [...(await readFile(join(folder, 'env'), 'utf8')).matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    ) as Record<'APISERVER_URL' | 'APISERVER_TOKEN' | 'APISERVER_CA', string>;
    const { APISERVER_URL: url, APISERVER_TOKEN: token, APISERVER_CA: ca } = access;
    const plane = await openControlPlane(url, token, ca);
    return {
      ...plane,
      folder,
      stop: async () => {
        await plane.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The control plane of a command: the one at `APISERVER_URL`, otherwise a new one, which is also stopped when a signal ends the command.
 * Without either, it writes why to stderr.
 */
export async function planeOfCommand(
  variables: Readonly<Record<string, string>> = {},
): Promise<ControlPlane | undefined> {
  const { APISERVER_URL: url, APISERVER_TOKEN: token = '', APISERVER_CA: ca } = process.env;
  if (url !== undefined) return openControlPlane(url, token, ca);
  const missing = missingAssets(process.env);
  if (missing !== undefined) {
    process.stderr.write(`no control plane: ${missing}\n`);
    return undefined;
  }
  const plane = await startControlPlane(variables);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      // At once: what the command is waiting for would fail first.
      spawnSync('bash', [join(SCRIPTS, 'stop-control-plane.sh'), plane.folder, '--wipe']);
      rmSync(plane.folder, { recursive: true, force: true });
      process.exit(130);
    });
  }
  return plane;
}

/** Uses a control plane that runs already. */
export async function openControlPlane(url: string, token: string, ca?: string): Promise<ControlPlane> {
  const api = await ApiServer.open(url, token, ca);
  const { gitVersion } = (await api.must('GET', '/version')) as { readonly gitVersion: string };
  return {
    api,
    access: { url, token, ca: ca === undefined ? '' : (await readFile(ca)).toString('base64') },
    version: gitVersion,
    stop: () => {
      api.close();
      return Promise.resolve();
    },
  };
}

async function run(script: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<void> {
  const env = { ...process.env, ...variables };
  const child = spawn('bash', [script, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env });
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${code ?? 'a signal'}: ${words.trim()}`);
}
