import { isLoopback } from './loopback.js';

/** Keys fetched over plain HTTP could be forged, except from this machine. */
export function isTrustworthyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
