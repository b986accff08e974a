/** A counting semaphore for a single taker: `take` waits until there is a credit, `give` adds one. */
export class Credits {
  private waiter: (() => void) | undefined;

  constructor(private available: number) {}

  give(): void {
    this.available++;
    this.waiter?.();
    this.waiter = undefined;
  }

  async take(): Promise<void> {
    while (this.available <= 0) {
      await new Promise<void>((resolve) => {
        this.waiter = resolve;
      });
    }
    this.available--;
  }
}
