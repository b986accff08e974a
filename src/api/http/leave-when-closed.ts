import type { Duplex, Writable } from 'node:stream';

/** Gives a place back when its response, or its connection, is closed, even if that has already happened. */
export function leaveWhenClosed(stream: Writable | Duplex, leave: () => void): void {
  if (stream.closed) leave();
  else stream.once('close', leave);
}
