import { LineProgress } from '../cli/line-progress.js';
import { type LeftOutKind, leftOutText } from '../kube-api/cluster-lists.js';
import type { Answers } from './answers.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { currentContext, KubectlProxy } from './kubectl.js';
import { checkOutput, rendered, type View } from './output/print.js';

/** As a condition of a shell: yes or fine, no, not known. */
export type ExitCode = 0 | 1 | 2;

export interface Reply {
  readonly view: View;
  readonly code: ExitCode;
  /** Done after the reply is printed; its exit code counts. */
  readonly after?: () => Promise<ExitCode>;
}

/** @throws {CommandFailed} no service is named */
export function needServer({ server }: ClusterOptions, why: string): void {
  if (server === undefined) throw new CommandFailed(`${why}: use --server URL --cluster NAME`);
}

export interface AskingContext {
  readonly answers: Answers;
  /** The namespace of the options or the context. */
  readonly namespace: string;
}

/** Asks about a cluster and prints the reply; the exit code tells its verdict. */
export async function asking(options: ClusterOptions, ask: (context: AskingContext) => Promise<Reply>): Promise<void> {
  checkOutput(options.output);
  const context = await opened(options);
  const { view, code, after } = await ask(context);
  const text = await rendered(view, options.output, process.stdout);
  const { unread } = context.answers;
  if (unread.length > 0) {
    process.stderr.write(`Not known, because it cannot be read:\n${unread.map((one) => `${one}\n`).join('')}\n`);
  }
  process.stdout.write(text);
  process.exitCode = after === undefined ? code : await after();
}

/** Without nodes or pods, nothing can be said; other kinds matter to some answers. @throws {CommandFailed} */
function checkReadable(leftOut: readonly LeftOutKind[]): void {
  const missing = leftOut.filter(({ kind: { kind } }) => kind === 'Node' || kind === 'Pod');
  if (missing.length > 0) throw new CommandFailed('this cannot be answered without', missing.map(leftOutText));
}

async function opened(options: ClusterOptions): Promise<AskingContext> {
  if (options.server !== undefined) {
    const { serviceOf } = await import('./service-answers.js');
    return { answers: await serviceOf(options), namespace: options.namespace ?? 'default' };
  }
  const stop = new AbortController();
  const progress = new LineProgress(process.stderr);
  const starting = KubectlProxy.start(options);
  // The first one that fails is told.
  starting.catch(() => undefined);
  const [{ LocalAnswers }, { readCluster }, { name, namespace }, proxy] = await Promise.all([
    import('./local-answers.js'),
    import('./read-cluster.js'),
    currentContext(options),
    starting,
  ]).catch(async (error: unknown) => {
    (await starting.catch(() => undefined))?.close();
    throw error;
  });
  try {
    const reading = await readCluster(proxy, {
      signal: stop.signal,
      progress: (objects) => {
        progress.show(`read ${objects.toLocaleString('en')} objects of ${name}`);
      },
    });
    checkReadable(reading.leftOut);
    return { answers: new LocalAnswers(name, reading, stop.signal), namespace: options.namespace ?? namespace };
  } finally {
    progress.end();
    proxy.close();
  }
}
