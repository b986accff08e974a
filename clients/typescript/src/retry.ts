import { ConnectionError, ServiceError, UnexpectedAnswerError } from './service-error.js';

/** A failed attempt that is followed by another. */
export interface Retry {
  readonly error: Error;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Milliseconds until the next attempt. */
  readonly wait: number;
}

export interface RetryOptions {
  /** How many more attempts follow the first; by default 3. */
  readonly attempts?: number;
  /** The longest wait before an attempt, in milliseconds; by default 60,000. An answer that asks for more is thrown at once. */
  readonly maxWait?: number;
  /** Is told of every attempt that failed and is followed by another. */
  readonly onRetry?: (retry: Retry) => void;
}

const ATTEMPTS = 3;
const MAX_WAIT = 60_000;
const FIRST_WAIT = 250;

/** Of these it is known that the request may succeed later, and has changed nothing. */
const TEMPORARY = [429, 502, 503, 504];

/**
 * Makes attempts until one succeeds, fails for good, or is the last. Waits as long as `Retry-After` says, or else twice as long
 * as before, less a random part.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { attempts = ATTEMPTS, maxWait = MAX_WAIT, onRetry }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let failed = 1; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = waitAfter(error, failed);
      if (wait === undefined || failed > attempts || wait > maxWait) throw error;
      onRetry?.({ error: error as Error, attempt: failed, wait });
      await pause(wait, signal);
    }
  }
}

/** Milliseconds until an attempt that may succeed; undefined if none may. */
export function waitAfter(error: unknown, failed: number): number | undefined {
  if (!isTemporary(error)) return undefined;
  const wished = error instanceof ConnectionError ? undefined : error.retryAfter;
  if (wished !== undefined) return wished * 1000;
  const longest = Math.min(FIRST_WAIT * 2 ** (failed - 1), MAX_WAIT);
  return longest / 2 + (Math.random() * longest) / 2;
}

function isTemporary(error: unknown): error is ServiceError | UnexpectedAnswerError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  if (error instanceof UnexpectedAnswerError) return TEMPORARY.includes(error.status);
  if (!(error instanceof ServiceError)) return false;
  return TEMPORARY.includes(error.status) || error.code === 'idempotency-key-in-use';
}

/** @throws the signal's reason */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}
