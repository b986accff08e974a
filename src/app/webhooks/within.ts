import { ServiceError } from '../errors/service-error.js';

/** The part of the timeout that is available before the response must be sent. */
const WAY_BACK = 0.9;

/**
 * Limits a computation to a part of the caller's timeout, so that its response arrives in time.
 * @throws {ServiceError} `webhook-timeout`
 */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(
          new ServiceError('webhook-timeout', `No response was ready within the caller's timeout of ${timeoutMs} ms.`),
        );
      },
      Math.floor(timeoutMs * WAY_BACK),
    );
  });
  // The error of a late result is ignored.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
