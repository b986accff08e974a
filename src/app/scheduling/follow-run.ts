import { setTimeout as later } from 'node:timers/promises';
import type { QueueProgress } from './run-queue.js';

/** A progress report of a run; the last item is the result. */
export type RunNews<Answer> = { readonly progress: QueueProgress } | { readonly result: Answer };

/** Interval between progress reports, in milliseconds. */
const PERIOD = 250;

/** Starts a run and reports its progress until it ends. An error that occurs before the first report is thrown. */
export async function followRun<Answer>(
  start: (onProgress: (progress: QueueProgress) => void) => Promise<Answer>,
): Promise<AsyncGenerator<RunNews<Answer>, void, undefined>> {
  let latest: QueueProgress | undefined;
  const running = start((progress) => (latest = { waiting: progress.waiting, totals: { ...progress.totals } }));
  const ended = running.then((result) => ({ result }));
  // The consumer receives the error of the run.
  ended.catch(() => undefined);
  const wait = (): Promise<{ readonly result: Answer } | undefined> =>
    Promise.race([ended, later(PERIOD, undefined, { ref: false })]);
  const first = await wait();
  return news(first);

  async function* news(
    known: { readonly result: Answer } | undefined,
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
