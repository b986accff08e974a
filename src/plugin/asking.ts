import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { readThroughKubectl } from './open-cluster.js';
import { checkOutput, rendered } from './output/print.js';
import { type Ask, type AskingContext, tellUnread } from './reply.js';

/** @throws {CommandFailed} no service is named */
export function needServer({ server }: ClusterOptions, why: string): void {
  if (server === undefined) throw new CommandFailed(`${why}: use --server URL --cluster NAME`);
}

/** Asks about a cluster and prints the reply; the exit code tells its verdict. */
export async function asking(options: ClusterOptions, ask: Ask): Promise<void> {
  checkOutput(options.output);
  if (options.watch === true) {
    const { watching } = await import('./watching.js');
    return watching(options, ask);
  }
  const context = await opened(options);
  const { view, code, after } = await ask(context);
  const text = await rendered(view, options.output, process.stdout);
  tellUnread(context.answers.unread);
  process.stdout.write(text);
  process.exitCode = after === undefined ? code : await after();
}

async function opened(options: ClusterOptions): Promise<AskingContext> {
  if (options.server !== undefined) {
    const { serviceOf } = await import('./service-answers.js');
    return { answers: await serviceOf(options), namespace: options.namespace ?? 'default' };
  }
  const stop = new AbortController();
  const loading = import('./local-answers.js');
  const { proxy, name, reading, namespace } = await readThroughKubectl(options, { signal: stop.signal });
  proxy.close();
  const { LocalAnswers } = await loading;
  return { answers: new LocalAnswers(name, reading, stop.signal), namespace };
}
