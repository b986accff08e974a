import { ServiceError } from './errors/service-error.js';

/** What a promise resolves to. @throws {ServiceError} `cancelled` if the signal is aborted first; the work goes on */
export async function orCancelled<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const cancelled = (): ServiceError => new ServiceError('cancelled', 'The caller stopped waiting for the response.');
  if (signal.aborted) throw cancelled();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(cancelled());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
