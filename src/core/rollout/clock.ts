import { dequeue, enqueue, type Timed, type TimerQueue } from '../collections/timer-queue.js';

interface Timer extends Timed {
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time: what is due first happens first; of what is due at the same time, what was planned first. */
export class Clock {
  /** Milliseconds since the start. */
  now = 0;
  private timers: TimerQueue<Timer>;
  private planned = 0;

  after(milliseconds: number, run: () => void): void {
    // The queue keeps no order among equal times.
    const order = this.planned++;
    const firesAt = this.now + milliseconds + order * TINY;
    this.timers = enqueue(this.timers, { firesAt, order, run });
  }

  /** Runs what is due next; false if nothing is. */
  step(): boolean {
    const { timers } = this;
    if (timers === undefined) return false;
    this.timers = dequeue(timers);
    const { firesAt, run } = timers.entry;
    this.now = Math.max(this.now, Math.floor(firesAt));
    run();
    return true;
  }
}

/** Less than a millisecond even after as many timers as a rollout may plan. */
const TINY = 1e-7;
