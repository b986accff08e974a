export interface FairQueueLimits {
  /** How many tasks run at once; of one caller always one. */
  readonly atOnce: number;
  /** How many tasks of one caller, and of all, may run or wait. */
  readonly perCaller: number;
  readonly inTotal: number;
}

/** There is no room for another task, of this caller or of anybody. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/**
 * Costly tasks one after another, callers in turn: whoever brings many waits for himself, and another's first one comes
 * next.
 */
export class FairQueue {
  /** The tasks of each caller that has any; whose turn is next comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly running = new Set<string>();
  private held = 0;

  constructor(private readonly limits: FairQueueLimits) {}

  /** @throws {QueueFullError} or what the task throws */
  async run<Result>(caller: string, task: () => Promise<Result>): Promise<Result> {
    const { perCaller, inTotal } = this.limits;
    const own = (this.waiting.get(caller)?.length ?? 0) + (this.running.has(caller) ? 1 : 0);
    if (own >= perCaller || this.held >= inTotal) throw new QueueFullError();
    this.held += 1;
    await new Promise<void>((begin) => {
      const tasks = this.waiting.get(caller);
      if (tasks === undefined) this.waiting.set(caller, [begin]);
      else tasks.push(begin);
      this.next();
    });
    try {
      return await task();
    } finally {
      this.held -= 1;
      this.running.delete(caller);
      this.yieldTurn(caller);
      this.next();
    }
  }

  /** All others who wait come before this caller. */
  private yieldTurn(caller: string): void {
    const tasks = this.waiting.get(caller);
    if (tasks === undefined) return;
    this.waiting.delete(caller);
    this.waiting.set(caller, tasks);
  }

  private next(): void {
    for (const [caller, tasks] of this.waiting) {
      if (this.running.size >= this.limits.atOnce) return;
      if (this.running.has(caller)) continue;
      const begin = tasks.shift();
      if (tasks.length === 0) this.waiting.delete(caller);
      this.running.add(caller);
      begin?.();
    }
  }
}
