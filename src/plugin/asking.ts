import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { readThroughKubectl } from './open-cluster.js';
import { checkOutput, rendered } from './output/print.js';
import type { WantsWhole } from './read-object.js';
import { type Ask, type AskingContext, tellUnread } from './reply.js';

/** @throws {CommandFailed} no service is named */
export function needServer({ server }: ClusterOptions, why: string): void {
  if (server === undefined) throw new CommandFailed(`${why}: use --server URL --cluster NAME`);
}

/**
 * Asks about a cluster and prints the reply; the exit code tells its verdict.
 *
 * @param wantsWhole which objects are needed with all their fields
 */
export async function asking(options: ClusterOptions, ask: Ask, wantsWhole?: WantsWhole): Promise<void> {
  checkOutput(options.output);
  if (options.watch === true) {
    const { watching } = await import('./watching.js');
    return watching(options, ask, wantsWhole);
  }
  const context = await opened(options, wantsWhole);
  const { view, code, after } = await ask(context);
  const text = await rendered(view, options.output, process.stdout);
  tellUnread(context.answers.unread);
  process.stdout.write(text);
  process.exitCode = after === undefined ? code : await after();
}

async function opened(options: ClusterOptions, wantsWhole: WantsWhole | undefined): Promise<AskingContext> {
  if (options.server !== undefined) {
    const { serviceOf } = await import('./service-answers.js');
    return { answers: await serviceOf(options), namespace: options.namespace ?? 'default' };
  }
  const stop = new AbortController();
  const loading = import('./local-answers.js');
  const { proxy, name, reading, namespace } = await readThroughKubectl(options, { signal: stop.signal, wantsWhole });
  proxy.close();
  const { LocalAnswers } = await loading;
  return { answers: new LocalAnswers(name, reading, stop.signal, { rulesVersion: options.rulesVersion }), namespace };
}
