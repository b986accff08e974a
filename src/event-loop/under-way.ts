/** Knows whether something of a kind is under way, for work that can wait until nothing is. */
export class UnderWay {
  private count = 0;
  private readonly waiting = new Set<() => void>();

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.count++;
    try {
      return await work();
    } finally {
      this.count--;
      if (this.count === 0) for (const wake of [...this.waiting]) wake();
    }
  }

  /** Resolves when nothing is under way, after so many milliseconds, or when the signal is aborted. */
  async ended(longestMs: number, signal: AbortSignal): Promise<void> {
    if (this.count === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, longestMs).unref();
      signal.addEventListener('abort', wake, { once: true });
      this.waiting.add(wake);
    });
  }
}
