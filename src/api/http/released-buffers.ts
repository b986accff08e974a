import { MessageChannel } from 'node:worker_threads';

/** Smaller ones cost more to release than to collect. */
const SMALLEST = 4096;
/** How many are released together. */
const TOGETHER = 16;

/** Takes what is transferred to it, and has nobody to give it to. */
const { port1: nowhere, port2 } = new MessageChannel();
port2.close();

/**
 * Frees the memory of buffers at once. Otherwise it stays until the garbage collector runs, which looks through all the memory of the process
 * whenever a body of hundreds of megabytes has left so many of them behind.
 */
export class ReleasedBuffers {
  private buffers: ArrayBuffer[] = [];

  /** Releases the bytes, which must not be used any more. */
  add({ buffer, byteLength }: Uint8Array): void {
    // Others may use the rest of a larger buffer.
    if (byteLength < SMALLEST || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
    this.buffers.push(buffer);
    if (this.buffers.length < TOGETHER) return;
    nowhere.postMessage(null, this.buffers);
    this.buffers = [];
  }
}
