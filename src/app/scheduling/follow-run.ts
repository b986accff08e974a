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
  const seen: { latest: QueueProgress | undefined } = { latest: undefined };
  const running = start((progress) => (seen.latest = { waiting: progress.waiting, totals: { ...progress.totals } }));
  const ended = running.then((result) => ({ result }));
  // The consumer receives the error of the run.
  ended.catch(() => undefined);
  const wait = (): Promise<{ readonly result: Answer } | undefined> =>
    Promise.race([ended, later(PERIOD, undefined, { ref: false })]);
  return news(seen, await wait(), wait);
}

async function* news<Answer>(
  seen: { readonly latest: QueueProgress | undefined },
  first: { readonly result: Answer } | undefined,
  wait: () => Promise<{ readonly result: Answer } | undefined>,
): AsyncGenerator<RunNews<Answer>, void, undefined> {
  let found = first;
  while (found === undefined) {
    if (seen.latest !== undefined) yield { progress: seen.latest };
    found = await wait();
  }
  if (seen.latest !== undefined) yield { progress: seen.latest };
  yield found;
}
