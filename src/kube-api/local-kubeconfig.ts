import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { ApiServer } from './api-server.js';
import { type KubeconfigFault, readKubeconfig } from './kubeconfig.js';
import { isJsonObject } from '../core/json/json-value.js';

/** A kubeconfig cannot be used; each line of the message names one thing that is wrong. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

export interface LocalKubeconfig {
  readonly context: string;
  readonly apiServer: ApiServer;
  /** When the credentials of an exec plugin expire; undefined: never, or unknown. */
  readonly expires: Date | undefined;
}

interface LocalEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether plugins may ask the user. */
  readonly isInteractive: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** In milliseconds; a plugin may wait for a user who logs in. */
const PLUGIN_TIMEOUT = 120_000;
const MOST_PLUGIN_BYTES = 1024 * 1024;

/**
 * Reads a context of the kubeconfig of whoever runs a command. Unlike the service, the command reads the files that the kubeconfig names and
 * runs its exec plugin, as kubectl does.
 *
 * Source: k8s.io/client-go v0.36.2, tools/clientcmd/loader.go (files, `$KUBECONFIG`, relative paths) and
 * plugin/pkg/client/auth/exec/exec.go.
 *
 * @param file by default those of `$KUBECONFIG`, else `~/.kube/config`
 * @param context by default the `current-context`
 * @throws {KubeconfigError}
 */
export async function readLocalKubeconfig(
  { file, context }: { readonly file?: string | undefined; readonly context?: string | undefined },
  environment: LocalEnvironment,
): Promise<LocalKubeconfig> {
  const config = await loadFiles(filesOf(file, environment.env));
  const chosen = context ?? textOf(config['current-context']);
  const entry = namedIn(config['contexts'], chosen);
  const cluster = namedIn(config['clusters'], textOf(fieldsOf(entry?.['context'])['cluster']));
  const user = namedIn(config['users'], textOf(fieldsOf(entry?.['context'])['user']));
  const reached = await withFiles(fieldsOf(cluster?.['cluster']), CLUSTER_FILES);
  const given = await withFiles(fieldsOf(user?.['user']), USER_FILES);
  const { fields: credentials, expires } = await withPlugin(given, reached, environment);
  const inlined = {
    kind: 'Config',
    'current-context': chosen,
    contexts: entry === undefined ? [] : [entry],
    clusters: cluster === undefined ? [] : [{ ...cluster, cluster: reached }],
    users: user === undefined ? [] : [{ ...user, user: credentials }],
  };
  const read = readKubeconfig(inlined, chosen);
  if (read.outcome === 'invalid') throw new KubeconfigError(read.faults.map((fault) => said(fault, chosen)).join('\n'));
  return { context: read.context, apiServer: read.apiServer, expires };
}

const said = ({ pointer, message }: KubeconfigFault, context: string): string =>
  `kubeconfig, context ${JSON.stringify(context)}: ${pointer === '' ? '' : `${pointer.slice(1).replaceAll('/', '.')} `}${message}`;

function filesOf(file: string | undefined, env: LocalEnvironment['env']): readonly string[] {
  if (file !== undefined) return [file];
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((name) => name !== '');
  return listed.length > 0 ? [...new Set(listed)] : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
}

/** The files as one kubeconfig: of several entries with a name, and of several current contexts, the first counts. */
async function loadFiles(files: readonly string[]): Promise<Fields> {
  const merged = { contexts: [] as Fields[], clusters: [] as Fields[], users: [] as Fields[] };
  let current = '';
  let found = 0;
  for (const file of files) {
    let config: Fields;
    try {
      config = fieldsOf(parse(await readFile(file, 'utf8')) as unknown);
    } catch (error) {
      // kubectl leaves out files of $KUBECONFIG that do not exist.
      if (files.length > 1 && (error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw new KubeconfigError(`kubeconfig ${file}: ${(error as Error).message}`);
    }
    found += 1;
    const folder = dirname(resolve(file));
    if (current === '') current = textOf(config['current-context']);
    for (const [list, member] of [
      ['contexts', 'context'],
      ['clusters', 'cluster'],
      ['users', 'user'],
    ] as const) {
      for (const entry of listOf(config[list])) {
        if (merged[list].some(({ name }) => name === entry['name'])) continue;
        merged[list].push({ ...entry, [member]: withPaths(fieldsOf(entry[member]), folder) });
      }
    }
  }
  if (found === 0) throw new KubeconfigError(`kubeconfig: none of ${files.join(', ')} exists`);
  return { ...merged, 'current-context': current };
}

const CLUSTER_FILES = { 'certificate-authority': 'certificate-authority-data' } as const;
const USER_FILES = {
  'client-certificate': 'client-certificate-data',
  'client-key': 'client-key-data',
  tokenFile: 'token',
} as const;

/** Paths are relative to the file that names them; a command without a slash is searched in the PATH. */
function withPaths(fields: Fields, folder: string): Fields {
  const absolute: Record<string, unknown> = { ...fields };
  for (const name of [...Object.keys(CLUSTER_FILES), ...Object.keys(USER_FILES)]) {
    const path = textOf(fields[name]);
    if (path !== '' && !isAbsolute(path)) absolute[name] = join(folder, path);
  }
  const plugin = fieldsOf(fields['exec']);
  const command = textOf(plugin['command']);
  if (command.includes('/') && !isAbsolute(command)) absolute['exec'] = { ...plugin, command: join(folder, command) };
  return absolute;
}

/** The fields with the contents of files in the place of their paths. */
async function withFiles(fields: Fields, files: Readonly<Record<string, string>>): Promise<Fields> {
  const read = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(files, name)));
  for (const [name, inline] of Object.entries(files)) {
    const path = textOf(fields[name]);
    if (path === '') continue;
    // Of a token, the file counts, which may be rotated; of the others, what is in the kubeconfig.
    if (inline !== 'token' && textOf(fields[inline]) !== '') continue;
    try {
      const content = await readFile(path);
      read[inline] = inline === 'token' ? content.toString('utf8').trim() : content.toString('base64');
    } catch (error) {
      throw new KubeconfigError(`kubeconfig, ${name}: ${(error as Error).message}`);
    }
  }
  return read;
}

