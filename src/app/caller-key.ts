import type { RequestContext } from './request-context.js';

/** Identifies a caller for request counters; anonymous callers by their address. */
export function callerKey({
  caller: { kind, name, issuer = '' },
  address,
}: Pick<RequestContext, 'caller' | 'address'>): string {
  return kind === 'anonymous' ? `${kind}\n${address}` : `${kind}\n${name}\n${issuer}`;
}
