/** Time as an argument, so that tests run at any pace. */
export interface Clock {
  /** In milliseconds since 1970. */
  now(): number;
  /** Resolves after some milliseconds, and rejects when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Calls back once, unless it is cancelled by the function that it returns. */
  after(milliseconds: number, call: () => void): () => void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const stopped = (): void => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stopped);
        resolve();
      }, milliseconds);
      if (signal.aborted) stopped();
      else signal.addEventListener('abort', stopped, { once: true });
    }),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};
