const FIRST_BYTES = 32 * 1024;
const MOST_BYTES = 1280 * 1024;

/** The number of buffers that a thread keeps to use them again. */
const MOST_SPARE = 8;

const spare: Uint8Array<ArrayBuffer>[] = [];

/**
 * Keeps a buffer of this size that nobody uses any more for the arenas of this thread: a new one costs the kernel its pages, and the thread
 * that it was transferred to a part of a cycle of the garbage collector.
 */
export function useAgain(buffer: ArrayBuffer): void {
  if (buffer.byteLength === MOST_BYTES && spare.length < MOST_SPARE) spare.push(new Uint8Array(buffer));
}

/**
 * Copies of bytes, one after another in large buffers: a buffer for each would cost more than to fill it. The buffers grow with the use. One
 * may be transferred to another thread, with all copies that are in it.
 */
export class ByteArena {
  private room = new Uint8Array(0);
  private used = 0;
  private size = FIRST_BYTES / 2;

  copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const { length } = bytes;
    // The length of a buffer that was transferred is 0.
    if (this.used + length > this.room.length) {
      this.size = Math.min(this.size * 2, MOST_BYTES);
      const size = Math.max(this.size, length);
      this.room = (size === MOST_BYTES ? spare.pop() : undefined) ?? new Uint8Array(size);
      this.used = 0;
    }
    const copy = this.room.subarray(this.used, this.used + length);
    copy.set(bytes);
    this.used += length;
    return copy;
  }
}
