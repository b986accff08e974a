/** How often the monitor looks at the clock, in milliseconds. */
const TICK_MS = 20;
/** The event loop is held if the monitor is called later than this, in milliseconds. */
export const HELD_MS = 50;

/** A time in which the event loop did nothing but one thing. */
export interface Hold<Work> {
  readonly ms: number;
  /** The processor time that the process used meanwhile; much less than `ms` if the machine gave it none. */
  readonly processorMs: number;
  /** What was under way, the latest first; one of it held the loop, unless background work did. */
  readonly during: readonly Work[];
}

/** The clocks of the process, in milliseconds. */
export interface LoopClocks {
  readonly now: () => number;
  readonly processor: () => number;
}

/** Finds out when the event loop is held, and by what. While nothing holds it, it costs a look at the clock every 20 ms. */
export class LoopMonitor<Work> {
  private readonly underWay = new Set<Work>();
  /** What has ended since the last tick: it may have held the loop. */
  private ended: Work[] = [];
  private due: number;
  private usedBefore: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clocks: LoopClocks,
    private readonly held: (hold: Hold<Work>) => void,
  ) {
    this.due = clocks.now() + TICK_MS;
    this.usedBefore = clocks.processor();
  }

  /** Starts to watch; nothing that came before counts. */
  start(): void {
    this.due = this.clocks.now() + TICK_MS;
    this.usedBefore = this.clocks.processor();
    this.timer ??= setInterval(() => {
      this.tick();
    }, TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  begin(work: Work): void {
    this.underWay.add(work);
  }

  end(work: Work): void {
    if (this.underWay.delete(work)) this.ended.push(work);
  }

  /** Called by a timer. */
  tick(): void {
    const { now, processor } = this.clocks;
    const at = now();
    const used = processor();
    const ms = at - this.due;
    if (ms > HELD_MS) {
      this.held({ ms, processorMs: used - this.usedBefore, during: [...this.underWay, ...this.ended].reverse() });
    }
    this.ended = [];
    this.usedBefore = used;
    this.due = at + TICK_MS;
  }
}
