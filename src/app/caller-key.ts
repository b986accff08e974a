import type { RequestContext } from './request-context.js';

/** What tells callers apart where their requests are counted; those without a name by their address. */
export function callerKey({
  caller: { kind, name, issuer = '' },
  address,
}: Pick<RequestContext, 'caller' | 'address'>): string {
  return kind === 'anonymous' ? `${kind}\n${address}` : `${kind}\n${name}\n${issuer}`;
}
