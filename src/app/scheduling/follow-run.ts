import { setTimeout as later } from 'node:timers/promises';
import type { QueueProgress } from './run-queue.js';

/** A piece of news of a run; the last one is the answer. */
export type RunNews<Answer> = { readonly progress: QueueProgress } | { readonly answer: Answer };

/** How often progress is told, in milliseconds. */
const PERIOD = 250;

/**
 * Starts a run and tells how far it is, until the answer is there. What keeps it from starting, or fails at once, is thrown before
 * the first piece of news.
 */
export async function followRun<Answer>(
  start: (told: (progress: QueueProgress) => void) => Promise<Answer>,
): Promise<AsyncGenerator<RunNews<Answer>, void, undefined>> {
  let latest: QueueProgress | undefined;
  const running = start((progress) => (latest = { waiting: progress.waiting, totals: { ...progress.totals } }));
  const ended = running.then((answer) => ({ answer }));
  // Who follows hears of its failure.
  ended.catch(() => undefined);
  const wait = (): Promise<{ readonly answer: Answer } | undefined> =>
    Promise.race([ended, later(PERIOD, undefined, { ref: false })]);
  const first = await wait();
  return news(first);

  async function* news(
    known: { readonly answer: Answer } | undefined,
  ): AsyncGenerator<RunNews<Answer>, void, undefined> {
    let found = known;
    while (found === undefined) {
      if (latest !== undefined) yield { progress: latest };
      found = await wait();
    }
    if (latest !== undefined) yield { progress: latest };
    yield found;
  }
}
