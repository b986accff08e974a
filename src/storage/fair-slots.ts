/** The number of concurrent users of the slots, and the longest wait of the others. */
export interface SlotLimits {
  readonly total: number;
  /** The maximum per caller, so that other callers can work at the same time. */
  readonly perCaller: number;
  readonly longestWaitMs: number;
}

interface Waiting {
  readonly caller: string;
  readonly enter: () => void;
}

/**
 * Limits concurrent work in total and per caller; further work waits up to a time limit. The next to run is the work of the
 * caller with the fewest running slots.
 */
export class FairSlots {
  private inside = 0;
  private readonly insideOf = new Map<string, number>();
  private readonly waiting: Waiting[] = [];

  /** @param tooLong creates the error for a caller that waited too long */
  constructor(
    private readonly limits: SlotLimits,
    private readonly tooLong: () => Error,
  ) {}

  /** @throws the error of `tooLong`; another error if the signal is aborted during the wait */
  async run<Result>(caller: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.hasRoomFor(caller)) this.enter(caller);
    else await this.wait(caller, signal);
    try {
      return await work();
    } finally {
      this.leave(caller);
    }
  }

  private hasRoomFor(caller: string): boolean {
    return this.inside < this.limits.total && this.countOf(caller) < this.limits.perCaller;
  }

  private countOf(caller: string): number {
    return this.insideOf.get(caller) ?? 0;
  }

  private enter(caller: string): void {
    this.inside++;
    this.insideOf.set(caller, this.countOf(caller) + 1);
  }

  private leave(caller: string): void {
    this.inside--;
    const left = this.countOf(caller) - 1;
    if (left > 0) this.insideOf.set(caller, left);
    else this.insideOf.delete(caller);
    let next: Waiting | undefined;
    for (const waiting of this.waiting) {
      if (!this.hasRoomFor(waiting.caller)) continue;
      if (next === undefined || this.countOf(waiting.caller) < this.countOf(next.caller)) next = waiting;
    }
    if (next === undefined) return;
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.enter(next.caller);
    next.enter();
  }

  private async wait(caller: string, signal: AbortSignal | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = { caller, enter: resolve };
        const giveUp = (error: Error): void => {
          const place = this.waiting.indexOf(waiting);
          if (place >= 0) this.waiting.splice(place, 1);
          reject(error);
        };
        this.waiting.push(waiting);
        timer = setTimeout(() => giveUp(this.tooLong()), this.limits.longestWaitMs);
        onAbort = () => giveUp(new Error('cancelled while waiting', { cause: signal?.reason }));
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    } finally {
      clearTimeout(timer);
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    }
  }
}
