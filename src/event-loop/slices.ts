import { OtherWork } from './other-work.js';
import { LONG_MS, turns, type Computation } from './turns.js';

/** How long a slice blocks the event loop by default, in milliseconds. */
const SLICE_MS = 8;

/** How work goes on that nobody waits for as for a response: other work goes first. */
export interface Background {
  /** How many times as long as a slice took it rests afterwards while there is no other work. */
  readonly rests: number;
}

/** However busy the event loop is, rests are at most 8 times as long. */
const LEAST = 1 / 8;

/**
 * How many times as long as a slice took a computation in the background rests: longer, the less time other work leaves. Requests that
 * need nearly all of a processor would queue up behind it.
 * @param others the share of time that other work takes, from 0 to 1
 */
export const restsBeside = (others: number, { rests }: Background): number => rests / Math.max(LEAST, 1 - others);

/**
 * Splits long computations on the event loop into slices, so that short requests keep their latency:
 *
 *     for (const row of rows) {
 *       if (slices.due()) await slices.pause();
 *       work(row);
 *     }
 */
export class Slices implements Computation {
  readonly order = turns.begin();
  used = 0;
  /** How long it has rested, in milliseconds. */
  rested = 0;
  private wake: (() => void) | undefined;
  private began: number;
  /** How long this slice may be. */
  private ms: number;

  /** @param background for work that nobody waits for as for a response */
  constructor(
    private readonly sliceMs = SLICE_MS,
    private background?: Background,
    private readonly others = background && new OtherWork(),
  ) {
    this.ms = background === undefined ? sliceMs : LONG_MS;
    this.began = performance.now();
  }

  /** Whether this slice is used up, or the turn of the event loop by other computations. */
  due(): boolean {
    const now = performance.now();
    return now >= this.began + this.ms || turns.isOver(now);
  }

  get inBackground(): boolean {
    return this.background !== undefined;
  }

  /** From now on somebody waits for it. */
  hurry(): void {
    this.background = undefined;
    this.wake?.();
  }

  /** Its work begins now: in the background, it does not rest for the time before, in which it may have waited for a database. */
  begin(): void {
    if (this.inBackground) this.began = performance.now();
  }

  /** Yields to other work. */
  async pause(): Promise<void> {
    this.used++;
    if (this.background !== undefined) await this.rest(this.background);
    this.ms = Math.min(this.sliceMs, await turns.next(this));
    this.began = performance.now();
  }

  private async rest(background: Background): Promise<void> {
    const from = performance.now();
    const worked = from - this.began;
    this.others?.measure(worked);
    const ms = worked * restsBeside(this.others?.share ?? 0, background);
    if (ms < 1) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
    this.rested += performance.now() - from;
  }

  /** Runs a computation of the core, which yields after each step. Of many that begin in one turn, some wait for the next before their first step. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    this.begin();
    for (;;) {
      if (this.due()) await this.pause();
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** Maps each item. */
  async map<Item, Result>(items: Iterable<Item>, make: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    this.begin();
    for (const item of items) {
      if (this.due()) await this.pause();
      results.push(make(item));
    }
    return results;
  }
}
