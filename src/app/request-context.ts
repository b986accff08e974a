import type { Access } from '../auth/access.js';
import type { Caller } from '../auth/caller.js';
import type { WithheldValues } from './withheld-values.js';

/** The data of a request besides its parameters: caller, time and new ids. Created once, when the request arrives. */
export interface RequestContext {
  readonly now: Date;
  readonly requestId: string;
  /** The caller, and author of the changes that the request makes. */
  readonly caller: Caller;
  /** The permissions of the caller. */
  readonly access: Access;
  /** Remote address of the request. */
  readonly address: string;
  /**
   * Checks again whether the caller is still authenticated, for long-lived responses. Absent if authentication is off.
   * Rejects with a `ServiceError`, `unauthenticated`.
   */
  readonly again?: (() => Promise<void>) | undefined;
  /** Values that the response must not show to the caller. */
  readonly withheld: WithheldValues;
  /** Aborted if the caller disconnects before the response was sent. */
  readonly signal: AbortSignal;
  /** Creates an id for a decision; a GraphQL request may have several. */
  nextDecisionId(): string;
  /** The ids created so far, for the log. */
  readonly decisionIds: readonly string[];
}

/** Identifies the sender of a stream for per-caller limits. Anonymous callers are distinguished by their address. */
export function senderOf({ caller, address }: Pick<RequestContext, 'caller' | 'address'>): string {
  const { kind, issuer = '', name } = caller;
  return kind === 'anonymous' ? `anonymous ${address}` : `${kind} ${issuer} ${name}`;
}
