import { Command, CommanderError } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { checkResponse } from '../app/expectations/expectation-response.js';
import { ClusterState } from '../core/cluster/cluster-state.js';
import { stepExpectations } from '../core/expectations/evaluate-expectations.js';
import type { Expectation } from '../core/expectations/expectation.js';
import type { JsonValue } from '../core/json/json-value.js';
import { parseJson, stringifyJson } from '../core/json/lossless-json.js';
import { KINDS, type KeptKind } from '../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { IngestError } from '../ingest/ingest-error.js';
import { readSnapshot } from '../ingest/read-snapshot.js';
import { exitCodeOf, junitOf, renderCheck, type CheckedExpectation, type CheckedFile } from './expectation-output.js';
import { readExpectationFile } from './expectation-file.js';
import { LineProgress } from './line-progress.js';
import { openSnapshotFiles } from './snapshot-body.js';
import { renderProblem } from './snapshot-output.js';

interface Options {
  readonly cluster?: string;
  readonly url: string;
  readonly local?: readonly string[];
  readonly revision?: string;
  readonly at?: string;
  readonly junit?: string;
}

const COULD_NOT_TELL = 2;

const command = new Command('expectations')
  .description(
    'Checks a file of expectations on a cluster. Exit code: 0 all hold, 1 something is broken, 2 it could not be told. ' +
      'If the service requires authentication, set KUBE_PLACEMENT_TOKEN in the environment to a token.',
  )
  .argument('<file>', 'YAML or JSON; - for standard input')
  .option('--cluster <name>', 'name of the cluster (required unless --local)')
  .option('--url <url>', 'address of the service', 'http://127.0.0.1:3000')
  .option('--local <dump...>', 'check these dumps (kubectl get ... -o json or -o yaml) here, without the service')
  .option('--revision <number>', 'revision of the cluster (default: the newest)')
  .option('--at <time>', 'the revision at this time (RFC 3339)')
  .option('--junit <file>', 'write JUnit XML to this file')
  .exitOverride();

/** A message for standard error that ends the command with exit code 2. */
class CannotTell extends Error {}

async function run(path: string, options: Options): Promise<number> {
  const given = readExpectationFile(path === '-' ? await textOf(process.stdin) : await readFile(path, 'utf8'));
  if ('errors' in given) throw new CannotTell(given.errors.map((error) => `${path}: ${error}\n`).join(''));
  const progress = new LineProgress(process.stderr);
  let checked: CheckedFile;
  try {
    checked =
      options.local === undefined
        ? await checkAtService(given.file, given.expectations.length, options, progress)
        : await checkHere(given.expectations, options.local, progress);
  } finally {
    progress.end();
  }
  process.stdout.write(renderCheck(checked));
  if (options.junit !== undefined) await writeFile(options.junit, junitOf(checked));
  return exitCodeOf(checked.results);
}

async function checkAtService(
  file: JsonValue,
  count: number,
  { cluster, url, revision, at }: Options,
  progress: LineProgress,
): Promise<CheckedFile> {
  if (cluster === undefined) throw new CannotTell('either --cluster or --local is required\n');
  const address = new URL(
    `api/v1/clusters/${encodeURIComponent(cluster)}/expectation-checks`,
    url.endsWith('/') ? url : `${url}/`,
  );
  if (revision !== undefined) address.searchParams.set('revision', revision);
  if (at !== undefined) address.searchParams.set('at', at);
  progress.tick((seconds) => `checking ${count} expectations of ${cluster}, ${seconds.toFixed(1)} s`);
  const token = process.env['KUBE_PLACEMENT_TOKEN'] ?? '';
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    body: stringifyJson(file),
  });
  const body = await response.text();
  if (!response.ok) throw new CannotTell(renderProblem(response.status, body));
  const answer = JSON.parse(body) as {
    readonly basis: { readonly revision: number; readonly capturedAt: string };
    readonly results: readonly CheckedExpectation[];
  };
  const { basis, results } = answer;
  return { cluster, revision: basis.revision, capturedAt: basis.capturedAt, results };
}

async function checkHere(
  expectations: readonly Expectation[],
  dumps: readonly string[],
  progress: LineProgress,
): Promise<CheckedFile> {
  const objects: KubernetesObject[] = [];
  const reading = readSnapshot(
    openSnapshotFiles(dumps, () => progress.show(`reading ${dumps.join(', ')}`)),
    { invalid: 'refuse' },
  );
  for await (const batch of reading.rows) {
    for (const { content } of batch) objects.push(parseJson(content) as unknown as KubernetesObject);
  }
  const { kinds } = await reading.report;
  const loaded = KINDS.map(({ kind }) => kind).filter((kind: KeptKind) => kinds.includes(kind));
  const state = ClusterState.build(objects, loaded);
  const steps = stepExpectations(state, expectations, {
    now: 0,
    onProgress: ({ done, of }) => progress.show(`${done} of ${of} expectations checked`),
  });
  for (;;) {
    const step = steps.next();
    if (step.done !== true) continue;
    const { results } = checkResponse(expectations, step.value);
    return { cluster: dumps.join(', '), revision: null, capturedAt: null, results };
  }
}

/** `fetch` says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = 'code' in cause ? String(cause.code) : '';
  return `${error.message}: ${cause.message === '' ? code : cause.message}`;
}

try {
  command.parse();
  process.exitCode = await run(command.args[0]!, command.opts());
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : COULD_NOT_TELL;
  else {
    const isOwn = error instanceof CannotTell;
    const what = error instanceof IngestError ? `the dump cannot be read: ${error.message}` : reasonOf(error);
    process.stderr.write(isOwn ? error.message : `${what}\n`);
    process.exitCode = COULD_NOT_TELL;
  }
}
