/** Where the time comes from. Each request reads it once, when it arrives; all other code takes `now` as an argument. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
