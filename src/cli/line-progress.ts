const INTERVAL_MS = 200;

/** One line on a terminal that says what is being done; prints nothing if the output is not a terminal. */
export class LineProgress {
  private timer: NodeJS.Timeout | undefined;
  private shownAt = 0;
  private isShown = false;

  constructor(private readonly output: NodeJS.WriteStream) {}

  show(text: string): void {
    const now = performance.now();
    if (!this.output.isTTY || now - this.shownAt < INTERVAL_MS) return;
    this.shownAt = now;
    this.isShown = true;
    this.output.write(`\r\u001b[K${text}`);
  }

  /** Shows a text with the seconds that have passed, again and again. */
  tick(textAfter: (seconds: number) => string): void {
    const started = performance.now();
    const draw = (): void => this.show(textAfter((performance.now() - started) / 1000));
    draw();
    this.timer = setInterval(draw, INTERVAL_MS).unref();
  }

  /** Takes the line away. */
  end(): void {
    clearInterval(this.timer);
    if (this.isShown) this.output.write('\r\u001b[K');
    this.isShown = false;
  }
}
