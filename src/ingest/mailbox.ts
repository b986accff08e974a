/** Passes values to a reader that consumes an async iterable. Closing the mailbox ends the reader, or makes it fail. */
export class Mailbox<T> implements AsyncIterable<T> {
  private readonly queue: T[] = [];
  private wake: (() => void) | undefined;
  private closed = false;
  private error: Error | undefined;

  /** @param onTaken called with a value when the reader has received it and requests the next one */
  constructor(private readonly onTaken: (value: T) => void = () => undefined) {}

  put(value: T): void {
    if (!this.closed) this.queue.push(value);
    this.wakeReader();
  }

  /** Ends the reader after the values that are already queued; an error ends it immediately. */
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
        const value = this.queue.shift()!;
        yield value;
        this.onTaken(value);
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
