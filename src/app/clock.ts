/**
 * The source of the current time. Each request reads it once, on arrival; all other code takes `now` as an argument.
 */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
