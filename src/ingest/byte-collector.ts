/** Collects bytes from several chunks in one growing buffer, which is reused. */
export class ByteCollector {
  private buffer = new Uint8Array(0);
  length = 0;

  append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (needed > this.buffer.length) {
      const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2, 4096));
      grown.set(this.buffer.subarray(0, this.length));
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.length);
    this.length = needed;
  }

  /** The collected bytes; valid until the next append. */
  view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** Discards the collected bytes, and a buffer of unusual size. */
  clear(): void {
    this.length = 0;
    if (this.buffer.length > 1024 * 1024) this.buffer = new Uint8Array(0);
  }
}
