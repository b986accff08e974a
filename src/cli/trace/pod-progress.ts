const INTERVAL_MS = 50;
const WIDTH = 40;

/** A progress bar of decided pods on a terminal; prints nothing if the output is not a terminal. */
export class PodProgress {
  private shown = 0;

  constructor(
    private readonly output: NodeJS.WriteStream,
    private readonly total: number,
  ) {}

  tell(decided: number, placed: number): void {
    if (!this.output.isTTY) return;
    const now = performance.now();
    if (now - this.shown < INTERVAL_MS && decided < this.total) return;
    this.shown = now;
    const filled = this.total === 0 ? WIDTH : Math.round((WIDTH * decided) / this.total);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
    this.output.write(`\r\u001b[K${bar} ${decided} of ${this.total} pods, ${placed} placed`);
  }

  end(): void {
    if (this.output.isTTY) this.output.write('\n');
  }
}
