/** Lets a number of holders in at a time; the others wait, first come, first served. */
export class Semaphore {
  private free: number;
  private readonly queue: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  /**
   * Waits for a turn.
   *
   * @returns ends the turn; undefined if the signal was aborted first
   */
  async take(): Promise<() => void>;
  async take(signal: AbortSignal): Promise<(() => void) | undefined>;
  async take(signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (signal?.aborted === true) return undefined;
    if (this.free > 0) this.free -= 1;
    else if (!(await this.wait(signal))) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.queue.shift();
      if (next === undefined) this.free += 1;
      else next();
    };
  }

  private wait(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const called = (): void => {
        signal?.removeEventListener('abort', stopped);
        resolve(true);
      };
      const stopped = (): void => {
        this.queue.splice(this.queue.indexOf(called), 1);
        resolve(false);
      };
      signal?.addEventListener('abort', stopped, { once: true });
      this.queue.push(called);
    });
  }
}
