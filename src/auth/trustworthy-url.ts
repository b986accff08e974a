import { isLoopback } from './loopback.js';

/** Keys that come over plain HTTP are anybody's, except from this very machine. */
export function isTrustworthyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
