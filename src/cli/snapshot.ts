import { Command, Option } from 'commander';
import { openSnapshotFiles } from './snapshot-body.js';
import { renderProblem, renderSnapshot } from './snapshot-output.js';
import { ByteProgress } from './snapshot-progress.js';

interface Options {
  readonly cluster: string;
  readonly url: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly capturedAt?: string;
  readonly invalid: 'refuse' | 'keep';
  readonly apiServerVersion?: string;
  readonly backfill?: true;
  readonly allowRemovals?: true;
  readonly scopeKinds?: string;
  readonly scopeNamespaces?: string;
  readonly createCluster: 'true' | 'false';
}

const command = new Command('snapshot')
  .description(
    'Sends a dump of a cluster (kubectl get ... -o json or -o yaml) to the service, or with --context the cluster itself: the objects ' +
      'of all kinds that the service keeps, as far as the user of the kubeconfig may list them. If the service requires ' +
      'authentication, set KUBE_PLACEMENT_TOKEN in the environment to a token.',
  )
  .argument('[file...]', 'JSON, YAML or NDJSON, gzip-compressed or not; - for standard input')
  .option('--context <name>', 'take the snapshot from the cluster of this context of the kubeconfig')
  .option('--kubeconfig <file>', 'kubeconfig for --context (default: those of $KUBECONFIG, else ~/.kube/config)')
  .requiredOption('--cluster <name>', 'name of the cluster')
  .option('--url <url>', 'address of the service', 'http://127.0.0.1:3000')
  .option('--captured-at <time>', 'when the dump was taken, as an RFC 3339 time (default: now)')
  .addOption(
    new Option('--invalid <mode>', 'how to handle invalid objects').choices(['refuse', 'keep']).default('refuse'),
  )
  .option('--api-server-version <version>', 'version of the API server, as kubectl version prints it')
  .option('--backfill', 'store it even if the cluster has a newer snapshot')
  .option('--allow-removals', 'store it even if it lacks many of the stored nodes or pods')
  .option('--scope-kinds <kinds>', 'kinds that the dump replaces, separated by commas (default: those in it)')
  .option('--scope-namespaces <namespaces>', 'namespaces that the dump replaces, separated by commas (default: all)')
  .addOption(
    new Option('--create-cluster <bool>', 'create the cluster if it does not exist')
      .choices(['true', 'false'])
      .default('true'),
  );

/** The URL for the upload, with the options as query parameters. */
function addressOf(options: Options): URL {
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;
  const address = new URL(`api/v1/clusters/${encodeURIComponent(options.cluster)}/snapshots`, base);
  const query: readonly (readonly [string, string | undefined])[] = [
    ['createCluster', options.createCluster],
    ['capturedAt', options.capturedAt],
    ['invalid', options.invalid === 'keep' ? 'keep' : undefined],
    ['apiServerVersion', options.apiServerVersion],
    ['backfill', options.backfill && 'true'],
    ['allowRemovals', options.allowRemovals && 'true'],
    ['kinds', options.scopeKinds],
    ['namespaces', options.scopeNamespaces],
  ];
  for (const [name, value] of query) if (value !== undefined) address.searchParams.set(name, value);
  return address;
}

/** Taken from the environment, since other users of the machine can read command lines. */
function authorization(): Record<string, string> {
  const token = process.env['KUBE_PLACEMENT_TOKEN'] ?? '';
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}

async function sendFiles(files: readonly string[], options: Options): Promise<number> {
  return send(openSnapshotFiles(files), options);
}

/** Sends a body and prints the result. Returns the exit code: 0 stored, 1 rejected or unreachable. */
async function send(source: AsyncIterable<Uint8Array>, options: Options): Promise<number> {
  const progress = new ByteProgress(process.stderr);
  const failed: unknown[] = [];
  async function* body(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of source) {
        progress.add(chunk.length);
        yield chunk;
      }
    } catch (error) {
      failed.push(error);
      throw error;
    }
  }
  try {
    const response = await fetch(addressOf(options), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', accept: 'application/json', ...authorization() },
      // Without a known size, the body is sent in chunks as it is read.
      body: ReadableStream.from(body()),
      duplex: 'half',
    });
    progress.end();
    const text = await response.text();
    if (!response.ok) {
      process.stderr.write(renderProblem(response.status, text));
      return 1;
    }
    process.stdout.write(renderSnapshot(text));
    return 0;
  } catch (error) {
    progress.end();
    // What came out of the source says more than that sending failed.
    throw failed[0] ?? error;
  }
}

async function run(files: readonly string[], options: Options): Promise<number> {
  const isCluster = options.context !== undefined || options.kubeconfig !== undefined;
  if (isCluster === files.length > 0) command.error('error: give either files or --context');
  try {
    if (!isCluster) return await sendFiles(files, options);
    // Loaded only if it is needed.
    const { sendCluster } = await import('./snapshot-of-cluster.js');
    // The state is no older than when the first list was asked for.
    return await sendCluster(options, (lists, { capturedAt, version }) =>
      send(lists, { capturedAt, ...(version !== null && { apiServerVersion: version }), ...options }),
    );
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return 1;
  }
}

/** The message is only `fetch failed`; its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = 'code' in cause ? String(cause.code) : '';
  return `${error.message}: ${cause.message === '' ? code : cause.message}`;
}

command.parse();
process.exitCode = await run(command.args, command.opts());
