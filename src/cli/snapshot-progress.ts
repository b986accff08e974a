const INTERVAL_MS = 200;

/** A terminal line with the amount of data sent and its rate; prints nothing if the output is not a terminal. */
export class ByteProgress {
  private bytes = 0;
  private readonly start = performance.now();
  private shown = this.start;

  constructor(private readonly output: NodeJS.WriteStream) {}

  add(bytes: number): void {
    this.bytes += bytes;
    const now = performance.now();
    if (!this.output.isTTY || now - this.shown < INTERVAL_MS) return;
    this.shown = now;
    this.draw(now);
  }

  /** Leaves the last state on the screen. */
  end(): void {
    if (!this.output.isTTY || this.bytes === 0) return;
    this.draw(performance.now());
    this.output.write('\n');
  }

  private draw(now: number): void {
    const seconds = Math.max(now - this.start, 1) / 1000;
    const megabytes = this.bytes / 1e6;
    this.output.write(`\r\u001b[Ksent ${megabytes.toFixed(1)} MB, ${(megabytes / seconds).toFixed(1)} MB/s`);
  }
}
