import type { Access } from '../auth/access.js';
import type { Caller } from '../auth/caller.js';
import type { WithheldValues } from './withheld-values.js';

/** What comes with a request besides its parameters: the caller, the time and new ids. Created once, when the request arrives. */
export interface RequestContext {
  readonly now: Date;
  readonly requestId: string;
  /** Who asks; the author of what the request changes. */
  readonly caller: Caller;
  /** What the caller may do. */
  readonly access: Access;
  /** Where the request came from. */
  readonly address: string;
  /**
   * Looks once more, as of now, whether the caller would be let in: for answers that go on for long. Absent where nobody is
   * asked for a name. Rejects with a `ServiceError`, `unauthenticated`.
   */
  readonly again?: (() => Promise<void>) | undefined;
  /** What the answer must not show to the caller. */
  readonly withheld: WithheldValues;
  /** Aborted when the caller has gone before the answer was out: nobody reads it any more. */
  readonly signal: AbortSignal;
  /** A new id for each answer; a GraphQL request may hold several. */
  nextDecisionId(): string;
  /** Those that were given so far, for the log. */
  readonly decisionIds: readonly string[];
}

/** A name for whoever sends a stream, to share out what streams use up. Callers without a name are told apart by address. */
export function senderOf({ caller, address }: Pick<RequestContext, 'caller' | 'address'>): string {
  const { kind, issuer = '', name } = caller;
  return kind === 'anonymous' ? `anonymous ${address}` : `${kind} ${issuer} ${name}`;
}
