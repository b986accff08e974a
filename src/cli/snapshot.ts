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
    'Sends a dump of a cluster (kubectl get ... -o json or -o yaml) to the service. Where the service asks who calls, ' +
      'KUBE_PLACEMENT_TOKEN in the environment says it.',
  )
  .argument('<file...>', 'JSON, YAML or NDJSON, gzip or not; - for standard input')
  .requiredOption('--cluster <name>', 'the cluster to store it as')
  .option('--url <url>', 'where the service is', 'http://127.0.0.1:3000')
  .option('--captured-at <time>', 'when the dump was taken, RFC 3339 (default: now)')
  .addOption(
    new Option('--invalid <mode>', 'what an invalid object does').choices(['refuse', 'keep']).default('refuse'),
  )
  .option('--backfill', 'store it although the cluster has a newer snapshot')
  .option('--allow-removals', 'store it although it lacks many of the stored nodes or pods')
  .option('--scope-kinds <kinds>', 'the kinds that the dump replaces, separated by commas (default: those in it)')
  .option('--scope-namespaces <namespaces>', 'the namespaces that it replaces (default: all)')
  .addOption(
    new Option('--create-cluster <bool>', 'create the cluster when it is absent')
      .choices(['true', 'false'])
      .default('true'),
  );

/** The address that the files are sent to, with what the caller said about them. */
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

/** From the environment: what stands in a command line, others on the machine can read. */
function authorization(): Record<string, string> {
  const token = process.env['KUBE_PLACEMENT_TOKEN'] ?? '';
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}

/** Sends the files and says what became of them. Returns the exit code: 0 stored, 1 refused or not reached. */
async function send(files: readonly string[], options: Options): Promise<number> {
  const progress = new ByteProgress(process.stderr);
  try {
    const body = openSnapshotFiles(files, (bytes) => progress.add(bytes));
    const response = await fetch(addressOf(options), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', accept: 'application/json', ...authorization() },
      // Without a size the body goes out in chunks as it is read.
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

/** `fetch failed` tells nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = 'code' in cause ? String(cause.code) : '';
  return `${error.message}: ${cause.message === '' ? code : cause.message}`;
}

command.parse();
process.exitCode = await send(command.args, command.opts());
