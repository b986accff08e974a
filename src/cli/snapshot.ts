import { Command, Option } from 'commander';
import { openSnapshotFiles } from './snapshot-body.js';
import { renderProblem, renderSnapshot } from './snapshot-output.js';
import { ByteProgress } from './snapshot-progress.js';

interface Options {
  readonly cluster: string;
  readonly url: string;
  readonly capturedAt?: string;
  readonly invalid: 'refuse' | 'keep';
  readonly backfill?: true;
  readonly allowRemovals?: true;
  readonly scopeKinds?: string;
  readonly scopeNamespaces?: string;
  readonly createCluster: 'true' | 'false';
}

const command = new Command('snapshot')
  .description(
    'Sends a dump of a cluster (kubectl get ... -o json or -o yaml) to the service. If the service requires ' +
      'authentication, set KUBE_PLACEMENT_TOKEN in the environment to a token.',
  )
  .argument('<file...>', 'JSON, YAML or NDJSON, gzip-compressed or not; - for standard input')
  .requiredOption('--cluster <name>', 'name of the cluster')
  .option('--url <url>', 'address of the service', 'http://127.0.0.1:3000')
  .option('--captured-at <time>', 'when the dump was taken, as an RFC 3339 time (default: now)')
  .addOption(
    new Option('--invalid <mode>', 'how to handle invalid objects').choices(['refuse', 'keep']).default('refuse'),
  )
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

/** Sends the files and prints the result. Returns the exit code: 0 stored, 1 rejected or unreachable. */
async function send(files: readonly string[], options: Options): Promise<number> {
  const progress = new ByteProgress(process.stderr);
  try {
    const body = openSnapshotFiles(files, (bytes) => progress.add(bytes));
    const response = await fetch(addressOf(options), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', accept: 'application/json', ...authorization() },
      // Without a known size, the body is sent in chunks as it is read.
      body: ReadableStream.from(body),
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
process.exitCode = await send(command.args, command.opts());
