import { without } from '../core/scenario/without.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { LocalAnswers } from './local-answers.js';
import { type OpenCluster, readThroughKubectl } from './open-cluster.js';
import { rendered, separator, type View } from './output/print.js';
import type { WantsWhole } from './read-object.js';
import { type Ask, type Reply, tellUnread } from './reply.js';
import { ObjectHashes, WatchedCluster } from './watched-cluster.js';

/**
 * Asks again whenever the cluster has changed, and prints the reply if it is another one, until a signal ends the process.
 *
 * @throws {CommandFailed} there is no first answer, or the cluster cannot be watched any longer
 */
export async function watching(options: ClusterOptions, ask: Ask, wantsWhole?: WantsWhole): Promise<never> {
  if (options.server !== undefined)
    throw new CommandFailed('--watch watches a cluster through kubectl: leave out --server');
  const stop = new AbortController();
  const hashes = new ObjectHashes();
  const opened = await readThroughKubectl(options, {
    signal: stop.signal,
    object: (object) => hashes.set(object),
    wantsWhole,
  });
  try {
    return await repeated(opened, { hashes, stop, options, ask, wantsWhole });
  } finally {
    stop.abort();
    opened.proxy.close();
  }
}

interface Repeated {
  readonly hashes: ObjectHashes;
  readonly stop: AbortController;
  readonly options: ClusterOptions;
  readonly ask: Ask;
  readonly wantsWhole: WantsWhole | undefined;
}

async function repeated(
  { proxy, name, namespace, reading: first }: OpenCluster,
  { hashes, stop: { signal }, options: { output }, ask, wantsWhole }: Repeated,
): Promise<never> {
  const tell = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const cluster = WatchedCluster.start(proxy, first, { hashes, signal, wantsWhole, tell });
  let said: string | undefined;
  for (let reading = first; ; reading = await cluster.next()) {
    const now = reading.capturedAt;
    const answers = new LocalAnswers(name, reading, signal, now);
    let reply: Reply;
    try {
      reply = await ask({ answers, namespace });
    } catch (error) {
      // What was asked about may be gone, and come again.
      if (said === undefined || !(error instanceof CommandFailed)) throw error;
      const message = `error: ${error.message}`;
      if (message !== said) tell(message);
      said = message;
      continue;
    }
    const text = await rendered(untimed(reply.view), output, process.stdout);
    const compared = text.replaceAll(now.toISOString(), '').replaceAll(now.toISOString().replace(/\.\d+/, ''), '');
    if (compared === said) continue;
    if (said === undefined) tellUnread(answers.unread);
    else process.stdout.write(separator(output, now));
    process.stdout.write(await rendered(reply.view, output, process.stdout));
    said = compared;
  }
}

/** Without the time at which the cluster was read. */
const untimed = (view: View): View => ({ ...view, answer: without(view.answer as { basis?: unknown }, 'basis') });
