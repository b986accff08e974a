import { Clock } from '../../src/app/clock.js';

/** A clock that a test sets. */
export class ManualClock extends Clock {
  private time = Date.now();

  override now(): Date {
    return new Date(this.time);
  }

  /** @param seconds forward */
  pass(seconds: number): void {
    this.time += seconds * 1000;
  }
}
