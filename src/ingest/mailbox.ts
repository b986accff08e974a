/** Values from one side, read on the other as an async iterable; closing it ends or fails the reader. */
export class Mailbox<T> implements AsyncIterable<T> {
  private readonly queue: T[] = [];
  private wake: (() => void) | undefined;
  private closed = false;
  private error: Error | undefined;

  /** @param onTaken called when the reader asks for the value after the one it was given */
  constructor(private readonly onTaken: () => void = () => undefined) {}

  put(value: T): void {
    if (!this.closed) this.queue.push(value);
    this.wakeReader();
  }

  /** Ends the reader once it has read what is there; an error reaches it at once. */
  close(error?: Error): void {
    if (this.closed) return;
    this.closed = true;
    this.error = error;
    this.wakeReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      if (this.error !== undefined) throw this.error;
      if (this.queue.length > 0) {
        yield this.queue.shift()!;
        this.onTaken();
      } else if (this.closed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }

  private wakeReader(): void {
    this.wake?.();
    this.wake = undefined;
  }
}