interface PluginStatus {
  readonly token?: unknown;
  readonly clientCertificateData?: unknown;
  readonly clientKeyData?: unknown;
  readonly expirationTimestamp?: unknown;
}

async function withPlugin(
  user: Fields,
  cluster: Fields,
  environment: LocalEnvironment,
): Promise<{ readonly fields: Fields; readonly expires: Date | undefined }> {
  const plugin = user['exec'];
  if (plugin === undefined || plugin === null) return { fields: user, expires: undefined };
  const status = await runPlugin(fieldsOf(plugin), cluster, environment);
  const fields = Object.fromEntries(Object.entries(user).filter(([name]) => name !== 'exec'));
  const base64 = (pem: unknown): string => Buffer.from(textOf(pem)).toString('base64');
  const expires = new Date(textOf(status.expirationTimestamp));
  return {
    fields: {
      ...fields,
      ...(textOf(status.token) !== '' && { token: status.token }),
      ...(textOf(status.clientCertificateData) !== '' && {
        'client-certificate-data': base64(status.clientCertificateData),
        'client-key-data': base64(status.clientKeyData),
      }),
    },
    expires: Number.isNaN(expires.getTime()) ? undefined : expires,
  };
}

const PLUGIN_GROUP = 'client.authentication.k8s.io';
const PLUGIN_VERSIONS = [`${PLUGIN_GROUP}/v1`, `${PLUGIN_GROUP}/v1beta1`];

async function runPlugin(
  plugin: Fields,
  cluster: Fields,
  { env, isInteractive }: LocalEnvironment,
): Promise<PluginStatus> {
  const command = textOf(plugin['command']);
  const apiVersion = textOf(plugin['apiVersion']);
  const fail = (why: string): KubeconfigError => new KubeconfigError(`kubeconfig, exec plugin ${command}: ${why}`);
  if (!PLUGIN_VERSIONS.includes(apiVersion)) {
    throw fail(`apiVersion must be ${PLUGIN_VERSIONS.join(' or ')}, not ${JSON.stringify(apiVersion)}`);
  }
  const mode = textOf(plugin['interactiveMode']) || 'IfAvailable';
  if (mode === 'Always' && !isInteractive) throw fail('it asks the user, and there is no terminal');
  const interactive = mode !== 'Never' && isInteractive;
  const info = {
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive, ...(plugin['provideClusterInfo'] === true && { cluster: clusterInfo(cluster) }) },
  };
  const own = listOf(plugin['env']).map(({ name, value }) => [textOf(name), textOf(value)] as const);
  const args = Array.isArray(plugin['args']) ? plugin['args'].map(String) : [];
  const output = await outputOf(command, args, {
    env: { ...env, ...Object.fromEntries(own), KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    interactive,
    fail,
    hint: textOf(plugin['installHint']),
  });
  let answer: Fields;
  try {
    answer = fieldsOf(JSON.parse(output) as unknown);
  } catch {
    throw fail('its output is not JSON');
  }
  if (answer['kind'] !== 'ExecCredential' || answer['apiVersion'] !== apiVersion) {
    throw fail(`its output is not an ExecCredential of ${apiVersion}`);
  }
  const status = fieldsOf(answer['status']) as PluginStatus;
  const [token, certificate, key] = [status.token, status.clientCertificateData, status.clientKeyData].map(textOf);
  if ((certificate === '') !== (key === '')) throw fail('it gave a certificate or a key, not both');
  if (token === '' && certificate === '') throw fail('it gave no token and no certificate');
  return status;
}

/** Source: k8s.io/client-go v0.36.2, pkg/apis/clientauthentication/v1/types.go, `Cluster`. */
function clusterInfo(cluster: Fields): Fields {
  const config = listOf(cluster['extensions']).find(({ name }) => name === `${PLUGIN_GROUP}/exec`)?.['extension'];
  const info: Record<string, unknown> = { server: cluster['server'] };
  for (const name of ['tls-server-name', 'insecure-skip-tls-verify', 'certificate-authority-data', 'proxy-url']) {
    if (cluster[name] !== undefined) info[name] = cluster[name];
  }
  if (config !== undefined) info['config'] = config;
  return info;
}

/** What a program writes to its standard output; its errors go to those of this process. */
async function outputOf(
  command: string,
  args: readonly string[],
  given: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly interactive: boolean;
    readonly fail: (why: string) => KubeconfigError;
    readonly hint: string;
  },
): Promise<string> {
  const { env, interactive, fail, hint } = given;
  return new Promise((resolve_, reject) => {
    const child = spawn(command, args, {
      env,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      timeout: PLUGIN_TIMEOUT,
    });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > MOST_PLUGIN_BYTES) child.kill();
      else parts.push(part);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(fail(error.code === 'ENOENT' ? `not found${hint === '' ? '' : `. ${hint}`}` : error.message));
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve_(Buffer.concat(parts).toString());
      else reject(fail(code === null ? `it was ended by ${signal ?? 'a signal'}` : `it failed with exit code ${code}`));
    });
  });
}

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const namedIn = (list: unknown, name: string): Fields | undefined =>
  listOf(list).find((entry) => name !== '' && entry['name'] === name);
