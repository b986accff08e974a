import { setTimeout } from 'node:timers/promises';
import type { ClusterOptions } from './cluster-command.js';
import { serviceOf } from './service-answers.js';
import type { Moment } from './watching.js';

/** In milliseconds: what comes within it comes together. */
const COALESCE = 100;

/** A cluster that a service tells of: asked about at once, and after each of its events. @throws {CommandFailed} */
export async function* serviceMoments(
  options: ClusterOptions,
  tell: (text: string) => void,
): AsyncGenerator<Moment, void> {
  const answers = await serviceOf(options);
  const namespace = options.namespace ?? 'default';
  const stop = new AbortController();
  let isChanged = true;
  let stirred: () => void = () => undefined;
  const changed = (): void => {
    isChanged = true;
    stirred();
  };
  const ended = answers.follow(changed, tell, stop.signal);
  // It is waited for only between two answers.
  ended.catch(() => undefined);
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => (stirred = resolve));
      if (!isChanged) await Promise.race([next, ended]);
      isChanged = false;
      yield { answers, namespace, now: new Date() };
      await Promise.race([setTimeout(COALESCE), ended]);
    }
  } finally {
    stop.abort();
  }
}
