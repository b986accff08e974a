export interface FairQueueLimits {
  /** The number of tasks that run at the same time. At most one task per caller runs. */
  readonly atOnce: number;
  /** The number of tasks that may run or wait, per caller and in total. */
  readonly perCaller: number;
  readonly inTotal: number;
}

/** The queue has no room for another task, of this caller or in total. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/**
 * Runs costly tasks with callers in turn: many tasks of one caller delay only that caller, because another caller's
 * first task runs next.
 */
export class FairQueue {
  /** The waiting tasks of each caller, in the order of the callers' turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly running = new Set<string>();
  private held = 0;

  constructor(private readonly limits: FairQueueLimits) {}

  /** @throws {QueueFullError} or the error of the task */
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

  /** Moves the caller behind all other waiting callers. */
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
