/** Bytes from several writers to one reader; writers wait while more than a number of bytes are on their way. */
export class ByteChannel implements AsyncIterable<Uint8Array> {
  private queue: Uint8Array[] = [];
  private queued = 0;
  private ended = false;
  private failure: Error | undefined;
  private wakeReader: (() => void) | undefined;
  private waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** @throws what the channel failed with */
  async write(bytes: Uint8Array): Promise<void> {
    this.queue.push(bytes);
    this.queued += bytes.length;
    this.wakeReader?.();
    while (this.queued > this.most && this.failure === undefined) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (this.failure !== undefined) throw this.failure;
  }

  end(): void {
    this.ended = true;
    this.wakeReader?.();
  }

  fail(error: Error): void {
    this.failure ??= error;
    this.wakeReader?.();
    this.wakeWriters();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure;
      if (this.queue.length > 0) {
        const bytes = Buffer.concat(this.queue);
        this.queue = [];
        this.queued = 0;
        this.wakeWriters();
        yield bytes;
      } else if (this.ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.wakeReader = resolve;
        });
      }
    }
  }

  private wakeWriters(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
