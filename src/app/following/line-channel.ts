/** Bytes that lines are copied into one after another; a longer line has its own. */
const SLAB_BYTES = 256 * 1024;

const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** Lines from several writers to one reader; writers wait while more than a number of bytes are on their way. */
export class LineChannel implements AsyncIterable<Uint8Array> {
  private queue: Uint8Array[] = [];
  /** The last slab: what of it is on its way, and where the next line begins. */
  private slab = new Uint8Array(0);
  private taken = 0;
  private used = 0;
  private queued = 0;
  private ended = false;
  private failure: Error | undefined;
  private wakeReader: (() => void) | undefined;
  private waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /**
   * Copies a line.
   * @param parts of JSON, in which a line feed is white space of a text that was sent indented
   * @throws what the channel failed with
   */
  async write(...parts: readonly Uint8Array[]): Promise<void> {
    const size = parts.reduce((sum, part) => sum + part.length, 1);
    if (this.slab.length - this.used < size) {
      this.takeSlab();
      this.slab = new Uint8Array(Math.max(SLAB_BYTES, size));
      this.taken = this.used = 0;
    }
    const { slab, used: start } = this;
    for (const part of parts) {
      slab.set(part, this.used);
      this.used += part.length;
    }
    const line = slab.subarray(start, this.used);
    for (let at = line.indexOf(LINE_FEED); at >= 0; at = line.indexOf(LINE_FEED, at + 1)) line[at] = SPACE;
    slab[this.used++] = LINE_FEED;
    this.queued += size;
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
    this.release();
    this.wakeReader?.();
    this.wakeWriters();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure;
      this.takeSlab();
      const [bytes] = this.queue.splice(0, 1);
      if (bytes !== undefined) {
        this.queued -= bytes.length;
        this.wakeWriters();
        yield bytes;
      } else if (this.ended) {
        this.release();
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.wakeReader = resolve;
        });
      }
    }
  }

  /** Whoever had a list keeps its channel for long. */
  private release(): void {
    this.queue = [];
    this.slab = new Uint8Array(0);
    this.taken = this.used = 0;
  }

  private takeSlab(): void {
    if (this.used > this.taken) this.queue.push(this.slab.subarray(this.taken, this.used));
    this.taken = this.used;
  }

  private wakeWriters(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
