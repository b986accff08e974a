import { without } from '../core/collections/without.js';
import type { Answers } from './answers.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { rendered, separator, type View } from './output/print.js';
import type { WantsWhole } from './read-object.js';
import { type Ask, type Reply, tellUnread } from './reply.js';

/** Who answers about a cluster after it has changed. */
export interface Moment {
  readonly answers: Answers;
  readonly namespace: string;
  readonly now: Date;
}

const tell = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/**
 * Asks again whenever the cluster has changed, and prints the reply if it is another one, until a signal ends the process.
 *
 * @throws {CommandFailed} there is no first answer, or the cluster cannot be watched any longer
 */
export async function watching(options: ClusterOptions, ask: Ask, wantsWhole?: WantsWhole): Promise<void> {
  if (options.server === undefined) {
    const { localMoments } = await import('./local-moments.js');
    await repeated(localMoments(options, { tell, wantsWhole }), options, ask);
  } else {
    const { serviceMoments } = await import('./service-moments.js');
    await repeated(serviceMoments(options, tell), options, ask);
  }
}

async function repeated(moments: AsyncIterable<Moment>, { output }: ClusterOptions, ask: Ask): Promise<void> {
  let said: string | undefined;
  for await (const { answers, namespace, now } of moments) {
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
    const { view } = reply;
    const compared = untimed(await rendered(unread(view), output, process.stdout), [now, ...startsOf(view)]);
    if (compared === said) continue;
    if (said === undefined) tellUnread(answers.unread);
    else process.stdout.write(separator(output, now));
    process.stdout.write(await rendered(view, output, process.stdout));
    said = compared;
  }
}

/** Without what says when the cluster was read. */
const unread = (view: View): View => ({ ...view, answer: without(view.answer as { basis?: unknown }, 'basis') });

/** The times from which an answer looks ahead: a service that is asked at another time has others. */
function startsOf({ answer }: View): readonly Date[] {
  const { asOf, startsAt } = answer as { readonly asOf?: unknown; readonly startsAt?: unknown };
  return [asOf, startsAt].flatMap((time) => {
    const date = new Date(time instanceof Date ? time : String(time));
    return Number.isNaN(date.getTime()) ? [] : [date];
  });
}

const untimed = (text: string, times: readonly Date[]): string =>
  times
    .map((time) => time.toISOString())
    .reduce((rest, time) => rest.replaceAll(time, '').replaceAll(time.replace(/\.\d+/, ''), ''), text);
