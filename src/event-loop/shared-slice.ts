/** How long it blocks the event loop, in milliseconds. */
const SLICE_MS = 5;

/**
 * What many do in small pieces, each as soon as it can, without waiting for anything in between: together they leave the event loop to
 * others after a few milliseconds.
 *
 *     if (slice.isOver) await slice.pause();
 */
export class SharedSlice {
  private began = -Infinity;
  private next: Promise<void> | undefined;

  get isOver(): boolean {
    return performance.now() - this.began >= SLICE_MS;
  }

  /** Yields to other work. */
  pause(): Promise<void> {
    this.next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.next = undefined;
        this.began = performance.now();
        resolve();
      });
    });
    return this.next;
  }
}
