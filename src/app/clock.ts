/** Where the time comes from. It is read once a request, at the edge; everything behind takes `now` as an argument. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
