import { ServiceError } from '../errors/service-error.js';

/** What an answer needs to get back to who waits for it. */
const WAY_BACK = 0.9;

/**
 * What is worked out in time, so that its answer arrives before nobody waits any more.
 * @throws {ServiceError} `webhook-timeout`
 */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(
          new ServiceError('webhook-timeout', `There was no answer within the ${timeoutMs} ms that the caller waits.`),
        );
      },
      Math.floor(timeoutMs * WAY_BACK),
    );
  });
  // Whoever is late may fail unheard.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
